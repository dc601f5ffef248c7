"""A memory server that speaks MCP on stdio, and misbehaves as told: `python memory_server.py FOLDER`.

`FOLDER/calls` gets one JSON line for each call it was given, `FOLDER/pids` its process and the one that it started.
`FOLDER/mode` says how it behaves, looked at again for each call: `TOOL=WAY` or `*=WAY`, several on a line each.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(sys.argv[1])
TOOLS = ("remember", "find", "tell_all", "note")
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


def way_of(tool: str) -> str:
    try:
        rows = dict(row.split("=", 1) for row in (FOLDER / "mode").read_text().split())
    except FileNotFoundError:
        rows = {}
    return rows.get(tool, rows.get("*", "well"))


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(id: object, result: object) -> None:
    say({"jsonrpc": "2.0", "id": id, "result": result})


def called(id: object, tool: str, arguments: dict[str, object]) -> None:
    with (FOLDER / "calls").open("a") as calls:
        calls.write(json.dumps({"tool": tool, "arguments": arguments}) + "\n")
    match way_of(tool):
        case "raise":
            answer(id, {"content": [{"type": "text", "text": "it broke"}], "isError": True})
        case "sleep":
            time.sleep(600)
        case "late":
            time.sleep(0.6)
            answer(id, {"content": [{"type": "text", "text": "a late answer"}]})
        case "die":
            os._exit(9)
        case "rubbish":
            answer(id, {"content": "no list", "isError": {"a": 1}})
        case "noise":
            sys.stdout.write("\x00\xff not json\n{}\n[]\n")
            answer(id, {"content": [{"type": "text", "text": (FOLDER / "memory").read_text()}]})
        case "flood":
            while True:
                say(
                    {
                        "jsonrpc": "2.0",
                        "method": "notifications/message",
                        "params": {"level": "info", "data": "x" * 500},
                    }
                )
        case "huge":
            while True:
                sys.stdout.write("x" * 1_000_000)
        case _:
            text = (FOLDER / "memory").read_text() if (FOLDER / "memory").exists() else ""
            answer(id, {"content": [{"type": "text", "text": text}]})


def main() -> None:
    child = subprocess.Popen(
        ["sleep", "600"], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    with (FOLDER / "pids").open("a") as pids:
        pids.write(f"{os.getpid()} {child.pid}\n")
    if way_of("start") == "die":
        print("no such database", file=sys.stderr)
        sys.exit(3)
    for line in sys.stdin:
        asked = json.loads(line)
        method, id, params = asked.get("method"), asked.get("id"), asked.get("params") or {}
        if method == "initialize":
            if way_of("start") == "sleep":
                time.sleep(600)
            told = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            answer(id, {**told, "serverInfo": {"name": "fake", "version": "1"}})
        elif method == "tools/list":
            tools = [{"name": name, "description": f"Tool {name}", "inputSchema": SCHEMA} for name in TOOLS]
            more = FOLDER / "more_tools"  # JSON, as it is
            rows = [*map(json.dumps, tools), *(more.read_text().splitlines() if more.exists() else ())]
            sys.stdout.write(f'{{"jsonrpc": "2.0", "id": {id}, "result": {{"tools": [{", ".join(rows)}]}}}}\n')
            sys.stdout.flush()
        elif method == "tools/call":
            called(id, params["name"], params.get("arguments") or {})
        elif id is not None:
            say({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}})


main()

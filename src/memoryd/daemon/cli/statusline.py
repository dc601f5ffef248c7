"""statusline: one line for the host's status bar. Never fails, says nothing rather than waiting.

A host runs it again and again, so it imports no model library and speaks to the socket itself.
"""

import json
import os
import select
import socket
import sys
import time
from collections.abc import Mapping
from typing import Any

DEADLINE_SECONDS = 0.5
STDIN_SECONDS = 0.1  #: a host that gives JSON gives it at once
MAX_BYTES = 4 * 1024 * 1024


def print_line() -> int:
    """Print the line; returns 0."""
    try:
        text = line(_stdin())
    except Exception:  # a status bar that shows a traceback is worse than an empty one
        text = "memoryd ?"
    sys.stdout.write(f"{text}\n")
    return 0


def line(host: Mapping[str, Any]) -> str:
    """`memoryd ok · 2 turns · 14 memories`, or that it does not run.

    :param host: what the host says of itself; `session_id`, `cwd` and `workspace.current_dir` are used
    """
    cwd = (host.get("workspace") or {}).get("current_dir") or host.get("cwd") or os.getcwd()
    asked: list[tuple[str, dict[str, Any]]] = [
        ("daemon.health", {}),
        ("memory.list", {"cwd": cwd, "limit": 1000}),
    ]
    if host.get("session_id"):
        asked.append(("session.get", {"host": "claude-code", "session_id": host["session_id"]}))
    try:
        health, memories, *session = _ask(asked)
    except OSError:
        return "memoryd off"
    parts = [f"memoryd {health.get('state', '?')}", *_turns(session)]
    count = sum(item.get("facts", 0) for item in memories.get("items", ()))
    more = "+" if memories.get("next_cursor") else ""
    return " · ".join([*parts, f"{count}{more} {'memory' if count == 1 else 'memories'}"])


def _turns(session: list[dict[str, Any]]) -> list[str]:
    if not session or "turn_count" not in session[0]:
        return []
    found = session[0]
    if found.get("watermark", 0) >= found.get("last_seq", 0):
        return ["all consolidated"]
    turns = found.get("new_turns", 0)
    return [f"{turns} new turn{'' if turns == 1 else 's'}"]


def _stdin() -> dict[str, Any]:
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    until, received = time.monotonic() + STDIN_SECONDS, b""
    while time.monotonic() < until and len(received) < MAX_BYTES:
        if not select.select([0], [], [], max(0.0, until - time.monotonic()))[0]:
            break
        chunk = os.read(0, 1 << 16)
        if not chunk:
            break
        received += chunk
    try:
        found = json.loads(received or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _ask(calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The results in order, `{}` for an error; one connection, one deadline. :raises OSError: no daemon, or late"""
    until = time.monotonic() + DEADLINE_SECONDS
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(DEADLINE_SECONDS)
        connection.connect(_socket_path())
        for number, (method, params) in enumerate(calls):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            connection.sendall(json.dumps(request).encode() + b"\n")
        received = b""
        while received.count(b"\n") < len(calls) and len(received) < MAX_BYTES:
            connection.settimeout(max(0.001, until - time.monotonic()))
            chunk = connection.recv(1 << 16)
            if not chunk:
                break
            received += chunk
    replies = [json.loads(row).get("result") or {} for row in received.splitlines()]
    return replies + [{}] * (len(calls) - len(replies))


def _socket_path() -> str:
    from memoryd.ipc import places as placing

    found = placing.find()
    if found.config.exists() or any(name.startswith("MEMORYD_DAEMON__") for name in os.environ):
        from memoryd.daemon import config as configuration

        found = configuration.places_of(configuration.load(found.config))
    return str(found.socket)

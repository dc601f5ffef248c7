"""A loopback Messages API that plays the talk of a script: `fake_model.py PORT SCRIPT LOG`.

The answer to a request depends only on what follows its last assistant message: a scripted prompt starts that turn
(first its tool call, if it has one), a tool result ends it, a request for a summary gets the script's summary.
"""

import json
import sys
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

Json = dict[str, Any]

NUMBERS = count(1)


def blocks(messages: list[Json]) -> Iterator[Json]:
    """Yield all content blocks; a plain string counts as one text block."""
    for message in messages:
        content = message["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def since_last_answer(messages: list[Json]) -> list[Json]:
    """Return the messages after the last one of the assistant."""
    answers = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    return messages[answers[-1] + 1 :] if answers else messages


def turn_asked(script: Json, messages: list[Json]) -> Json | None:
    """Return the last turn whose prompt stands in the messages; reminders around the prompt do not matter."""
    texts = [str(block.get("text", "")) for block in blocks(messages)]
    turns: list[Json] = [turn for text in texts for turn in script["turn"] if turn["prompt"] in text]
    return turns[-1] if turns else None


def text_block(text: str) -> Json:
    """Return a block of plain text."""
    return {"type": "text", "text": text}


def reply(script: Json, messages: list[Json]) -> list[Json]:
    """Return the blocks of the answer to one request."""
    fresh = since_last_answer(messages)
    if any(block["type"] == "tool_result" for block in blocks(fresh)):
        turn = turn_asked(script, messages)
        return [text_block(turn["answer"] if turn else "OK")]
    if turn := turn_asked(script, fresh):
        if tool := turn.get("tool"):
            call = {"command": tool["command"], "description": tool["description"]}
            return [{"type": "tool_use", "id": f"toolu_{next(NUMBERS):04}", "name": tool["name"], "input": call}]
        return [text_block(turn["answer"])]
    if any("summary" in str(block.get("text", "")) for block in blocks(fresh)):
        return [text_block(f"<summary>\n{script['compact']['summary'].strip()}\n</summary>")]
    return [text_block("OK")]


def message(model: str, content: list[Json]) -> Json:
    """Return a whole message; the token counts are rough but grow with the text."""
    size = len(json.dumps(content))
    return {
        "id": f"msg_{next(NUMBERS):04}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if content[-1]["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": size // 4},
    }


def stream(whole: Json) -> Iterator[Json]:
    """Yield the events that stream one message, each block in a single delta."""
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            start = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": whole["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


class Model(BaseHTTPRequestHandler):
    """One request: log it, answer it, close the connection."""

    script: ClassVar[Json] = {}
    log: ClassVar[Path] = Path()

    def log_message(self, format: str, *args: object) -> None:
        """Keep the terminal for the talk."""

    def send(self, kind: str, body: str, status: int = 200) -> None:
        """Send one whole body."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def do_HEAD(self) -> None:
        """Say that the server is there."""
        self.send("text/plain", "")

    def do_GET(self) -> None:
        """Know no other endpoint."""
        self.send("application/json", "{}", 404)

    def do_POST(self) -> None:
        """Answer `/v1/messages` and its token count."""
        body: Json = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            return self.send("application/json", json.dumps({"input_tokens": 1000}))
        if not path.endswith("/v1/messages"):
            return self.send("application/json", "{}", 404)
        whole = message(body["model"], reply(self.script, body["messages"]))
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"request": body, "reply": whole}) + "\n")
        if not body.get("stream"):
            return self.send("application/json", json.dumps(whole))
        events = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in stream(whole))
        return self.send("text/event-stream", "".join(events))


def main(port: str, script: str, log: str) -> None:
    """Serve on loopback until killed."""
    Model.script = tomllib.loads(Path(script).read_text(encoding="utf-8"))
    Model.log = Path(log)
    ThreadingHTTPServer(("127.0.0.1", int(port)), Model).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:4])

"""What providers of models are asked and how they answer: Anthropic's, OpenAI's two and Google's interface.

Streamed where that was asked for, each block in one piece.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def is_anthropic(self) -> bool:
        return self.path.partition("?")[0].endswith("/messages")

    @property
    def is_responses(self) -> bool:
        return self.path.partition("?")[0].endswith("/responses")

    @property
    def is_gemini(self) -> bool:
        return "enerateContent" in self.path

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream")) or "streamGenerateContent" in self.path

    @property
    def tools(self) -> list[str]:
        """Names of what may be called."""
        return [_name(tool) for group in self._groups for tool in _members(group)]

    def space_of(self, name: str) -> str | None:
        """The group in which OpenAI's newer interface declares a tool."""
        found = (group.get("name") for group in self._groups if name in map(_name, group.get("tools", ())))
        return next(found, None)

    @property
    def _groups(self) -> list[dict[str, Any]]:
        return list(self.body.get("tools") or ())

    @property
    def talk(self) -> list[dict[str, Any]]:
        """What was said so far: the messages, without instructions that have a place of their own."""
        return list(self.body.get("messages") or self.body.get("input") or self.body.get("contents") or ())

    @property
    def way(self) -> str:
        """In which form an answer is wanted."""
        if "propose" in self.tools:
            return "tools"
        wanted = self.body.get("response_format") or self.body.get("output_config") or {}
        if wanted.get("type") == "json_object":
            return "json-object"
        return "json-schema" if wanted else "text"

    @property
    def text(self) -> str:
        """All that was sent, as the model would read it."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def is_probe(self) -> bool:
        return "Please remember that I prefer" in json.dumps(self.body.get("messages"))


@dataclass(frozen=True, kw_only=True)
class Reply:
    """How a request is answered."""

    items: Sequence[Mapping[str, Any]] | None = None  #: in the form that was asked for
    text: str | None = None  #: as it is
    call: tuple[str, Mapping[str, Any] | str] | None = None  #: a tool's name and arguments
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: str | None = None  #: the body
    content_type: str = JSON
    finish: str | None = None
    seconds: float = 0.0  #: before anything is said
    hangs_up: bool = False
    tokens: tuple[int, int] | None = (900, 40)  #: charged; None: usage is not told


def told(asked: Asked, reply: Reply) -> str:
    """The body of an answer, in the interface that was asked."""
    call, text = reply.call, reply.text
    if reply.items is not None:
        answer = {"items": list(reply.items)}
        call = ("propose", answer) if asked.way == "tools" else None
        text = None if call else json.dumps(answer, ensure_ascii=False)
    if asked.is_responses:
        return _responses(asked, call, text or "", reply)
    if asked.is_gemini:
        return _gemini(asked, call, text or "", reply)
    if asked.is_anthropic:
        whole = _anthropic(asked, reply, call, text)
        return _blocks(whole) if asked.streams else json.dumps(whole)
    whole = _openai(asked, reply, call, text)
    return _chunks(whole) if asked.streams else json.dumps(whole)


def _blocks(whole: dict[str, Any]) -> str:
    """A message of Anthropic's interface, streamed."""
    rows: list[dict[str, Any]] = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for index, block in enumerate(whole["content"]):
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block.get("text")}
        if block["type"] == "tool_use":
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        rows += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    rows.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": whole["usage"]["output_tokens"]}})
    return _stream([*rows, {"type": "message_stop"}])


def _chunks(whole: dict[str, Any]) -> str:
    """A message of OpenAI's older interface, streamed."""
    choice = whole["choices"][0]
    calls = [{"index": index, **call} for index, call in enumerate(choice["message"].get("tool_calls", ()))]
    delta = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    base = {"id": whole["id"], "object": "chat.completion.chunk", "created": 1, "model": whole["model"]}
    rows = [
        {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
        {**base, "choices": [], "usage": whole.get("usage")},
    ]
    return "".join(f"data: {json.dumps(row)}\n\n" for row in rows) + "data: [DONE]\n\n"


def _responses(asked: Asked, call: Any, text: str, reply: Reply) -> str:
    """An answer of OpenAI's newer interface, streamed."""
    tokens_in, tokens_out = reply.tokens or (0, 0)
    said: dict[str, Any]
    if call:
        said = {
            "type": "function_call",
            "id": "f",
            "call_id": f"c{len(asked.talk)}",
            "name": call[0],
            "arguments": json.dumps(call[1]),
            "namespace": asked.space_of(call[0]),
        }
    else:
        said = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    usage = {"input_tokens": tokens_in, "output_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    return _stream(
        [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": said},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        ]
    )


def _gemini(asked: Asked, call: Any, text: str, reply: Reply) -> str:
    """An answer of Google's interface, streamed or not."""
    tokens_in, tokens_out = reply.tokens or (0, 0)
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": text}
    whole = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": tokens_in, "candidatesTokenCount": tokens_out,
            "totalTokenCount": tokens_in + tokens_out,
        },
        "modelVersion": "fake",
    }  # fmt: skip
    return f"data: {json.dumps(whole)}\n\n" if asked.streams else json.dumps(whole)


def _stream(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"event: {row['type']}\ndata: {json.dumps(row)}\n\n" for row in rows)


def _openai(asked: Asked, reply: Reply, call: Any, text: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if call:
        arguments = call[1] if isinstance(call[1], str) else json.dumps(call[1])
        message["tool_calls"] = [
            {"id": f"c{len(asked.talk)}", "type": "function", "function": {"name": call[0], "arguments": arguments}}
        ]
    told: dict[str, Any] = {
        "id": "r", "object": "chat.completion", "created": 1, "model": asked.body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": reply.finish or ("tool_calls" if call else "stop")}
        ],
    }  # fmt: skip
    if reply.tokens:
        tokens_in, tokens_out = reply.tokens
        told["usage"] = {
            "prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out,
        }  # fmt: skip
    return told


def _anthropic(asked: Asked, reply: Reply, call: Any, text: str | None) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    if call:
        content.append({"type": "tool_use", "id": f"c{len(asked.talk)}", "name": call[0], "input": call[1]})
    tokens_in, tokens_out = reply.tokens or (0, 0)
    return {
        "id": "r", "type": "message", "role": "assistant", "model": asked.body["model"], "content": content,
        "stop_reason": reply.finish or ("tool_use" if call else "end_turn"), "stop_sequence": None,
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }  # fmt: skip


def _members(group: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """A tool by itself, or those that a group holds: Google's all stand in one, some of OpenAI's too."""
    return group.get("functionDeclarations") or group.get("tools") or [group]


def _name(tool: Mapping[str, Any]) -> str:
    return str(tool.get("name") or tool.get("function", {}).get("name"))

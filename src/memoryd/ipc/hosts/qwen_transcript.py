"""Qwen Code's transcript: JSON lines to messages and tool uses.

A prompt's record does not bear its turn's id, as hooks tell it; the notes of telemetry that follow it do. A prompt that
no such note follows yet is left for the next read, with all that comes after it.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memoryd.ipc.hosts.base import TranscriptRead
from memoryd.ipc.hosts.jsonlines import LineReader, identifier, nth
from memoryd.ipc.hosts.parts import files_of, parts_of, response_text, text_of_parts, tier_of, typed

_WANTED = re.compile(rb'"type"\s*:\s*"(?:user|assistant|tool_result)"')
_PROMPT = re.compile(rb'"provenance"\s*:\s*"real_user"')
_TURN = re.compile(rb'"prompt_id"\s*:\s*"([^"\\]{1,200})"')


class QwenLines(LineReader):
    """Reads one chunk, as every reader does."""

    _prompts: Sequence[int] = ()  #: where each prompt's record is
    _turns: Sequence[tuple[int, str]] = ()  #: where a turn is named
    _final = False
    _held: TranscriptRead | None = None  #: what is read from a prompt on whose turn is not known yet: nothing

    def read(self, chunk: bytes, *, final: bool) -> TranscriptRead:
        self._prompts = [found.start() for found in _PROMPT.finditer(chunk)]
        self._turns = [(found.start(), found[1].decode("utf-8", "replace")) for found in _TURN.finditer(chunk)]
        self._final = final
        done = LineReader.read(self, chunk, final=final)
        if self._held is None or done.consumed < self._held.consumed:
            return done
        return replace(done, consumed=self._held.consumed, state=self._held.state)

    def wants(self, line: bytes) -> bool:
        return self._held is None and _WANTED.search(line) is not None

    def record(self, record: dict[str, Any], line: bytes) -> None:
        if record.get("isSidechain") and record.get("agentId") != self.session_id:
            return  # a sub-agent's, and this is not its own session
        content = record["message"].get("parts") if isinstance(record.get("message"), dict) else None
        if not isinstance(content, list):
            raise ValueError("a record without parts")
        where = record.get("cwd")
        self.cwd = where[:4096] if isinstance(where, str) and where else self.cwd
        record_id = identifier(record.get("uuid")) or self.unnamed_id(line)
        self.moment(record.get("timestamp"))
        match record.get("type"):
            case "user" if record.get("provenance", "real_user") == "real_user":
                self._prompt(record, record_id, content, self._offset + len(line))
            case "assistant":
                self._assistant(record_id, content)
            case "tool_result":
                self._result(record, record_id, content)

    def _prompt(self, record: dict[str, Any], record_id: str, content: list[Any], end: int) -> None:
        text = _typed(record, content)
        if not text:
            return
        following = bisect_right(self._prompts, end)
        until = self._prompts[following] if following < len(self._prompts) else None
        turn = self._turn_between(end, until)
        if turn is None and until is None and not self._final:
            self._held = TranscriptRead(events=(), consumed=self._offset, state=self._before)
            return
        self.interrupt()
        self.turn(turn)
        self.message(record_id, "user", text)

    def _turn_between(self, end: int, until: int | None) -> str | None:
        """The turn that is named first after a prompt and before the next one, and is not the one before."""
        first = bisect_right(self._turns, end, key=lambda named: named[0])
        for start, turn in map(self._turns.__getitem__, range(first, len(self._turns))):
            if until is not None and start >= until:
                break
            if turn != self.state.turn_id:
                return turn
        return None

    def _assistant(self, record_id: str, content: list[Any]) -> None:
        self.message(record_id, "assistant", text_of_parts(content))
        for n, part in enumerate(parts_of(content), 1):
            match part:
                case {"functionCall": {"id": str(call_id), "name": str(name), **rest}}:
                    found = rest.get("args")
                    given = found if isinstance(found, dict) else {}
                    files = files_of(name, given, self.cwd)
                    self.call(call_id, nth(record_id, n), name, given, tier=tier_of(name), files=files)

    def _result(self, record: dict[str, Any], record_id: str, content: list[Any]) -> None:
        outcome = record.get("toolCallResult")
        failed = isinstance(outcome, dict) and outcome.get("status") not in (None, "success")
        for n, part in enumerate(parts_of(content)):
            match part:
                case {"functionResponse": {"id": str(call_id), "response": response}}:
                    self.result(call_id, nth(record_id, n), response_text(response), ok=not failed)


def _typed(record: dict[str, Any], content: list[Any]) -> str:
    """What the person typed: the host keeps it apart where a hook or a file added to it."""
    kept = record.get("systemPayload")
    shown = kept.get("displayText") if isinstance(kept, dict) else None
    return typed(shown if isinstance(shown, str) and shown.strip() else text_of_parts(content))

"""Gemini CLI's transcript: JSON lines to messages and tool uses; the older form is one JSON document.

A record is written again under its id when it grows, and the last one counts: it is told once a later record begins,
or at the end. `$set` repeats messages that had their own lines, so of what it holds only a summary is news: the
conversation was compacted. `$rewindTo` takes messages out of the conversation, but what was said was said.
"""

from dataclasses import dataclass, replace
from typing import Any

from memoryd.ipc.hosts.base import TranscriptRead, TranscriptState
from memoryd.ipc.hosts.jsonlines import LineReader, identifier, nth
from memoryd.ipc.hosts.parts import files_of, parts_of, response_text, text_of_parts, tier_of, typed
from memoryd.ipc.hosts.record import compact, parse

_PATCHES = (b'{"$set"', b'{"$rewindTo"')
#: how a user's record begins that the host wrote
_HOST_MADE = ("<session_context>", "System: Potential loop detected")
_LOADED = "\n<loaded_context>"  #: how the part begins that stands before what a sub-agent is asked
_REPORT = "\nResult:\n"  #: behind it stands what a sub-agent found
_SUMMARY = ("<state_snapshot>", "</state_snapshot>")  #: what a summary of the conversation holds, in a user's record


def read(
    chunk: bytes, *, host: str, session_id: str, cwd: str | None, state: TranscriptState, final: bool
) -> TranscriptRead:
    """See `Host.read_transcript`. A document is read whole each time: its file is written anew."""
    reader = GeminiLines(host, session_id, cwd, state)
    if chunk.lstrip().partition(b"\n")[0].strip() == b"{":
        return replace(reader.read(_as_lines(chunk), final=final), consumed=0, state=state)
    return reader.read(chunk, final=final)


def _as_lines(document: bytes) -> bytes:
    """The messages of a document; none of one that is still being written."""
    try:
        found = parse(document)
    except ValueError:
        return b""
    messages = found.get("messages") if isinstance(found, dict) else None
    return b"".join(compact(message).encode() + b"\n" for message in messages) if isinstance(messages, list) else b""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """The newest record; it may still grow."""

    id: str
    record: dict[str, Any]
    offset: int  #: where it began
    state: TranscriptState  #: before it


class GeminiLines(LineReader):
    _open: _Open | None = None
    _sub_agent = False  #: the whole file is one's

    def wants(self, line: bytes) -> bool:
        return not line.startswith(_PATCHES) or _SUMMARY[0].encode() in line

    def record(self, record: dict[str, Any], line: bytes) -> None:
        record_id = identifier(record.get("id"))
        if isinstance(patch := record.get("$set"), dict):
            self._patch(patch)
        elif record_id is None or record.get("type") not in ("user", "gemini"):
            self._sub_agent = self._sub_agent or record.get("kind") == "subagent"
        elif self._open and self._open.id == record_id:
            self._open = replace(self._open, record=record)
        else:
            self._close()
            self._open = _Open(id=record_id, record=record, offset=self._offset, state=self._before)

    def read(self, chunk: bytes, *, final: bool) -> TranscriptRead:
        done = LineReader.read(self, chunk, final=final)
        if self._open is None:
            return done
        if not final:
            return replace(done, consumed=self._open.offset, state=self._open.state)
        self._close()
        return replace(done, events=tuple(self.events))

    def _close(self) -> None:
        """Tell the newest record: it is as it will stay."""
        if self._open is None:
            return
        record_id, record = self._open.id, self._open.record
        self._open = None
        self.moment(record.get("timestamp"))
        if record["type"] == "user":
            self._user(record_id, record)
        else:
            self.message(record_id, "assistant", text_of_parts(record.get("content")))
            for n, call in enumerate(parts_of(record.get("toolCalls"))):
                self._tool(record_id, 2 * n + 1, call)

    def _patch(self, patch: dict[str, Any]) -> None:
        """A summary in the place of what was said before; it keeps its id as long as it stands there."""
        for message in parts_of(patch.get("messages")):
            summary, message_id = text_of_parts(message.get("content")), identifier(message.get("id"))
            if message_id and message.get("type") == "user" and _is_summary(summary):
                self.moment(message.get("timestamp"))
                self.compaction(f"{self.session_id[:40]}/{message_id}", summary)

    def _user(self, record_id: str, record: dict[str, Any]) -> None:
        """A prompt; what tools answered is recorded as a user's record too."""
        content = record.get("content")
        if any("functionResponse" in part for part in parts_of(content)):
            return
        if isinstance(content, list):
            content = [part for part in parts_of(content) if not text_of_parts([part]).startswith(_LOADED)]
        whole = text_of_parts(content)
        if not whole.startswith(_HOST_MADE) and not _is_summary(whole):
            text = typed(text_of_parts(record.get("displayContent") or content))
            self.message(record_id, "assistant" if self._sub_agent else "user", text)

    def _tool(self, record_id: str, n: int, call: dict[str, Any]) -> None:
        call_id, name, given = str(call.get("id")), str(call.get("name")), call.get("args")
        given = given if isinstance(given, dict) else {}
        files = files_of(name, given, self.cwd)
        self.call(call_id, nth(record_id, n), name, given, tier=tier_of(name), files=files)
        status = call.get("status")
        if status in ("success", "error"):
            self.moment(call.get("timestamp"))
            text = _result_text(call.get("result"))
            self.result(call_id, nth(record_id, n + 1), text, ok=status == "success")
            self._agent(f"{record_id}/agent-{n}", call, given.get("agent_name"), text)
        else:
            self.interrupt()

    def _agent(self, event_id: str, call: dict[str, Any], name: object, result: str) -> None:
        """A call that names a sub-agent has ended it; what it found stands behind how it ended."""
        child, agent_type = identifier(call.get("agentId")), identifier(name)
        if child and agent_type:
            head, found, report = result.partition(_REPORT)
            self.stopped_agent(event_id, child, agent_type, report if found else head)


def _is_summary(text: str) -> bool:
    return all(tag in text for tag in _SUMMARY)


def _result_text(result: object) -> str:
    responses = (part.get("functionResponse") for part in parts_of(result))
    return "\n".join(response_text(found.get("response")) for found in responses if isinstance(found, dict))

"""The summary of a session: what was asked, what was done, which files, how it went.

It is rebuilt whole at each run from a note of at most 2 000 characters that the journal keeps for the session: JSON
`{learned, asked, done, tasks, files, turns, tools}`, oldest items dropped first. It lists requests, not remarks, and
quotes no tool result.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC
from typing import Any

from memoryd.memory.proposals import Summary
from memoryd.memory.text import cut
from memoryd.worker.agents.rules.facts import Reading
from memoryd.worker.agents.rules.sentences import sentences_of
from memoryd.worker.projection import SessionSlice, ToolCall, Utterance

MAX_NOTE_CHARS = 2_000
MAX_ITEMS = 12  #: of each list, newest kept
MAX_LINE_CHARS = 160
MAX_FILES = 20


@dataclass(slots=True, kw_only=True)
class Note:
    """What a session's earlier runs left for the next ones."""

    learned: list[str] = field(default_factory=list)  #: facts of the newest prompt that held any
    asked: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)  #: `[time] task -> result`, for turns with a tool call
    files: dict[str, str] = field(default_factory=dict)  #: path -> read, write, delete
    turns: dict[str, int] = field(default_factory=dict)  #: ok, failed, interrupted -> count
    tools: dict[str, int] = field(default_factory=dict)  #: name -> calls
    seen: int = 0  #: last seq that is counted; a range read again adds nothing

    @classmethod
    def load(cls, text: str) -> "Note":
        """Read a note; one that is not ours counts as empty."""
        try:
            known = json.loads(text)
        except ValueError:
            return cls()
        if not isinstance(known, dict):
            return cls()
        empty = cls()
        names = {f.name for f in fields(cls)}
        return cls(**{k: v for k, v in known.items() if k in names and isinstance(v, type(getattr(empty, k)))})

    def dump(self) -> str:
        """Return the note as JSON within its limit, the oldest items left out."""
        kept: dict[str, Any] = {key: value for key, value in asdict(self).items() if value}
        while len(text := json.dumps(kept, ensure_ascii=False, separators=(",", ":"))) > MAX_NOTE_CHARS:
            _drop_one(kept)
        return text


def _drop_one(kept: dict[str, Any]) -> None:
    """Drop the oldest item of the collection that takes the most room."""
    sizes = {
        key: len(json.dumps(value, ensure_ascii=False)) for key, value in kept.items() if isinstance(value, list | dict)
    }
    largest = max(sizes, key=lambda key: sizes[key])
    if isinstance(kept[largest], list):
        kept[largest] = kept[largest][1:]
    else:
        kept[largest].pop(next(iter(kept[largest])))
    if not kept[largest]:
        del kept[largest]


def summarise(
    session: SessionSlice, readings: Sequence[tuple[Utterance, Reading]], note: Note
) -> tuple[Summary | None, Note]:
    """Return the session's summary, None when nothing happened, and the note for the next run."""
    fresh = [u.seq for u in session.utterances] + [t.seq for t in session.tools] + [t.seq for t in session.turns]
    if not fresh:
        return None, note
    _take(session, readings, note)
    note.seen = max(note.seen, *fresh)
    content = _content(note)
    if not content:
        return None, note
    summary = Summary(
        host=session.host,
        session_id=session.session_id,
        date=session.started_at.astimezone(UTC).date().isoformat(),
        content=content,
        cites=tuple(sorted(set(fresh)))[-64:],
    )
    return summary, note


def _take(session: SessionSlice, readings: Sequence[tuple[Utterance, Reading]], note: Note) -> None:
    prompts = [(u, reading.requests[0]) for u, reading in readings if reading.requests and u.seq > note.seen]
    for utterance, asked in prompts:
        note.asked = _newest([*note.asked, asked])
        result = _result(session, utterance)
        if result:
            note.done = _newest([*note.done, result])
        if any(_within(session, utterance, tool) for tool in session.tools):
            line = f"[{utterance.at:%H:%M}] {cut(asked, 80)} -> {cut(result or 'no answer', 80)}"
            note.tasks = _newest([*note.tasks, line])
    for tool in session.tools:
        if tool.seq > note.seen:
            note.tools[tool.name] = note.tools.get(tool.name, 0) + 1
            _touch(note, tool)
    for turn in session.turns:
        if turn.seq > note.seen:
            note.turns[turn.status] = note.turns.get(turn.status, 0) + 1


def _touch(note: Note, tool: ToolCall) -> None:
    for touch in tool.files:
        before = note.files.pop(touch.path, touch.action)
        note.files[touch.path] = before if touch.action == "read" else touch.action


def _next_prompt(session: SessionSlice, prompt: Utterance) -> int:
    later = (u.seq for u in session.user_texts() if u.seq > prompt.seq)
    return min(later, default=2**63)


def _within(session: SessionSlice, prompt: Utterance, tool: ToolCall) -> bool:
    return prompt.seq < tool.seq < _next_prompt(session, prompt)


def _result(session: SessionSlice, prompt: Utterance) -> str:
    """The first sentence of the turn's final answer."""
    end = _next_prompt(session, prompt)
    answers = [u for u in session.utterances if u.role == "assistant" and prompt.seq < u.seq < end]
    first = next((row for row in answers[-1].text.split("\n") if row.strip()), "") if answers else ""
    found = sentences_of(first[:1_000])
    return cut(found[0].text, MAX_LINE_CHARS) if found else ""


def _newest(items: list[str]) -> list[str]:
    return items[-MAX_ITEMS:]


def _content(note: Note) -> str:
    changed = [path for path, action in note.files.items() if action != "read"]
    read = [path for path, action in note.files.items() if action == "read"]
    parts = [
        _list("Asked", note.asked),
        _list("Done (in the agent's words)", note.done),
        _list("Tasks", note.tasks),
        _list("Files", [*(f"{p} (changed)" for p in reversed(changed)), *reversed(read)][:MAX_FILES]),
        _counts("Outcome", note.turns),
        _counts("Tools", note.tools),
    ]
    return "\n\n".join(part for part in parts if part)


def _list(title: str, items: Sequence[str]) -> str:
    return "\n".join([f"## {title}", *(f"- {item}" for item in items)]) if items else ""


def _counts(title: str, counts: dict[str, int]) -> str:
    return f"## {title}\n" + ", ".join(f"{name} {n}" for name, n in counts.items()) if counts else ""

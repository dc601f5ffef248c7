"""The summary of a session: what was asked, what was done, which files, how it went.

It is rebuilt whole at each run from a note of at most 2 000 characters that the journal keeps for the session: JSON
`{learned, asked, done, tasks, files, turns, tools}`, oldest items dropped first. It lists requests, not remarks, and
quotes no tool result.
"""

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC
from typing import Any

from memoryd.memory.proposals import Summary
from memoryd.memory.text import bare, cut
from memoryd.worker.agents.rules.facts import Reading
from memoryd.worker.agents.rules.sentences import sentences_of
from memoryd.worker.projection import SessionSlice, ToolCall, Utterance

MAX_NOTE_CHARS = 2_000
MAX_ITEMS = 12  #: of each list, newest kept
MAX_LINE_CHARS = 160
MAX_FILES = 20
MAX_NAME_CHARS = 200  #: of a file or a tool: whoever made it named it
MAX_CITES = 64  #: newest kept
_ANSWER_START_CHARS = 400  #: of an answer are looked at for its first sentence


@dataclass(slots=True, kw_only=True)
class Note:
    """What a session's earlier runs left for the next ones."""

    learned: list[str] = field(default_factory=list)  #: facts of the prompt before, or of the one before a remark
    remarks: int = 0  #: prompts since that held none
    asked: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)  #: `[time] task -> result`, for turns with a tool call
    files: dict[str, str] = field(default_factory=dict)  #: path -> read, write, delete
    turns: dict[str, int] = field(default_factory=dict)  #: ok, failed, interrupted -> count
    tools: dict[str, int] = field(default_factory=dict)  #: name -> calls
    seen: int = 0  #: last seq that is counted; a range read again adds nothing

    def take_learned(self, learned: list[str]) -> None:
        """Take what a prompt taught: "forget that" and a change that names nothing reach over one remark at most."""
        self.remarks = 0 if learned else min(2, self.remarks + 1)
        if learned or self.remarks > 1:
            self.learned = learned

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
    rests = _take(session, readings, note)
    note.seen = max(note.seen, *fresh)
    content = _content(note)
    return _summary(session, content, fresh, rests) if content else None, note


Rests = dict[str, set[int]]  #: item of a list -> seqs of what it was made of


def _summary(session: SessionSlice, content: str, fresh: Sequence[int], rests: Rests) -> Summary:
    """A heading, a count and what earlier runs told rest on the newest event: they say nothing of it."""
    newest, told = {max(fresh)}, [bare(row) for row in content.split("\n") if bare(row)]
    return Summary(
        host=session.host,
        session_id=session.session_id,
        date=session.started_at.astimezone(UTC).date().isoformat(),
        content=content,
        cites=tuple(sorted(set(fresh)))[-MAX_CITES:],
        rests=tuple((line, tuple(sorted(rests.get(line, newest)))) for line in told),
    )


def _take(session: SessionSlice, readings: Sequence[tuple[Utterance, Reading]], note: Note) -> Rests:
    rests: Rests = {}
    for turn in _turns(session, readings):
        if turn.asked and turn.prompt.seq > note.seen:
            for item in _note_turn(turn, note):
                rests.setdefault(bare(item), set()).update(turn.seqs)
    for tool in session.tools:
        if tool.seq > note.seen:
            name = cut(tool.name, MAX_NAME_CHARS)
            note.tools[name] = note.tools.get(name, 0) + 1
            for item in _touch(note, tool):
                rests.setdefault(bare(item), set()).add(tool.seq)
    for end in session.turns:
        if end.seq > note.seen:
            note.turns[end.status] = note.turns.get(end.status, 0) + 1
    return rests


@dataclass(slots=True, kw_only=True)
class _Turn:
    """A prompt and what came before the next one."""

    prompt: Utterance
    asked: str  #: its first request, '' for a remark
    answer: Utterance | None = None  #: the last text of the assistant
    used_tools: bool = False

    @property
    def seqs(self) -> list[int]:
        return [self.prompt.seq, *([self.answer.seq] if self.answer else [])]


def _turns(session: SessionSlice, readings: Sequence[tuple[Utterance, Reading]]) -> list[_Turn]:
    turns = [_Turn(prompt=u, asked=next(iter(reading.requests), "")) for u, reading in readings]
    turns.sort(key=lambda turn: turn.prompt.seq)
    starts = [turn.prompt.seq for turn in turns]
    for utterance in session.utterances:
        n = bisect_left(starts, utterance.seq)
        if utterance.role == "assistant" and n:
            turns[n - 1].answer = utterance
    for tool in session.tools:
        n = bisect_left(starts, tool.seq)
        if n:
            turns[n - 1].used_tools = True
    return turns


def _note_turn(turn: _Turn, note: Note) -> list[str]:
    """Note what was asked and done; returns the items of the lists that tell it."""
    result = _first_sentence(turn.answer.text) if turn.answer else ""
    task = f"[{turn.prompt.at:%H:%M}] {cut(turn.asked, 80)} -> {cut(result or 'no answer', 80)}"
    note.asked = _newest([*note.asked, turn.asked])
    if result:
        note.done = _newest([*note.done, result])
    if turn.used_tools:
        note.tasks = _newest([*note.tasks, task])
    return [turn.asked, result, task]


def _first_sentence(answer: str) -> str:
    row = next((row for row in answer[:_ANSWER_START_CHARS].split("\n") if row.strip()), "")
    found = sentences_of(row)
    return cut(found[0].text, MAX_LINE_CHARS) if found else ""


def _touch(note: Note, tool: ToolCall) -> list[str]:
    """Note the files of a call; returns the items that may tell it."""
    for touch in tool.files:
        path = cut(touch.path, MAX_NAME_CHARS)
        before = note.files.pop(path, touch.action)
        note.files[path] = before if touch.action == "read" else touch.action
    paths = [cut(touch.path, MAX_NAME_CHARS) for touch in tool.files]
    return [item for path in paths for item in (path, f"{path} (changed)")]


def _newest(items: list[str]) -> list[str]:
    return items[-MAX_ITEMS:]


def _content(note: Note) -> str:
    if not (note.asked or note.done or note.files or note.tools):
        return ""  # turns without a request: how they ended tells nobody anything
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

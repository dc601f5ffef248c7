"""The checkpoint of a compaction: where the work stood, handed back once when the host has forgotten it.

The journal keeps it current (`journal/progress.py`); here it becomes text, whole or short enough to stand inline.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memoryd.clock import parse_rfc3339
from memoryd.daemon import descriptors, originals
from memoryd.daemon.descriptors import State
from memoryd.daemon.journal import progress as journalled
from memoryd.daemon.journal.progress import Progress
from memoryd.daemon.journal.spawns import AgentGraph
from memoryd.daemon.journal.steps import Kind
from memoryd.daemon.journal.store import Row, Store
from memoryd.memory.fence import quoted
from memoryd.memory.labels import CheckpointLabels
from memoryd.memory.text import cut

INLINE_BYTES = 2048  #: a longer one is told in short, with its descriptor
_NAME_CHARS = 200  #: of a file, a sub-agent or a tool
_PLAIN = re.compile(r"[\w./@+~=:%-]+", re.ASCII)
SUB_AGENTS = 50  #: newest ones whose files are told with those of their parent


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    path: str  #: below the working directory without it
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A large one of a tool."""

    descriptor: str
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """All that is handed back; texts oldest first."""

    id: str
    progress: Progress
    changed: tuple[File, ...] = ()  #: by the session and its sub-agents
    read: tuple[File, ...] = ()
    agents: tuple[str, ...] = ()  #: types of the sub-agents that still run
    results: tuple[Result, ...] = ()
    provider: tuple[str, ...] = ()  #: what an external memory provider wants kept, quoted

    @property
    def asks(self) -> tuple[str, ...]:
        return self.progress.texts(Kind.ASK)


def of(journal: Store, host: str, session_id: str) -> Checkpoint | None:
    """Gather a session's checkpoint, None when it has asked nothing yet. Blocking: looks at the files it names."""
    progress = journalled.read(journal, host, session_id)
    if progress is None:
        return None
    graph = AgentGraph(journal)
    running = graph.descendants(host, session_id, open_only=True)
    below = [row["session_id"] for row in graph.descendants(host, session_id) if row["recorded"]]
    family = [session_id, *below[-SUB_AGENTS:]]
    changed = journalled.files(journal, host, family, Kind.CHANGED)
    written = {row["text"] for row in changed}
    read = [row for row in journalled.files(journal, host, family, Kind.READ) if row["text"] not in written]
    return Checkpoint(
        id=f"{descriptors.CHECKPOINT}:{progress.session}", progress=progress,
        changed=_files(changed, progress.cwd), read=_files(read, progress.cwd),
        agents=tuple(named(row["agent_type"] or row["session_id"]) for row in running),
        results=tuple(map(_result, progress.rows.get(Kind.RESULT, ()))),
    )  # fmt: skip


def _files(rows: Iterable[Row], cwd: str | None) -> tuple[File, ...]:
    return tuple(_touched(row["text"], parse_rfc3339(row["at"]), Path(cwd) if cwd else None) for row in rows)


def _touched(name: str, moment: datetime, cwd: Path | None) -> File:
    """A file that was touched at a moment; of a relative name without a directory nobody knows what became of it."""
    path = cwd / name if cwd else Path(name)
    if not path.is_absolute():
        return File(path=name, state="")
    shown = str(path.relative_to(cwd)) if cwd and path.is_relative_to(cwd) else name
    return File(path=shown, state=descriptors.state_since(path, moment))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Rows under one label; a part of one row stands on the label's line."""

    label: str
    rows: Sequence[str]
    short: int  #: how many of the newest are told inline
    listed: bool = True


def inline(found: Checkpoint, words: CheckpointLabels) -> str:
    """Return the checkpoint in at most 2 KiB: whole, or in short with its descriptor and how to read the rest."""
    whole = render(found, words)
    size = len(whole.encode())
    if size <= INLINE_BYTES:
        return whole
    last = [descriptors.line(words.name, descriptors.CHECKPOINT, size, found.id), words.rest.format(found.id)]
    ending = "\n".join(last) if words.rest else "…"
    room = INLINE_BYTES - len(ending.encode()) - 1
    kept: list[str] = []
    for row in (row for part in _parts(found, words) for row in _rows(replace(part, rows=part.rows[-part.short :]))):
        if (room := room - len(row.encode()) - 1) < 0:
            break
        kept.append(row)
    return "\n".join([*kept, ending])


def render(found: Checkpoint, words: CheckpointLabels) -> str:
    """Return the whole checkpoint."""
    return "\n".join(row for part in _parts(found, words) for row in _rows(part))


def _rows(part: _Part) -> Iterator[str]:
    if part.rows and part.listed:
        yield f"{part.label}:"
        yield from (f"- {row}" for row in part.rows)
    elif part.rows:
        yield f"{part.label}: {', '.join(part.rows)}"


def _parts(found: Checkpoint, words: CheckpointLabels) -> Iterator[_Part]:
    """All there is to tell, the most needed first; what no user said is quoted."""
    texts = found.progress.texts
    goal = texts(Kind.GOAL)
    yield _Part(label=words.goal, rows=goal, short=1, listed=False)
    yield _Part(label=words.constraints, rows=texts(Kind.CONSTRAINT), short=5)
    yield _Part(label=words.decisions, rows=texts(Kind.DECISION), short=3)
    unfinished = [f"{ask} ({words.unfinished})" for ask in texts(Kind.UNFINISHED)]
    yield _Part(label=words.open, rows=[*map(quoted, texts(Kind.TODO)), *unfinished], short=5)
    yield _Part(label=words.agents, rows=_counted(found.agents), short=8, listed=False)
    yield _Part(label=words.asks, rows=[ask for ask in found.asks if ask not in goal], short=2)
    yield _Part(label=words.changed, rows=[_told(file, words) for file in found.changed], short=8, listed=False)
    yield _Part(label=words.reports, rows=list(map(quoted, texts(Kind.REPORT))), short=2)
    yield _Part(label=words.answer, rows=list(map(quoted, texts(Kind.ANSWER))), short=1, listed=False)
    yield _Part(label=words.read, rows=[_told(file, words) for file in found.read], short=8, listed=False)
    yield _Part(
        label=words.results, rows=[_with_state(one.descriptor, one.state, words) for one in found.results], short=2
    )
    yield _Part(label=words.provider, rows=found.provider, short=3)


def _counted(agents: Sequence[str]) -> list[str]:
    return [f"{name} ×{count}" if count > 1 else name for name, count in Counter(agents).items()]


def _told(file: File, words: CheckpointLabels) -> str:
    return _with_state(named(file.path), file.state, words)


def _with_state(text: str, state: State, words: CheckpointLabels) -> str:
    return f"{text} ({words.stale[state]})" if state else text


def named(name: str) -> str:
    """A name as it may stand among words: quoted where it could be read as some."""
    short = cut(name, _NAME_CHARS)
    return short if _PLAIN.fullmatch(short) else quoted(short)


def _result(row: Row) -> Result:
    line = descriptors.line(named(row["name"]), "result", row["chars"], f"{descriptors.EVENT}:{row['seq']}")
    return Result(descriptor=line, state=originals.state(row["original"]) if row["original"] else "")

"""The days, lived through a real daemon with a clock of its own; what it tells a new session each morning."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from support.daemons import client, idle, places

from bench.days.life import FILES, PROJECTS, Day, Life, Talk, Truth, Turn
from memoryd.daemon.config import load
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.handlers import table
from memoryd.ipc.client import AsyncClient
from memoryd.memory.entries import parse
from memoryd.memory.text import fold

FIRST_MORNING = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)
_WORKED = "worked for"  #: what a pattern says
_KEPT_ASIDE = {"long-term", "daily", "reflections"}  #: folders that no snapshot is made of


class Clock:
    """Stands until it is moved."""

    def __init__(self) -> None:
        self.now = FIRST_MORNING

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True, slots=True, kw_only=True)
class Morning:
    """What new sessions were told after a day, in all projects together."""

    day: int
    facts: int  #: that hold, each counted where it should be known
    told: int  #: of them, those in the snapshot
    missed: tuple[str, ...]
    past: tuple[str, ...]  #: replaced values that were told
    worked: float  #: share of the snapshots that tell steps that went well
    hinted: tuple[int, int]  #: of what came up often enough in passing: how much, and how much of it is told
    stale: int  #: facts of agents whose time is over, and that are in memory still
    corrected: tuple[int, int]  #: of the corrections said often enough: asked for, and told at a prompt that they fit
    longest: int  #: characters of the longest snapshot
    active: int  #: characters of what snapshots are made of
    files: int  #: of everything in the memory directories


@dataclass(slots=True, kw_only=True)
class Lived:
    mornings: list[Morning] = field(default_factory=list)
    sessions: int = 0
    turns: int = 0

    def share(self, first: int = 1) -> float:
        """Facts told over facts that hold, from a day on."""
        late = [morning for morning in self.mornings if morning.day >= first]
        return sum(m.told for m in late) / max(sum(m.facts for m in late), 1)

    @property
    def past(self) -> int:
        """Replaced values told, over all mornings."""
        return sum(len(morning.past) for morning in self.mornings)

    @property
    def worked(self) -> float:
        """Share of the snapshots, over all mornings, that tell steps that went well."""
        return sum(morning.worked for morning in self.mornings) / len(self.mornings)

    @property
    def corrected(self) -> float:
        """Corrections told at their moment over those that were said often enough."""
        told, asked = (sum(morning.corrected[n] for morning in self.mornings) for n in (1, 0))
        return told / max(asked, 1)

    @property
    def hinted(self) -> float:
        """What came up often enough in passing and was told, over all mornings."""
        told, known = (sum(morning.hinted[n] for morning in self.mornings) for n in (1, 0))
        return told / max(known, 1)

    @property
    def stale(self) -> int:
        """The most facts at once whose time was over."""
        return max(morning.stale for morning in self.mornings)

    @property
    def longest(self) -> int:
        return max(morning.longest for morning in self.mornings)

    @property
    def growth(self) -> float:
        """Active memory in the last quarter of the days over that of the quarter before."""
        return self.at_end / max(self.halfway, 1)

    @property
    def halfway(self) -> float:
        """Characters of active memory in the third quarter, in the mean: how much a day says is chance."""
        days = len(self.mornings)
        return _mean(self.mornings[days // 2 : 3 * days // 4])

    @property
    def at_end(self) -> float:
        """The same in the last quarter."""
        return _mean(self.mornings[3 * len(self.mornings) // 4 :])


def _mean(mornings: Sequence[Morning]) -> float:
    return sum(morning.active for morning in mornings) / len(mornings)


def live(life: Life, folder: Path, settings: str = "") -> Lived:
    """Live all days on a fresh daemon in a folder. `settings`: its configuration file."""
    (folder / "config.toml").write_text(settings)
    return asyncio.run(_live(life, folder))


async def _live(life: Life, folder: Path) -> Lived:
    clock, lived = Clock(), Lived()
    where = places(folder)
    daemon = await Daemon.open(where, await asyncio.to_thread(load, where.config), clock=clock)
    try:
        await daemon.start(table(daemon))
        async with client(daemon) as one:
            for number, day in enumerate(life, start=1):
                await _save(one, folder, day)
                for nth, talk in enumerate((*day.talks, *_hints(life, day, number))):
                    await _Session(daemon, one, clock, folder, f"d{number}s{nth}").hold(talk)
                lived.sessions += len(day.talks)
                lived.turns += sum(len(talk.turns) for talk in day.talks)
                clock.now = FIRST_MORNING + timedelta(days=number)
                await daemon.sweep.once()
                await idle(daemon, seconds=60)
                await _answer(one, folder, day)
                lived.mornings.append(await _morning(one, folder, number, day))
    finally:
        await daemon.close()
    return lived


@dataclass(slots=True)
class _Session:
    """Tells a session's events as a host's hooks do."""

    daemon: Daemon
    one: AsyncClient
    clock: Clock
    folder: Path
    name: str
    _told: int = 0

    async def hold(self, talk: Talk) -> None:
        cwd = project(self.folder, talk.project)
        self.clock.now += timedelta(hours=1)
        await self._tell(cwd, "session_start", source="startup")
        for turn in talk.turns:
            await self._turn(cwd, turn)
        await self._tell(cwd, "session_end", reason="exit")
        await idle(self.daemon, seconds=60)
        await self.daemon.maturer.once()

    async def _turn(self, cwd: str, turn: Turn) -> None:
        await self._tell(cwd, "user_prompt", text=turn.prompt)
        for step in turn.steps:
            await self._tell(cwd, "tool_use", ok=True, **_step(step))
        if turn.heard:
            await self._tell(cwd, "message", role="tool", text=turn.heard, tier="tool")
        await self._tell(cwd, "turn", status="ok", last_assistant_message="Done.")

    async def _tell(self, cwd: str, kind: str, **data: Any) -> None:
        self._told += 1
        self.clock.now += timedelta(seconds=20)
        event = {
            "id": f"{self.name}-{self._told}", "kind": kind, "host": "claude-code", "session_id": self.name,
            "cwd": cwd, "at": self.clock.now, "data": data,
        }  # fmt: skip
        await self.one.call("event.publish", {"event": event}, timeout=30)


async def _save(one: AsyncClient, folder: Path, day: Day) -> None:
    """What a person saves by hand, and what an agent notes by its tool."""
    cwd = project(folder, PROJECTS[0])
    for saved in day.beside.saves:
        given = {"name": f"{saved.about} {saved.value}", "type": "project", "content": saved.text}
        await one.call("memory.save", {"cwd": cwd, "scope": "project", **given}, timeout=30)
    for note in day.beside.notes:
        given = {"name": note, "type": "project", "content": note, "author": "host"}
        await one.call("memory.save", {"cwd": cwd, "scope": "project", **given}, timeout=30)


def _hints(life: Life, day: Day, number: int) -> list[Talk]:
    """A session for each thing that comes up in passing, behind a task."""
    tasks = life.phrases["noise"]
    asked = (tasks[(number + n) % len(tasks)].format(file=FILES[0]) for n in range(len(day.beside.hints)))
    prompts = [f"{task} {hint}" for task, hint in zip(asked, day.beside.hints, strict=True)]
    return [Talk(project=PROJECTS[0], turns=(Turn(prompt=prompt),)) for prompt in prompts]


async def _answer(one: AsyncClient, folder: Path, day: Day) -> None:
    """A person answers what contradicts itself: what holds now stays."""
    found = await one.call("review.list", {"cwd": project(folder, PROJECTS[0])}, timeout=30)
    for item in (item for item in found.items if item.kind == "contradiction"):
        first, second = item.text.split("\n", 1)
        for values, value in ((day.truth.gone.get(key, ()), value) for key, value in day.truth.now.items()):
            if value in first and any(old in second for old in values):
                await one.call("review.decide", {"id": item.id, "decision": "accept", "keep": "first"}, timeout=30)
            elif value in second and any(old in first for old in values):
                await one.call("review.decide", {"id": item.id, "decision": "accept", "keep": "second"}, timeout=30)


def _step(step: str) -> Mapping[str, Any]:
    verb, _, path = step.partition(" ")
    if verb in ("edit", "read"):
        return {"name": verb.title(), "files": [{"path": path, "action": "write" if verb == "edit" else "read"}]}
    return {"name": "Bash", "summary": f'{{"command":"{step}"}}'}


def project(folder: Path, name: str) -> str:
    """The repository of a project, made when it is first asked for."""
    path = folder / name
    (path / ".git").mkdir(parents=True, exist_ok=True)
    return str(path)


async def _morning(one: AsyncClient, folder: Path, number: int, day: Day) -> Morning:
    texts = {}
    for name in {talk.project for talk in day.talks} | {key[0] for key in day.truth.now if key[0]}:
        taken = await one.call("recall.snapshot", {"cwd": project(folder, name)}, timeout=30)
        texts[name] = taken.text
    facts, missed, past = held_against(day.truth, texts)
    moments = [await _told_at(one, project(folder, name), *moment) for name in texts for moment in day.moments]
    active, files = await asyncio.to_thread(sizes, folder / "data")
    stale = await asyncio.to_thread(_stale, folder / "data", FIRST_MORNING + timedelta(days=number))
    own = fold(texts.get(PROJECTS[0], ""))
    hinted = sum(fold(words) in own for words in day.beside.known)
    return Morning(
        day=number, facts=facts, told=facts - len(missed), missed=missed, past=past,
        worked=sum(_WORKED in text for text in texts.values()) / len(texts), corrected=(len(moments), sum(moments)),
        hinted=(len(day.beside.known), hinted), stale=stale, longest=max(map(len, texts.values())), active=active,
        files=files,
    )  # fmt: skip


async def _told_at(one: AsyncClient, cwd: str, prompt: str, words: str) -> bool:
    """Whether a prompt brings the words of a correction."""
    found = await one.call("recall.prefetch", {"cwd": cwd, "query": prompt}, timeout=30)
    return fold(words) in fold(found.text)


def held_against(truth: Truth, texts: Mapping[str, str]) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """How many facts should be told, those that are not, and replaced values that are told as if they held.

    A line that names the value that holds beside the one it replaced tells of the change, and is no fault.
    """
    facts, missed, past = 0, list[str](), list[str]()
    for name, text in texts.items():
        lines = list(map(fold, text.splitlines()))
        of = truth.of(name)
        facts += len(of)
        missed += [f"{about}: {words}" for (_, about), words in of.items() if not _in(lines, words)]
        for key, values in truth.past(name).items():
            others = [line for line in lines if fold(of[key]) not in line]
            past += [f"{key[1]}: {words}" for words in _gone(values, of[key]) if _in(others, words)]
    return facts, tuple(missed), tuple(past)


def _in(lines: Sequence[str], words: str) -> bool:
    return any(fold(words) in line for line in lines)


def _gone(values: Sequence[str], now: str) -> list[str]:
    """Replaced values but for one that holds again."""
    return [value for value in values if value != now]


def sizes(data: Path) -> tuple[int, int]:
    """Characters of what snapshots are made of, and of all memory files. Blocking."""
    active = total = 0
    for path in data.glob("**/memory/**/*.md"):
        text = path.read_text("utf-8")
        total += len(text)
        head = next(iter(text.split("---\n", 2)[1:2]), "")
        if not _KEPT_ASIDE & set(path.parts) and "status: historical" not in head:
            active += len(text)
    return active, total


def _stale(data: Path, now: datetime) -> int:
    """Facts in memory whose time is over. Blocking."""
    entries = (parse(path.stem, path.read_text("utf-8")) for path in data.glob("**/memory/knowledge/*.md"))
    return sum(entry.active and entry.expired(now) for entry in entries)

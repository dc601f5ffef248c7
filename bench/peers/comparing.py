"""The same jobs by other tools that keep memories for agents: each beside a memoryd of its own, in turn with it.

Every tool gets the same messages, one at a time, and the same questions; then both are killed and started again.
"""

import json
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from typing import TypeVar

from bench import conversations, talk
from bench.conversations import Question, Talk
from bench.ground import Ground
from bench.peers.installing import Unavailable
from bench.peers.others import PEERS
from bench.peers.ours import Memoryd
from bench.peers.tool import Document, Tool, running, syncs
from bench.process import HAS_PROC, Weight, run_seconds, weighed
from bench.table import Row
from bench.timing import quantile

TITLE = "Peers"
BESIDE = "peer"
DEPTH = 5
SYNCED = 20  #: the last documents are written under strace and not timed
MEGABYTE = 1024 * 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What all are given: messages, and questions whose gold are keys of messages."""

    documents: Sequence[Document]
    questions: Sequence[Question]
    rest_seconds: float
    hooks: int

    @property
    def described(self) -> str:
        return f"{len(self.documents):,} messages, {len(self.questions)} questions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One tool. Times in seconds."""

    writes: Sequence[float]
    questions: Sequence[float]
    recall: float  #: share of the gold among the first `DEPTH`, over all questions
    loaded: Weight  #: after the last question
    idle_cpu: float  #: share of one CPU at rest
    start: float  #: from the spawn after the kill to the first answer
    syncs: float | None  #: for each write
    hooks: Sequence[float]  #: from the spawn to the end; empty: it has none
    lost: int  #: documents that were acknowledged and cannot be read after SIGKILL


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    if not HAS_PROC:
        return [], ["Not measured: needs /proc (Linux)."]
    job = _job(ground)
    rows: list[Row] = []
    notes = [f"{job.described}, those of {'one conversation' if ground.quick else 'two conversations'} in one pool."]
    for peer in PEERS:
        try:
            ours, theirs = _pair(ground.room(peer.name), peer, job)
        except Unavailable as reason:
            notes.append(f"{peer.name} {peer.version}: **not compared**, {reason}.")
            continue
        except Exception as error:
            traceback.print_exc()
            notes.append(f"{peer.name} {peer.version}: **not compared**, it broke off with {type(error).__name__}.")
            continue
        rows += _rows(peer, ours, theirs)
        notes.append(f"{peer.name} {peer.version} through {peer.through}. It does more: {peer.more}.")
    return rows, [*notes, *_FAIR]


_FAIR = (
    "Each peer beside a memoryd of its own that has just started; every message and every question first to one, "
    "then to the other, warm, over one open connection. "
    "memoryd answers a write when it is redacted and synced to the disk, a peer when its own call returns.",
    "No model hub is asked: vectors come from the packaged all-MiniLM-L6-v2 (ONNX, int8), the default model of "
    "mcp-memory-service and Chroma; basic-memory's own default (bge-small) and mem0's keyword part need a hub. "
    "memoryd searches by words, as by default.",
    "Memory is PSS of the whole process tree after the last question, idle CPU that of the tree afterwards.",
)


def _job(ground: Ground) -> Job:
    """Public conversations where they are, else our own."""
    talks = [talk for talk in conversations.load() if talk.corpus == "LoCoMo"] or [conversations.own()]
    taken = talks[: ground.pick(quick=1, full=2)]
    documents = [one for talk in taken for one in _documents(talk)][: ground.pick(quick=200, full=None)]
    known = {one.key for one in documents}
    asked = [one for talk in taken for one in _keyed(talk) if one.gold <= known]
    return Job(
        documents=documents, questions=asked[: ground.pick(quick=40, full=None)],
        rest_seconds=ground.pick(quick=5.0, full=20.0), hooks=ground.pick(quick=5, full=30),
    )  # fmt: skip


def _documents(talk: Talk) -> Iterator[Document]:
    for turn in talk.turns:
        session = f"{talk.name}-{turn.session}"
        yield Document(key=_key(talk, turn.id), session=session, role=turn.role, text=turn.text, at=turn.at)


def _keyed(talk: Talk) -> Iterator[Question]:
    for one in talk.questions:
        gold = frozenset(_key(talk, id) for id in one.gold)
        yield Question(text=one.text, category=one.category, gold=gold)


def _key(talk: Talk, turn: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]+", "-", f"{talk.name}-{turn}")


def _pair(room: Path, peer: type[Tool], job: Job) -> tuple[Measured, Measured]:
    """:raises Unavailable: the peer cannot be had"""
    with ExitStack() as stack:
        tools = [stack.enter_context(running(kind(room / kind.name))) for kind in (peer, Memoryd)]
        for tool in tools:  # the first of each kind loads what is loaded late
            tool.write(job.documents[0])
            tool.settle()
            tool.search(job.questions[0].text, DEPTH)
        writes = _in_turn(tools, job.documents[1:-SYNCED], lambda tool, one: tool.write(one))
        for tool in tools:
            tool.settle()
        found: dict[str, list[Sequence[str]]] = {tool.name: [] for tool in tools}
        questions = _in_turn(
            tools, job.questions, lambda tool, one: found[tool.name].append(tool.search(one.text, DEPTH))
        )  # fmt: skip
        weights = [weighed(tool.pid) for tool in tools]
        shares = _idle(tools, job.rest_seconds)
        hooks = _hooks(room, tools, job.hooks)
        synced = [syncs(tool, job.documents[-SYNCED:]) for tool in tools]
        for tool in tools:
            tool.settle()
        kept = [tool.count() for tool in tools]
        starts = [_killed_and_started(tool) for tool in tools]
        lost = [before - tool.count() for before, tool in zip(kept, tools, strict=True)]
        theirs, ours = (
            Measured(
                writes=writes[n], questions=questions[n], recall=_recall(job.questions, found[tool.name]),
                loaded=weights[n], idle_cpu=shares[n], start=starts[n], lost=lost[n],
                syncs=synced[n], hooks=hooks[n],
            )
            for n, tool in enumerate(tools)
        )  # fmt: skip
        return ours, theirs


def _in_turn(tools: Sequence[Tool], items: Sequence[T], do: Callable[[Tool, T], object]) -> list[list[float]]:
    taken: list[list[float]] = [[] for _ in tools]
    for item in items:
        for tool, seconds in zip(tools, taken, strict=True):
            began = perf_counter()
            do(tool, item)
            seconds.append(perf_counter() - began)
    return taken


def _idle(tools: Sequence[Tool], seconds: float) -> list[float]:
    for tool in tools:
        tool.settle()
    before = [weighed(tool.pid).cpu for tool in tools]
    sleep(seconds)
    return [(weighed(tool.pid).cpu - used) / seconds for tool, used in zip(tools, before, strict=True)]


def _hooks(room: Path, tools: Sequence[Tool], rounds: int) -> list[list[float]]:
    """Seconds of each firing; none for both where the peer has no hook."""
    fired = [tool.hook() for tool in tools]
    said = {"session_id": "hooked", "hook_event_name": "UserPromptSubmit", "cwd": str(room), "prompt": talk.text(400)}
    stdin = room / "said"
    stdin.write_text(json.dumps(said))
    taken: list[list[float]] = [[] for _ in tools]
    if None not in fired:
        for _ in range(rounds):
            for hook, seconds in zip(fired, taken, strict=True):
                assert hook is not None
                seconds.append(run_seconds(list(hook[0]), hook[1], stdin))
    return taken


def _killed_and_started(tool: Tool) -> float:
    tool.kill()
    began = perf_counter()
    tool.start()
    return perf_counter() - began


def _recall(questions: Sequence[Question], found: Sequence[Sequence[str]]) -> float:
    shares = [len(q.gold.intersection(got[:DEPTH])) / len(q.gold) for q, got in zip(questions, found, strict=True)]
    return sum(shares) / len(shares)


def _rows(peer: type[Tool], ours: Measured, theirs: Measured) -> Iterator[Row]:
    unsynced = "our one wait for the disk; the peer has none" if theirs.syncs is not None and theirs.syncs < 1 else ""
    for what, mine, other, limit in (
        ("write", ours.writes, theirs.writes, unsynced),
        ("search", ours.questions, theirs.questions, ""),
    ):
        for share in (0.5, 0.99):
            took, peers = quantile(mine, share) * 1000, quantile(other, share) * 1000
            yield _less(f"{peer.name}: {what}, p{share * 100:g}", took, peers, "ms", limit)
    if theirs.hooks:
        yield _less(
            f"{peer.name}: hook", quantile(ours.hooks, 0.5) * 1000, quantile(theirs.hooks, 0.5) * 1000, "ms"
        )  # fmt: skip
    if ours.syncs is not None and theirs.syncs is not None:
        yield Row(
            what=f"{peer.name}: waits for the disk, a write", value=f"{ours.syncs:.1f}", floor=f"{theirs.syncs:.1f}",
            limit="what a peer has acknowledged can be lost with the power" if theirs.syncs < 1 else "",
        )  # fmt: skip
    recalled = ours.recall / theirs.recall if theirs.recall else float("inf")
    yield Row(
        what=f"{peer.name}: recall@{DEPTH}", value=f"{ours.recall:.3f}", floor=f"{theirs.recall:.3f}",
        ratio=f"{recalled:.2f}x", aim=">= 1x", met=recalled >= 1,
    )  # fmt: skip
    yield _less(f"{peer.name}: memory", ours.loaded.pss / MEGABYTE, theirs.loaded.pss / MEGABYTE, "MB")
    yield Row(
        what=f"{peer.name}: processes", value=str(ours.loaded.processes), floor=str(theirs.loaded.processes),
        limit="the process that holds the index ends after a minute without a question",
    )  # fmt: skip
    yield Row(
        what=f"{peer.name}: idle CPU", value=f"{ours.idle_cpu:.2%}", floor=f"{theirs.idle_cpu:.2%}",
        limit="read in steps of 10 ms",
    )  # fmt: skip
    yield _less(f"{peer.name}: start to first answer", ours.start * 1000, theirs.start * 1000, "ms")
    yield Row(
        what=f"{peer.name}: acknowledged, lost by SIGKILL", value=str(ours.lost), floor=str(theirs.lost),
        aim="0", met=ours.lost == 0,
    )  # fmt: skip


def _less(what: str, mine: float, other: float, unit: str, limit: str = "") -> Row:
    return Row(
        what=what, value=f"{mine:.2f} {unit}", floor=f"{other:.2f} {unit}", ratio=f"{mine / other:.2g}x",
        aim="<= 1x", met=mine <= other, limit=limit,
    )  # fmt: skip

"""One peer and a memoryd, each on a home of its own, given the same job in turn: then killed and started again."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep

from bench import talk
from bench.conversations import Question
from bench.disk import sync
from bench.peers.ours import Memoryd
from bench.peers.tool import Document, Tool, running, syncs
from bench.process import Weight, run_seconds, weighed

DEPTH = 5
SYNCED = 20  #: the first documents are written under strace and not timed


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
    durable: Sequence[float]  #: writes until they survive a power cut
    disk: Sequence[float]  #: what appending and syncing the texts took in the same turns
    questions: Sequence[float]
    recall: float  #: share of the gold among the first `DEPTH`, over all questions
    loaded: Weight  #: after the last question
    idle_cpu: float  #: share of one CPU at rest
    start: float  #: from the spawn after the kill to the first answer
    syncs: float | None  #: for each write
    hooks: Sequence[float]  #: from the spawn to the end; empty: it has none
    lost: int  #: documents that were acknowledged and cannot be read after SIGKILL

    @property
    def unsynced(self) -> bool:
        """It acknowledges what a power cut can take."""
        return _late(self.syncs)


def pair(room: Path, peer: type[Tool], job: Job) -> tuple[Measured, Measured]:
    """memoryd and the peer.

    :raises Unavailable: the peer cannot be had
    """
    with ExitStack() as stack:
        tools = [stack.enter_context(running(kind(room / kind.name))) for kind in (peer, Memoryd)]
        _warm(tools, job)
        synced = [syncs(tool, job.documents[1:SYNCED]) for tool in tools]
        writes, durable, disk = _written(room, tools, synced, job.documents[SYNCED:])
        questions, recalls = _asked(tools, job.questions)
        weights = [weighed(tool.pid) for tool in tools]
        shares = _idle(tools, job.rest_seconds)
        hooks = _hooks(room, tools, job.hooks)
        starts, lost = zip(*map(_killed_and_started, tools), strict=True)
    theirs, ours = (
        Measured(
            writes=writes[n], durable=durable[n], disk=disk, questions=questions[n], recall=recalls[n],
            loaded=weights[n], idle_cpu=shares[n], start=starts[n], lost=lost[n], syncs=synced[n], hooks=hooks[n],
        )
        for n in range(len(tools))
    )  # fmt: skip
    return ours, theirs


def _warm(tools: Sequence[Tool], job: Job) -> None:
    """The first of each kind loads what is loaded late."""
    for tool in tools:
        tool.write(job.documents[0])
        tool.settle()
        tool.search(job.questions[0].text, DEPTH)


def _late(syncs: float | None) -> bool:
    return syncs is not None and syncs < 1


def _written(
    room: Path, tools: Sequence[Tool], synced: Sequence[float | None], documents: Sequence[Document]
) -> tuple[list[list[float]], list[list[float]], list[float]]:
    """Seconds of each write until it is acknowledged, until it is on the disk, and of its text alone on the disk.

    Where a tool does not wait for the disk, its SQLite logs are synced after it.
    """
    acknowledged: list[list[float]] = [[] for _ in tools]
    durable: list[list[float]] = [[] for _ in tools]
    alone: list[float] = []
    with ExitStack() as stack:
        logs = [_opened(stack, tool) if _late(times) else [] for tool, times in zip(tools, synced, strict=True)]
        file = stack.enter_context((room / "alone").open("ab", buffering=0))
        for document in documents:
            for n, tool in enumerate(tools):
                began = perf_counter()
                tool.write(document)
                acknowledged[n].append(perf_counter() - began)
                for log in logs[n]:
                    sync(log)
                durable[n].append(perf_counter() - began)
            began = perf_counter()
            file.write(document.text.encode())
            sync(file.fileno())
            alone.append(perf_counter() - began)
    return acknowledged, durable, alone


def _opened(stack: ExitStack, tool: Tool) -> list[int]:
    logs = (path for path in sorted(tool.home.rglob("*-wal")) if ".cache" not in path.parts)
    return [stack.enter_context(path.open("rb")).fileno() for path in logs]


def _asked(tools: Sequence[Tool], questions: Sequence[Question]) -> tuple[list[list[float]], list[float]]:
    """Seconds of each question, and the recall over all, of each tool."""
    taken: list[list[float]] = [[] for _ in tools]
    shares: list[float] = [0.0] * len(tools)
    for tool in tools:
        tool.settle()
    for question in questions:
        for n, tool in enumerate(tools):
            began = perf_counter()
            found = tool.search(question.text, DEPTH)
            taken[n].append(perf_counter() - began)
            shares[n] += len(question.gold.intersection(found[:DEPTH])) / len(question.gold)
    return taken, [share / len(questions) for share in shares]


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


def _killed_and_started(tool: Tool) -> tuple[float, int]:
    """Seconds from the spawn after SIGKILL to the first answer, and documents that cannot be read any more."""
    tool.settle()
    kept = tool.count()
    tool.kill()
    began = perf_counter()
    tool.start()
    took = perf_counter() - began
    return took, kept - tool.count()

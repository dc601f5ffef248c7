"""The same jobs by other tools that keep memories for agents: each beside a memoryd of its own, in turn with it.

Every tool gets the same messages, one at a time, and the same questions; then both are killed and started again.
"""

import re
import traceback
from collections.abc import Iterator, Sequence

from bench import conversations
from bench.conversations import Question, Talk
from bench.ground import Ground
from bench.peers.installing import Unavailable
from bench.peers.measuring import DEPTH, Job, Measured, pair
from bench.peers.others import PEERS
from bench.peers.plot import plot
from bench.peers.tool import Document, Tool
from bench.process import HAS_PROC
from bench.table import Row
from bench.timing import quantile

TITLE = "Peers"
BESIDE = "peer"
MEGABYTE = 1024 * 1024
LESS = "<= 1x"
OUTSIDE = "the peer's time with an fdatasync of its SQLite log by the bench, which it does not do itself"


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    if not HAS_PROC:
        return [], ["Not measured: needs /proc (Linux)."]
    job = _job(ground)
    rows: list[Row] = []
    notes = [f"{job.described}, those of one conversation{' in part' if ground.quick else ''}."]
    for peer in PEERS:
        try:
            ours, theirs = pair(ground.room(peer.name), peer, job)
        except Unavailable as reason:
            notes.append(f"{peer.name} {peer.version}: **not compared**, {reason}.")
            continue
        except Exception as error:
            traceback.print_exc()
            notes.append(f"{peer.name} {peer.version}: **not compared**, it broke off with {type(error).__name__}.")
            continue
        rows += _rows(peer, ours, theirs)
        notes.append(f"{peer.name} {peer.version} through {peer.through}. It does more: {peer.more}.")
    return rows, [*notes, *_FAIR, plot(_ratios(rows))]


_FAIR = (
    "Each peer beside a memoryd of its own that has just started; every message and every question first to one, "
    "then to the other, warm, over one open connection. "
    "memoryd answers a write when it is redacted and synced to the disk, a peer when its own call returns.",
    "No model hub is asked: vectors come from the packaged all-MiniLM-L6-v2 (ONNX, int8), the default model of "
    "mcp-memory-service and Chroma; basic-memory's own default (bge-small) and mem0's keyword part need a hub. "
    "memoryd searches by words, as by default; its weights were chosen on public conversations, these among them, and "
    "find a hundredth less in those that were held out (bench/README.md).",
    "Memory is PSS of the whole process tree after the last question, idle CPU that of the tree afterwards.",
)


def _job(ground: Ground) -> Job:
    """A public conversation where there are some, else our own."""
    talk = next((talk for talk in conversations.load() if talk.corpus == "LoCoMo"), conversations.own())
    documents = list(_documents(talk))[: ground.pick(quick=200, full=None)]
    known = {one.key for one in documents}
    asked = [one for one in _keyed(talk) if one.gold <= known]
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


def _ratios(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Of each peer what should be less."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.aim == LESS:
            peer, _, measure = row.what.partition(": ")
            found.setdefault(peer, {})[measure] = float(row.ratio.rstrip("x"))
    return found


def _rows(peer: type[Tool], ours: Measured, theirs: Measured) -> Iterator[Row]:
    disk = f"the text alone, appended and synced in the same turn: {_ms(ours.disk, 0.5):.2f} ms"
    late = "; the peer has not waited for it" if theirs.unsynced else ""
    for what, mine, other, limit in (
        ("write", ours.writes, theirs.writes, disk + late),
        ("write, until a power cut leaves it", ours.durable, theirs.durable, OUTSIDE if theirs.unsynced else disk),
        ("search", ours.questions, theirs.questions, ""),
    ):
        for share in (0.5, 0.99):
            yield _less(f"{peer.name}: {what}, p{share * 100:g}", _ms(mine, share), _ms(other, share), "ms", limit)
    if theirs.hooks:
        yield _less(f"{peer.name}: hook", _ms(ours.hooks, 0.5), _ms(theirs.hooks, 0.5), "ms")
    if ours.syncs is not None and theirs.syncs is not None:
        yield Row(
            what=f"{peer.name}: waits for the disk, a write", value=f"{ours.syncs:.1f}", floor=f"{theirs.syncs:.1f}",
            limit="what a peer has acknowledged can be lost with the power" if theirs.unsynced else "",
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
        aim=LESS, met=mine <= other, limit=limit,
    )  # fmt: skip


def _ms(seconds: Sequence[float], share: float) -> float:
    return quantile(seconds, share) * 1000

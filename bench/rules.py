"""The rules memory agent: speed beside parsing the same text as JSON, and its quality on the labelled snippets."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter

from bench import talk
from bench.ground import Ground
from bench.table import Row, compared
from bench.timing import Times, in_turn
from memoryd.ipc.events import TIER_OF_ROLE, Role
from memoryd.memory.model import MemoryView
from memoryd.worker.agents.rules import RulesAgent, learn
from memoryd.worker.evaluate import Score, evaluate, load, scores
from memoryd.worker.project import MAX_CHUNK_CHARS
from memoryd.worker.projection import Projection, SessionSlice, Utterance

TITLE = "Rules memory agent"
MIN_PRECISION, MIN_RECALL = 0.95, 0.75
_SNIPPETS = Path(__file__).parent / "rules"
_START = datetime(2026, 6, 1, tzinfo=UTC)
_SETS = {"dev": ("dev",), "held": ("held",), "judges": tuple(f"practice/{name}" for name in "efgh")}
Said = Sequence[tuple[Role, str]]


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    texts = {
        "chunk": talk.said(MAX_CHUNK_CHARS),
        "four": talk.said(4 * MAX_CHUNK_CHARS, seed=2),
        "user": [one for one in talk.said(4 * MAX_CHUNK_CHARS, seed=3) if one[0] == "user"],
    }
    variants = {name: _learning(said) for name, said in texts.items()} | {"json": _parsing(texts["chunk"])}
    times = in_turn(variants, ground.pick(quick=2, full=7))
    rates = {name: Times([size(texts.get(name, texts["chunk"])) / t for t in found.samples])
             for name, found in times.items()}  # fmt: skip
    rows = [*_speed(rates), *(row for name, sets in _SETS.items() for row in _quality(name, sets))]
    shares = {role: sum(len(t) for r, t in texts["chunk"] if r == role) for role in TIER_OF_ROLE}
    share = shares["user"] / sum(shares.values())
    return rows, [
        f"Text as UTF-8; a run reads at most {MAX_CHUNK_CHARS:,} characters; {share:.0%} of them are the user's here. "
        f"Spread of the floor {rates['json'].spread:.0%}.",
        "`held` is only ever scored: totals, never items. The four judges were never fitted; their misses were read.",
    ]


def size(said: Said) -> float:
    """Megabytes of UTF-8."""
    return sum(len(text.encode()) for _, text in said) / 1e6


def projection(said: Said) -> Projection:
    """The texts as one session of one run."""
    spoken = tuple(
        Utterance(seq=seq, at=_START + timedelta(seconds=seq), role=role, tier=TIER_OF_ROLE[role], text=text)
        for seq, (role, text) in enumerate(said, start=1)
    )
    session = SessionSlice(host="generic", session_id="s", started_at=_START, cwd="/project", utterances=spoken)
    return Projection(from_seq=1, to_seq=len(spoken), sessions=(session,))


def _learning(said: Said) -> Callable[[], float]:
    read, empty = projection(said), MemoryView()

    def measure() -> float:
        began = perf_counter()
        learn(read, empty)
        return perf_counter() - began

    return measure


def _parsing(said: Said) -> Callable[[], float]:
    lines = [json.dumps({"role": role, "text": text}, ensure_ascii=False) for role, text in said]

    def measure() -> float:
        began = perf_counter()
        for line in lines:
            json.loads(line)
        return perf_counter() - began

    return measure


def _speed(rates: dict[str, Times]) -> Iterator[Row]:
    floor = rates["json"]
    labels = {
        "chunk": ("a mixed transcript, one run", "patterns on the user's sentences, comparing them with foreign text"),
        "four": ("the same, four times as long", "a rate that falls with length would not be linear"),
        "user": ("the user's words alone", "patterns of both languages on each sentence"),
    }
    for name, (label, limit) in labels.items():
        yield compared(
            f"learn: {label}", f"{rates[name].median:.2f} MB/s", f"{floor.median:.0f} MB/s (json.loads)",
            rates[name].over(floor), None, limit,
        )  # fmt: skip


def _quality(name: str, sets: Sequence[str]) -> Iterator[Row]:
    verdicts = [v for one in sets for v in evaluate(load(_SNIPPETS / f"{one}.json"), RulesAgent())]
    table = scores(verdicts)
    for language in ("all", "en", "zh", "mx"):
        if language in table:
            label = f"quality, {name}, {language} ({table[language].snippets} snippets)"
            yield _score(label, table[language], promised=language == "all" and name != "judges")


def _score(what: str, score: Score, *, promised: bool) -> Row:
    met = score.precision >= MIN_PRECISION and score.recall >= MIN_RECALL
    return Row(
        what=what, value=f"precision {score.precision:.3f}, recall {score.recall:.3f}",
        floor=f"negatives without a memory {score.clean}/{score.negatives}",
        aim=f"precision >= {MIN_PRECISION:.2f}, recall >= {MIN_RECALL:.2f}" if promised else "",
        met=met if promised else None, limit="patterns know the usual words only" if promised else "",
    )  # fmt: skip

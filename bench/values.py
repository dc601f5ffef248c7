"""The numbers that have one right value: asked of the code that uses them, where it can be asked."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from bench.ground import Ground
from bench.table import Row
from memoryd.daemon.config import Consolidation
from memoryd.daemon.sweep import SWEEP_SECONDS
from memoryd.ipc import hosts
from memoryd.memory import long_term, maturing, quality, ranking, recall
from memoryd.memory.model import Entry, EntryStatus, EntryType
from memoryd.memory.work import Work
from memoryd.worker import project

TITLE = "Values"
BESIDE = "right value"
NOW = datetime(2026, 6, 1, tzinfo=UTC)
DAYS = (7, 8, 30, 31)  #: on both sides of where the tier of age changes


def section(_: Ground) -> tuple[list[Row], list[str]]:
    return [_row(what, value, right) for what, value, right in _values()], []


def _values() -> Iterable[tuple[str, str, str]]:
    """What, as the code has it, as it is to be."""
    yield (
        "consolidation interval, sweep",
        f"{Consolidation().interval_turns} turns, {SWEEP_SECONDS:g} s",
        "3 turns, 60 s",
    )
    cut, floor = project.COMPACTION_CUT_CHARS, project.COMPACTION_FLOOR_CHARS
    yield "compaction: each text cut to, skipped under", f"{cut}, {floor} characters", "400, 300 characters"
    tiers = (1.0, 0.7, 0.7, 0.3)
    right = [0.5 ** (days / 30) * tier for days, tier in zip(DAYS, tiers, strict=True)]
    yield f"decay after {', '.join(map(str, DAYS))} days", _shown(map(_faded, DAYS)), _shown(right)
    yield "decay of what is historical", f"{ranking.recency(_entry(EntryStatus.HISTORICAL), NOW):g}", "0.01"
    shares = [ranking.WEIGHTS.composite(*one) for one in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    yield "composite: relevance, recency, importance", _shown(shares), _shown((0.5, 0.3, 0.2))
    fields = (ranking.NAME_WEIGHT, ranking.DESCRIPTION_WEIGHT, ranking.BODY_WEIGHT)
    yield "a word in name, description, body", _shown(fields), _shown((3, 2, 1))
    weights = [ranking.TYPE_WEIGHTS[kind] for kind in EntryType]
    yield f"weight of {', '.join(EntryType)}", _shown(weights), _shown((1.0, 0.8, 0.5, 0.3))
    yield "duplicate: Jaccard of character bigrams from", f"{quality.DUPLICATE:g}", "0.7"
    yield "flags of a text of 9, of 10 characters", _flags("a" * 9, "a" * 10), "too-short; none"
    yield (
        "flags of texts",
        _flags("it is done right now", "perhaps it is so", "def done(it): ..."),
        "transient; vague; code",
    )
    totals = [quality.TYPE_TOTALS[kind] for kind in EntryType]
    yield f"characters of {', '.join(EntryType)}", _shown(totals), _shown((4_000, 4_000, 8_000, 4_000))
    injected = max(recall.MAX_CHARS, *(hosts.get(name).max_context_chars for name in hosts.names()))
    yield "injected text, the most of all hosts", f"{injected:,} characters", "9,500 characters"
    sizes = [_work(calls, seconds).of_size for calls, seconds in ((2, 59.9), (3, 0.0), (0, 60.0))]
    yield "reflection on 2 calls in 59.9 s, on 3 calls, on 60 s", _shown(sizes), _shown((False, True, True))
    yield "procedure: tool calls from; merge: days", f"{maturing.LONG_CALLS}; {long_term.OLD_DAYS}", "5; 7"


def _row(what: str, value: str, right: str) -> Row:
    return Row(what=what, value=value, floor=right, aim="equal", met=value == right)


def _shown(values: Iterable[float]) -> str:
    return ", ".join(str(one) if isinstance(one, bool) else f"{one:.4g}" for one in values)


def _faded(days: int) -> float:
    return ranking.faded(NOW - timedelta(days=days), NOW)


def _entry(status: EntryStatus) -> Entry:
    return Entry(slug="one", name="one", status=status, updated_at=NOW)


def _flags(*texts: str) -> str:
    return "; ".join(", ".join(sign.flag for sign in quality.signs(text)) or "none" for text in texts)


def _work(calls: int, seconds: float) -> Work:
    return Work(seq=1, cites=(), session="host/one", at=NOW, task="", ok=True, calls=calls, seconds=seconds)

"""Work -> candidates: what a project's pieces of work show again, each with its evidence and how sure it is. Pure.

Four kinds. A *pattern*: steps that succeeded together. A *lesson*: one kind of failure, however often it came. A
*procedure*: the steps of long work that succeeded, in their order, or a way of working in the user's own words. An
*instinct* (`instincts.py`): what follows from what.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memoryd.memory.text import fold
from memoryd.memory.words import content_words
from memoryd.memory.work import Failure, Work, looks

LONG_CALLS = 5  #: of successful work that may become a procedure
ACTS = 2  #: different steps that change or run something: one alone shows no way of working
STUMBLES = 3  #: failures of one kind in work that went well in the end: so many are a lesson, in two turns or more
FIRST, MORE, LESS, SURE = 0.3, 0.15, 0.2, 0.9  #: confidence: of one sighting, of each further, of each failure, at most
TOLD = 0.8  #: of what the user said
GONE = 0.2  #: below it a candidate is no memory
TASK_WORDS = 2  #: content words of a task that says something
MAX_CITES = 64  #: newest kept


class Kind(StrEnum):
    PATTERN = "pattern"
    LESSON = "lesson"
    PROCEDURE = "procedure"
    INSTINCT = "instinct"


@dataclass(slots=True, kw_only=True)
class Candidate:
    """What pieces of work show together. It is nothing but them: when they go, it goes."""

    kind: Kind
    key: str  #: what makes two sightings one candidate
    steps: tuple[str, ...]
    said: str = ""  #: of a lesson its error; of the user's own procedure what it is for, of their correction its words
    when: tuple[str, ...] = ()  #: of an instinct: its triggers, words or steps
    seen: list[Work] = field(default_factory=list)  #: the oldest first
    failed: list[Work] = field(default_factory=list)  #: the same steps, which did not end well; what speaks against it
    hits: int = 0  #: how often a procedure was handed out
    failed_hits: int = 0

    @property
    def told(self) -> bool:
        """Whether it is the user's own words."""
        return self.kind in (Kind.PROCEDURE, Kind.INSTINCT) and bool(self.said)

    @property
    def count(self) -> int:
        return len(self.seen)

    @property
    def sessions(self) -> int:
        return len({work.session for work in self.seen})

    @property
    def places(self) -> int:
        return len({work.place for work in self.seen})

    @property
    def last_at(self) -> datetime:
        return self.seen[-1].at

    @property
    def confidence(self) -> float:
        """0 to 1: it rises with each sighting and falls with each failure, in the order in which they came."""
        told = self.told and self.kind is Kind.PROCEDURE
        sure = (TOLD if told else FIRST) - MORE
        for _, fell in sorted([(work.at, False) for work in self.seen] + [(work.at, True) for work in self.failed]):
            sure = max(0.0, sure - LESS) if fell else min(SURE, sure + MORE)
        return round(max(0.0, sure - LESS * self.failed_hits), 2)

    @property
    def tasks(self) -> tuple[str, ...]:
        """What was asked for, the newest first, each once; "go on" asks for nothing."""
        tasks = dict.fromkeys(work.task for work in reversed(self.seen))
        return tuple(task for task in tasks if len(content_words(task)) >= TASK_WORDS)

    @property
    def cites(self) -> tuple[int, ...]:
        """What it rests on: of the user's own words the prompts that say them."""
        if self.told:
            return tuple(sorted({work.seq for work in self.seen}))[-MAX_CITES:]
        return tuple(sorted({seq for work in self.seen for seq in work.cites}))[-MAX_CITES:]


def candidates(works: Sequence[Work]) -> list[Candidate]:
    """Return what some works, the oldest first, show; what is not sure enough is left out."""
    works = [work for work in works if not work.interrupted]
    found: dict[tuple[Kind, str], Candidate] = {}
    for work in works:
        for made in (*_patterns(work), *_lessons(work), *_procedures(work)):
            known = found.setdefault((made.kind, made.key), made)
            known.seen.append(work)
            known.steps = made.steps if known.told else known.steps  # the user's newest words
    for work in works:
        if not work.ok and work.of_size:
            for kind, key in ((Kind.PATTERN, _set_of(work)), (Kind.PROCEDURE, _row_of(work))):
                if (kind, key) in found:
                    found[kind, key].failed.append(work)
    return [one for one in found.values() if _stands(one)]


def _stands(candidate: Candidate) -> bool:
    if candidate.kind is Kind.LESSON and all(work.ok for work in candidate.seen):
        return candidate.count >= 2 and sum(_times(candidate, work) for work in candidate.seen) >= STUMBLES
    return candidate.confidence >= GONE


def _times(candidate: Candidate, work: Work) -> int:
    return sum(_kind_of(failure) == candidate.key for failure in work.failures)


def _patterns(work: Work) -> Iterator[Candidate]:
    if work.ok and work.of_size and len(work.acts) >= ACTS:
        yield Candidate(kind=Kind.PATTERN, key=_set_of(work), steps=work.acts)


def _lessons(work: Work) -> Iterator[Candidate]:
    """The last failure of work that failed, and each kind of failure that other work met."""
    if not work.of_size:
        return
    failures = work.failures if work.ok else work.failures[-1:]
    for failure in {_kind_of(one): one for one in failures if one.telling and one.error}.values():
        yield Candidate(kind=Kind.LESSON, key=_kind_of(failure), steps=(failure.step,), said=failure.error)


def _procedures(work: Work) -> Iterator[Candidate]:
    for name, steps in work.told:
        yield Candidate(kind=Kind.PROCEDURE, key=f"told {fold(name)}", steps=steps, said=name)
    if work.ok and work.calls >= LONG_CALLS and len(work.acts) >= ACTS:
        steps = tuple(step for step in work.steps if step.startswith("read ") or not looks(step))
        yield Candidate(kind=Kind.PROCEDURE, key=_row_of(work), steps=steps)


def _set_of(work: Work) -> str:
    return ", ".join(sorted(work.acts))


def _row_of(work: Work) -> str:
    """What makes two works one procedure: the steps that change or run something, in order."""
    return " > ".join(work.acts)


def _kind_of(failure: Failure) -> str:
    return f"{failure.step}: {failure.kind}"


def bounded(found: Iterable[Candidate], limits: Mapping[Kind, int]) -> list[Candidate]:
    """Return those that may stay: of each kind the surest, then those seen on the latest day, then the older ones."""
    ordered = sorted(found, key=_rank, reverse=True)
    return [one for kind in Kind for one in [c for c in ordered if c.kind is kind][: limits[kind]]]


def _rank(one: Candidate) -> tuple[float, int, float]:
    return one.confidence, one.last_at.toordinal(), -one.seen[0].at.timestamp()

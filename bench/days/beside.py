"""What comes in beside plain statements: what comes up in passing again and again, notes of an agent, and what a person
saves by hand although memory says otherwise. Made of phrases and a seed, by a chance of its own.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HINTED = 12  #: times that each thing comes up
HEARD = 8  #: times from which on it may be known
NOTE_EVERY = 2  #: days
FIRST_SAVE, SECOND_SAVE = (3, 20), (25, 50)  #: days between which a person saves what memory will contradict, and that


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """Something that is saved by hand; `old`: what it replaces in the world, and in no entry."""

    about: str
    value: str
    text: str
    old: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What comes in beside the talk of one day."""

    hints: tuple[str, ...] = ()  #: each said after a task of its own
    known: tuple[str, ...] = ()  #: words of what came up often enough by now
    notes: tuple[str, ...] = ()  #: that an agent saves
    saves: tuple[Saved, ...] = ()


def beside(seed: int, phrases: Mapping[str, Any], days: int) -> Iterator[Beside]:
    """Yield each day's; a part that the phrases lack is empty."""
    pick = random.Random(f"beside {seed}")
    hinted = _when_hinted(pick, phrases.get("hinted", ()), days)
    saves = _when_saved(pick, phrases.get("saved", ()), days)
    count = dict.fromkeys(hinted, 0)
    for day in range(1, days + 1):
        came = {keep: said for keep, when in hinted.items() for at, said in when if at == day}
        count |= {keep: count[keep] + 1 for keep in came}
        noted = phrases.get("noted", ()) if day % NOTE_EVERY == 0 else ()
        yield Beside(
            hints=tuple(came.values()), known=tuple(keep for keep, times in count.items() if times >= HEARD),
            notes=(pick.choice(noted).format(number=day * 7),) if noted else (), saves=tuple(saves.get(day, ())),
        )  # fmt: skip


def _when_hinted(
    pick: random.Random, facts: Sequence[Mapping[str, Any]], days: int
) -> dict[str, list[tuple[int, str]]]:
    """By the words of each thing that comes up: the days, one in each stretch of the time, and how it is said."""
    stretch = days / HINTED
    return {
        fact["keep"]: [(int((n + pick.random()) * stretch) + 1, pick.choice(fact["say"])) for n in range(HINTED)]
        for fact in facts
    }  # fmt: skip


def _when_saved(pick: random.Random, facts: Sequence[Mapping[str, Any]], days: int) -> dict[int, list[Saved]]:
    found: dict[int, list[Saved]] = {}
    for fact in facts:
        old: str | None = None
        for value, between in zip(pick.sample(fact["values"], 2), (FIRST_SAVE, SECOND_SAVE), strict=True):
            text = pick.choice(fact["say"]).format(new=value)
            day = pick.randint(*between)
            found.setdefault(day, []).append(Saved(about=fact["about"], value=value, text=text, old=old))
            old = value
    return {day: saves for day, saves in found.items() if day <= days}

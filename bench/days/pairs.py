"""A statement and what is said of it later: whether a change takes its place, and another thing stands beside it.

Each pair is two sessions of a memory of its own, through the rules agent. A file of `--pairs` holds phrases
(`life.py`): each way of saying a subject with each way of changing it. A file of `--apart` is a JSON array:

    [{say: [one prompt, another], first, second}]: words of the two, one or a list, that must all be told
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from memoryd.memory.text import fold
from memoryd.worker.agents.rules import RulesAgent
from memoryd.worker.rehearsal import Rehearsal

VALUE_PAIRS = 2  #: of a subject that are tried
RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """How a statement and what follows it ended."""

    say: str
    then: str
    end: str  #: `RIGHT`, or what went wrong
    before: tuple[str, ...]  #: what memory held after the statement
    after: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.end}: {self.say} | {self.then}\n    {list(self.before)} -> {list(self.after)}"


def tied(phrases: Mapping[str, Any]) -> Iterator[Pair]:
    """Each statement of a subject with each change of it: the new value is told, and the old one no more."""
    for subject in phrases["subjects"]:
        values = [*pairwise(subject["values"])][:VALUE_PAIRS]
        for say, change, (old, new) in product(subject["say"], subject["change"], values):
            said, then = say.format(new=old, old=""), change.format(new=new, old=old)
            before, after = _played(said, then)
            yield Pair(say=said, then=then, end=_end_of_change(before, after, old, new), before=before, after=after)


def apart(rows: Sequence[Mapping[str, Any]]) -> Iterator[Pair]:
    """Each two prompts of which neither takes the place of the other."""
    for row in rows:
        said, then = row["say"]
        before, after = _played(said, then)
        end = _end_of_two(before, after, _listed(row["first"]), _listed(row["second"]))
        yield Pair(say=said, then=then, end=end, before=before, after=after)


def report(pairs: Sequence[Pair]) -> str:
    """The share that is right, and what went wrong with the others."""
    ends = Counter(pair.end for pair in pairs)
    wrong = ", ".join(f"{end} {n}" for end, n in ends.most_common() if end != RIGHT)
    return f"{ends[RIGHT]} of {len(pairs)} right ({ends[RIGHT] / len(pairs):.1%}); {wrong or 'nothing wrong'}"


def rows_of(path: Path) -> list[Mapping[str, Any]]:
    """The pairs of an `--apart` file."""
    return json.loads(path.read_text("utf-8"))  # type: ignore[no-any-return]


def _played(*prompts: str) -> tuple[tuple[str, ...], ...]:
    """What memory holds after each prompt, each in a session of its own."""
    rehearsal, held = Rehearsal(), list[tuple[str, ...]]()
    for n, prompt in enumerate(prompts):
        rehearsal.consolidate(RulesAgent(), [rehearsal.say("user", prompt, session=f"s{n}")], session=f"s{n}")
        held.append(rehearsal.trusted())
    return tuple(held)


def _end_of_change(before: Sequence[str], after: Sequence[str], old: str, new: str) -> str:
    stays = any(_tells(text, old) and not _tells(text, new) for text in after)
    if _told(after, new):
        return "the old value stays" if stays else RIGHT
    return "the statement is not kept" if not _told(before, old) else "the change is not believed"


def _end_of_two(before: Sequence[str], after: Sequence[str], first: Sequence[str], second: Sequence[str]) -> str:
    if not all(_told(before, words) for words in first):
        return "the statement is not kept"
    if not all(_told(after, words) for words in first):
        return "the first is lost"
    return RIGHT if all(_told(after, words) for words in second) else "the second is not kept"


def _listed(words: str | Sequence[str]) -> Sequence[str]:
    return (words,) if isinstance(words, str) else words


def _told(memory: Sequence[str], words: str) -> bool:
    return any(_tells(text, words) for text in memory)


def _tells(text: str, words: str) -> bool:
    return fold(words) in fold(text)

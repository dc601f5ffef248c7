"""What is believed of the user: each belief with what it rests on, and how sure it is. Pure.

Three sources: what memory holds (lines, entries), what work showed again and again (instincts, procedures), and what
the user's turns count up to (languages, tools, when). A counted belief is no memory; a person who takes one back leaves
a comment in user.md, and it is counted no more.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from memoryd.memory import entries, frontmatter, instincts, lines
from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.model import EntryType, FileKey, Root
from memoryd.memory.text import cut, fold, is_chinese
from memoryd.memory.work import Work

TEXT_CHARS = 240
ENOUGH, SHARE, TOP = 5, 0.1, 6  #: of counted beliefs: turns in all, share of them, most of one area
#: parts of a local day, each from an hour on
_DAY = ((0, "at night"), (6, "in the morning"), (12, "in the afternoon"), (18, "in the evening"))
_LEADS = re.compile(
    r"(?:when(?:ever)?|for|in|if|before|after|while)\s[^,:，：]{2,60}(?=[,:])|[^\s，,：:]{2,24}(?:时|的时候|之前|之后)(?=[，,：:])",
    re.IGNORECASE,
)


_OF_USER = (EntryType.USER, EntryType.FEEDBACK)  #: entries that are about the person


class Area(StrEnum):
    WHO = "who you are"
    PREFERENCE = "preferences"
    RULE = "rules"
    WAY = "ways of working"
    LANGUAGE = "languages"
    TOOL = "tools"
    TIME = "when you work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """One thing that is believed of the user."""

    id: str  #: stays the same while it says the same
    area: Area
    text: str
    when: str = ""  #: its trigger; '' where it always holds
    confidence: float = 1.0  #: 0 to 1
    turns: int = 0  #: that it rests on
    key: FileKey | None = None  #: the file that holds it; None: it is counted
    line: int = 0  #: of the file, from 1
    entry: str = ""  #: the slug, where the file is one memory


def of_memory(catalogue: Catalogue) -> list[Belief]:
    """What memory holds of the user; how sure it is, is told by who said it (`daemon/profiling.py`)."""
    own = (one for one in catalogue.entries if one.key.root is not Root.TEAM)
    told = [one for one in own if one.entry.active and not one.entry.dated and one.entry.type in _OF_USER]
    learned = [one for one in (*catalogue.instincts, *catalogue.procedures) if one.entry.active]
    return [*_lines(catalogue), *map(_of_entry, told), *map(_of_learned, learned)]


def counted(works: Sequence[Work], taken_back: Iterable[str]) -> list[Belief]:
    """What the user's turns count up to, but for what a person took back.

    :param taken_back: names as `not_counted` finds them
    """
    gone = set(taken_back)
    parts = (
        (Area.LANGUAGE, [("Chinese" if is_chinese(work.task) else "English",) for work in works if work.task]),
        (Area.TOOL, [_programs(work) for work in works if _programs(work)]),
        (Area.TIME, [(_part_of_day(work.at),) for work in works]),
    )
    return [one for area, told in parts for one in _shares(area, told) if name_of(one) not in gone]


def name_of(belief: Belief) -> str:
    """How a counted belief is named where it is taken back."""
    return f"{belief.area}: {belief.text}"


def without(text: str, belief: Belief) -> str:
    """The text of user.md with the comment that keeps a belief from being counted."""
    return f"{text.rstrip()}\n\n<!-- not counted: {name_of(belief)} -->\n"


def not_counted(text: str) -> list[str]:
    return re.findall(r"<!-- not counted: (.+?) -->", text)


def as_said(text: str, words: str) -> str:
    """The text of an instinct's file with a person's words for what follows: theirs, sure, and lasting."""
    body = frontmatter.read(text).body
    told = re.sub(r"^then: .*$", lambda _: f"then: {words}", body, count=1, flags=re.MULTILINE)
    return entries.revise(text, {"name": words, "tier": "user", "confidence": 1.0, "expires_at": None}, told)


def _lines(catalogue: Catalogue) -> Iterator[Belief]:
    areas = {"user.md": Area.WHO, "preferences.md": Area.PREFERENCE, "constraints.md": Area.RULE}
    for key, text in catalogue.files.items():
        if area := areas.get(key.path) if key.root is not Root.TEAM else None:
            for item in lines.items(text):
                lead = _LEADS.match(item.text)
                yield Belief(
                    id=_id(str(key), item.text), area=area, text=item.text, when=lead[0] if lead else "", key=key,
                    line=item.start + 1,
                )  # fmt: skip


def _of_entry(known: Known) -> Belief:
    area = Area.WHO if known.entry.type is EntryType.USER else Area.PREFERENCE
    text = cut(known.entry.description or known.entry.body or known.entry.name, TEXT_CHARS)
    return _of_file(known, area, text)


def _of_learned(known: Known) -> Belief:
    """An instinct or a procedure; one that a person wrote is sure."""
    entry = known.entry
    then = instincts.action_of(known)
    text = then or " -> ".join(row for row in entry.body.splitlines() if row[:1].isdigit())
    when = ", ".join(instincts.triggers_of(known)) if then else entry.name
    made = _of_file(known, Area.WAY, cut(text or entry.name, TEXT_CHARS))
    return replace(made, when=when, confidence=1.0 if entry.confidence is None else entry.confidence)


def _of_file(known: Known, area: Area, text: str) -> Belief:
    return Belief(id=_id(str(known.key), text), area=area, text=text, key=known.key, entry=known.entry.slug)


def _shares(area: Area, told: Sequence[Sequence[str]]) -> Iterator[Belief]:
    """What came in a good part of the turns, the most frequent first."""
    counts = Counter(name for names in told for name in set(names))
    for name, turns in counts.most_common(TOP) if len(told) >= ENOUGH else ():
        if turns >= SHARE * len(told):
            share = round(turns / len(told), 2)
            yield Belief(id=_id(area, name), area=area, text=name, confidence=share, turns=turns)


def _programs(work: Work) -> list[str]:
    return [step.split(" ")[1] for step in work.acts if step.startswith("run ") and step != "run a command"]


def _part_of_day(at: datetime) -> str:
    local = at.astimezone()
    part = [name for start, name in _DAY if local.hour >= start][-1]
    return f"{part}, at weekends" if local.weekday() >= 5 else part


def _id(*parts: str) -> str:
    return hashlib.sha256(fold("\0".join(parts)).encode(errors="surrogatepass")).hexdigest()[:6]

"""The nouns of recall: what a snapshot is taken for, its blocks, and the pieces that they are made of.

A package may bring a block of its own: a `Block` behind an entry point of the group `memoryd.recall_blocks`, whose name
is the block's. Its `sections` is called in a thread with a deadline; what it returns is cleaned like any memory text.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal

from memoryd.memory.catalogue import Catalogue
from memoryd.memory.labels import Labels
from memoryd.memory.model import FileKey, Root
from memoryd.memory.ranking import WEIGHTS, Weights


class Insert(StrEnum):
    """When a block is part of a snapshot."""

    ALWAYS = "always"  #: also in a resumed session, as far as it has not seen it
    START = "start"  #: only in a session that was shown nothing yet
    CLOSING = "closing"  #: always, at the end; its room is kept free from the start


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """An open goal of the person, as recall shows it."""

    id: int
    text: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    text: str
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note that is kept beside memory, as recall shows it."""

    id: int
    kind: Literal["priority", "working", "plan"]
    text: str  #: of a long one its descriptor
    by_agent: bool
    described: bool = False  #: `text` is a descriptor
    steps: tuple[PlanStep, ...] = ()  #: of a plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a snapshot is taken for. Read only."""

    catalogue: Catalogue
    now: datetime  #: aware
    today: date  #: of the person's calendar
    where: Mapping[Root, str]  #: the memory directories
    labels: Labels  #: the words of the chosen language
    query: frozenset[str] = frozenset()  #: content words of what the session is about
    prompt: str = ""  #: what was asked, where a prompt is what it is taken for
    steps: tuple[str, ...] = ()  #: what the session did lately, as pieces of work tell it
    paths: tuple[str, ...] = ()  #: where it works: touched files, the working directory below its project
    checkpoint: str | None = None  #: after a compaction
    goals: tuple[Goal, ...] = ()
    provider: tuple[str, ...] = ()  #: what an external memory provider tells, cleaned and quoted
    notes: tuple[Note, ...] = ()  #: priority, working and plan, the newest first
    weights: Weights = WEIGHTS  #: of what entries are ranked by
    resumed: bool = False  #: the host still has in its context what the session was shown before
    talk: str | None = None  #: how the path of the summary ends of the talk that the host has before it


@dataclass(frozen=True, slots=True)
class Piece:
    """One memory; it is rendered only when there may be room for it."""

    id: str  #: changes with the content; '' for a text that is no memory
    render: Callable[[], str]


def item_id(key: FileKey | str, content: str) -> str:
    """Return an id of a memory that changes with its content."""
    name = key if isinstance(key, str) else f"{key.root}:{key.path}"
    return f"{name}#{hashlib.sha256(content.encode(errors='surrogatepass')).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Pieces under one heading; a section without pieces says nothing."""

    heading: str = ""
    pieces: Sequence[Piece] = ()
    unlisted: int = 0  #: memories that the block itself left out

    @classmethod
    def of(cls, heading: str, texts: Iterable[str]) -> "Section":
        """A section of plain texts, each known by its own words."""
        return cls(heading=heading, pieces=[Piece(f"text#{text}", text.__str__) for text in texts])


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a snapshot."""

    name: str
    order: int  #: where it stands in the text
    priority: int  #: who is given room first; the lower the earlier
    share: float = 1.0  #: of the tokens that are free when its turn comes
    insert: Insert = Insert.ALWAYS
    sections: Callable[[Ask], Iterable[Section]] = field(default=lambda ask: ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the configuration says of one block; None: as it is by itself."""

    on: bool = True
    order: int | None = None  #: its place, and when it is given room
    budget: float | None = None  #: its share


def arranged(blocks: Iterable[Block], settings: Mapping[str, Setting] | None = None) -> tuple[Block, ...]:
    """Return the blocks that are on, changed by their settings, in the order in which they are given room."""
    said = [(block, (settings or {}).get(block.name, Setting())) for block in blocks]
    on = [_set(block, setting) for block, setting in said if setting.on]
    return tuple(sorted(on, key=lambda block: (block.priority, block.order, block.name)))


def _set(block: Block, setting: Setting) -> Block:
    return Block(
        name=block.name, insert=block.insert, sections=block.sections,
        order=block.order if setting.order is None else setting.order,
        priority=block.priority if setting.order is None else setting.order,
        share=block.share if setting.budget is None else setting.budget,
    )  # fmt: skip

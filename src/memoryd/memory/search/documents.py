"""What the index holds: memories and turns as weighted texts. A document carries no text that could be read back.

A weight is a number of repetitions of the text's words in one field: measured, BM25 over weighted words found more
than a weighted sum of one BM25 a field (bench/README.md), and one field is read instead of three.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memoryd.ipc.events import Role
from memoryd.memory.catalogue import Catalogue, Known, KnownLine, SessionSummary
from memoryd.memory.model import FileKey
from memoryd.memory.search import form

NAME, DESCRIPTION, BODY = 3, 2, 1  #: of an entry
SELF, PREVIOUS, NEXT, EARLIER = 4, 1, 1, 1  #: of a turn: its own words, and those of the exchange that it stands in
ASKED = 3  #: of the text before, if it asks
DAY = 2  #: of a turn: its date in words
MAX_TEXT_CHARS = 20_000  #: of one text; what is longer is found by its beginning

Memory = Known | KnownLine | SessionSummary
Weighted = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One thing that can be found; its id is all that comes back: a hash of a memory, a `Sketch` of a turn."""

    id: str
    dir: str  #: the memory directory; another project's never answers
    session: str = ""  #: `host/id` of a turn; '' for a memory
    speaker: str = ""  #: of a turn that begins with `Name:`
    twin: str = ""  #: the same text said again in the session takes the place of this one
    texts: Weighted


class TurnId(NamedTuple):
    """Where a turn stands in the journal."""

    seq: int
    nth: int  #: among the texts of its event
    role: Role


class Sketch(NamedTuple):
    """What the index keeps of a turn: enough to rank it before it is read."""

    id: TurnId
    worth: int  #: percent of its relevance that it keeps, by its form
    timed: bool  #: whether it names a time

    @classmethod
    def of(cls, spoken: "Spoken") -> "Sketch":
        return cls(spoken.id, round(100 * form.worth(spoken.text)), form.names_time(spoken.text))

    @classmethod
    def parse(cls, text: str) -> "Sketch":
        seq, nth, role, worth, timed = text.split(".")
        return cls(TurnId(int(seq), int(nth), _ROLES[role]), int(worth), timed == "t")

    def __str__(self) -> str:
        return f"{self.id.seq}.{self.id.nth}.{self.id.role[0]}.{self.worth}.{'t' if self.timed else ''}"


_ROLES: dict[str, Role] = {"u": "user", "a": "assistant", "t": "tool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One text of a session, as it stands in the journal."""

    seq: int
    nth: int  #: among the texts of its event
    at: datetime
    dir: str
    session: str  #: `host/id`
    role: Role
    text: str
    agent: str = ""  #: the type of the sub-agent whose report to the session it is

    @property
    def id(self) -> TurnId:
        return TurnId(self.seq, self.nth, self.role)

    @property
    def twin(self) -> str:
        """Equal for copies of a text: from a hook, from the transcript, or said again."""
        return _hash(self.session, self.role, self.text)


def memories(catalogue: Catalogue, root: str) -> dict[str, Memory]:
    """Return the memories of a catalogue by their document id, which changes with what they say.

    :param root: the memory directory of the catalogue
    """
    held: tuple[Memory, ...] = (*catalogue.papers, *catalogue.lines, *catalogue.sessions, *catalogue.archived)
    return {_memory_id(root, memory): memory for memory in held}


def of_memory(root: str, id: str, memory: Memory) -> Document:
    match memory:
        case Known(entry=entry):
            named = f"{entry.name} {entry.slug} {' '.join(entry.tags)}"
            texts: Weighted = ((named, NAME), (entry.description, DESCRIPTION), (entry.body, BODY))
        case KnownLine(text=text) | SessionSummary(text=text):
            texts = ((text, BODY),)
    return Document(id=id, dir=root, texts=_cut(texts))


def of_turns(turns: Sequence[Spoken], *, since: int = 0) -> list[Document]:
    """Return the documents of a session's texts, in order, from index `since` on; those before are their neighbours.

    A turn is also found by the words of the exchange around it, as far as the other side said them: an answer seldom
    repeats its question. Two texts of the same side in a row are no exchange. Who speaks counts for their own text.
    """
    said = [turn for turn in turns if turn.role != "tool"]
    place = {turn.id: index for index, turn in enumerate(said)}
    return [_turn(turn, said, place.get(turn.id)) for turn in turns[since:]]


def _turn(turn: Spoken, said: Sequence[Spoken], place: int | None) -> Document:
    texts: list[tuple[str, int]] = [(turn.text, SELF), (_day(turn.at), DAY)]
    if place is not None:
        texts += [(form.unlabelled(other.text), weight) for other, weight in _around(turn, said, place)]
    return Document(
        id=str(Sketch.of(turn)), dir=turn.dir, session=turn.session, speaker=form.speaker(turn.text), twin=turn.twin,
        texts=_cut(tuple(texts)),
    )  # fmt: skip


def _around(turn: Spoken, said: Sequence[Spoken], place: int) -> Iterator[tuple[Spoken, int]]:
    """The texts of the exchange that a turn stands in, with their weights."""
    before = said[max(0, place - 2) : place][::-1]
    if before and before[0].role != turn.role:
        yield from zip(before, (ASKED if form.asks(before[0].text) else PREVIOUS, EARLIER), strict=False)
    yield from ((other, NEXT) for other in said[place + 1 : place + 2] if other.role != turn.role)


def _day(at: datetime) -> str:
    """The date as people ask for it: `8 May 2023` and `2023-05-08`."""
    return f"{at.day} {at:%B} {at.year} {at:%Y-%m-%d}"


def _cut(texts: Weighted) -> Weighted:
    return tuple((text[:MAX_TEXT_CHARS], weight) for text, weight in texts if text.strip())


def _memory_id(root: str, memory: Memory) -> str:
    match memory:
        case Known(key=key, entry=entry):
            said = "\0".join((entry.name, entry.description, entry.status, *entry.tags, entry.body))
        case KnownLine(key=key, text=said) | SessionSummary(key=key, text=said):
            pass
    return _id(root, key, said)


def _id(root: str, key: FileKey, said: str) -> str:
    return _hash(root, key.path, said)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:24]

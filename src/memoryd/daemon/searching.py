"""Search over past conversations: the index for all that it holds, the texts themselves for what came since."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import ceil
from pathlib import Path
from typing import NamedTuple

from memoryd.daemon.indexing import Indexer
from memoryd.daemon.journal.conversations import Conversations
from memoryd.ipc.events import Role
from memoryd.ipc.methods.sessions import GroupBy
from memoryd.memory.search.documents import Sketch, Spoken, TurnId
from memoryd.memory.search.form import TIMED_BOOST, asks_when
from memoryd.memory.search.port import Found
from memoryd.memory.search.snippets import part, speaks_of

ROLE_WEIGHTS: Mapping[Role, float] = {"user": 1.0, "assistant": 0.95, "tool": 0.6}
FRESH_TEXTS = 2_000  #: newest events that are read where the index does not reach
BLOCK = 50  #: hits of the index that are ranked together; blocks never mix, so pages stay as they are
MANY = 20  #: hits, of which more than half are gone: the index is out of date
GROUPED = 200  #: best texts that are grouped
LIFT = 0.15  #: of the best session of a block, for each of its texts: where much is said of it, more is
TELLING = 10  #: best texts of a group by which it is ranked; the nth counts 1 / n
AROUND_CHARS = 120  #: of a neighbour, shown before a text that holds none of the words itself


class Place(NamedTuple):
    """A text that answers, before it is read."""

    id: TurnId
    session: str  #: `host/id`
    score: float
    relevance: float  #: its score before its form counts: a question says as much of what a session is about
    block: int = 0
    hits: int = 1
    thread: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHit:
    """A text that answers, or the best one of a group."""

    spoken: Spoken
    score: float  #: 0 to about 1; comparable within one answer
    hits: int  #: texts of its group that answer, among those looked at
    thread: str | None  #: `host/id` of the session that it goes back to; only when grouped by thread
    snippet: str


@dataclass(frozen=True, slots=True)
class SessionSearch:
    """What was said before."""

    indexer: Indexer
    conversations: Conversations

    async def find(
        self, query: str, directory: Path | None, *, group_by: GroupBy = "none", limit: int, offset: int = 0
    ) -> list[TurnHit]:
        """Return the hits from `offset` on, the best first.

        :param directory: only conversations of this memory directory; None: all
        """
        wanted = BLOCK * ceil((offset + limit) / BLOCK) if group_by == "none" else GROUPED
        position = await self.indexer.reach()

        def answer(found: list[Found] | None) -> tuple[int, int, list[TurnHit]]:
            places = self._places(query, directory, found or [], 0 if found is None else position)
            page = self._grouped(places, group_by)[offset : offset + limit]
            return len(found or []), len(places), self._read(page, query)

        found, held, hits = await self.indexer.turns(query, directory, limit=wanted, then=answer)
        if found >= MANY and held < found / 2:
            self.indexer.renew()
        return hits

    def _places(self, query: str, directory: Path | None, found: Sequence[Found], after: int) -> list[Place]:
        """What the index found and the journal still holds, and what was said since; the best first."""
        sketches = [Sketch.parse(hit.id) for hit in found]
        sessions = self.conversations.sessions_of(sketch.id.seq for sketch in sketches)
        best, when = found[0].score if found else 1.0, asks_when(query)
        places = [
            _place(sketch, sessions[sketch.id.seq], hit.score / best, when, block=n // BLOCK)
            for n, (sketch, hit) in enumerate(zip(sketches, found, strict=True))
            if sketch.id.seq in sessions
        ]
        fresh = {s: speaks_of(s.text, query) for s in self.conversations.newest(after, FRESH_TEXTS, directory)}
        if any(fresh.values()):
            twins = {spoken.twin for spoken, score in fresh.items() if score}
            read = self.conversations.spoken(place.id for place in places)
            places = [place for place in places if place.id in read and read[place.id].twin not in twins]
        places += [_place(Sketch.of(spoken), spoken.session, score, when) for spoken, score in fresh.items() if score]
        return sorted(_lifted(places), key=lambda place: (place.block, -place.score, -place.id.seq, place.id.nth))

    def _grouped(self, places: list[Place], group_by: GroupBy) -> list[Place]:
        match group_by:
            case "none":
                return places
            case "session":
                return _best_of_each(places, {place.session: place.session for place in places})
            case "thread":
                threads = self.conversations.threads({place.session for place in places})
                return [place._replace(thread=threads[place.session]) for place in _best_of_each(places, threads)]

    def _read(self, places: Sequence[Place], query: str) -> list[TurnHit]:
        held = self.conversations.spoken(place.id for place in places)
        return [
            TurnHit(
                spoken=held[place.id], score=place.score, hits=place.hits, thread=place.thread,
                snippet=self._snippet(held[place.id], query),
            )
            for place in places
            if place.id in held
        ]  # fmt: skip

    def _snippet(self, spoken: Spoken, query: str) -> str:
        """Its own words, led by those around it where they are what answers."""
        own = part(spoken.text, query)
        if own.holds:
            return own.text
        around = (part(text, query, limit=AROUND_CHARS) for text in self.conversations.around(spoken))
        told = next((other.text for other in around if other.holds), "")
        return f"({told}) {own.text}" if told else own.text


def _place(sketch: Sketch, session: str, relevance: float, when: bool, block: int = 0) -> Place:
    """A text keeps a share of its relevance, by who said it and by its form."""
    relevance *= ROLE_WEIGHTS[sketch.id.role]
    score = relevance * sketch.worth / 100 * (TIMED_BOOST if when and sketch.timed else 1.0)
    return Place(id=sketch.id, session=session, score=score, relevance=relevance, block=block)


def _lifted(places: Iterable[Place]) -> Iterator[Place]:
    """The texts of each block, with what the other texts of their session there say for them."""
    blocks: dict[int, dict[str, list[Place]]] = {}
    for place in places:
        blocks.setdefault(place.block, {}).setdefault(place.session, []).append(place)
    for sessions in blocks.values():
        told = {session: _together(said) for session, said in sessions.items()}
        best = max(told.values())
        for session, said in sessions.items():
            yield from (place._replace(score=place.score + LIFT * told[session] / best) for place in said)


def _best_of_each(places: Iterable[Place], group_of: Mapping[str, str]) -> list[Place]:
    """The best hit of each group; a group is as relevant as its best texts together."""
    groups: dict[str, list[Place]] = {}
    for place in places:
        groups.setdefault(group_of[place.session], []).append(place)
    scored = [group[0]._replace(hits=len(group), score=_together(group)) for group in groups.values()]
    return sorted(scored, key=lambda place: (-place.score, -place.id.seq))


def _together(group: Iterable[Place]) -> float:
    told = nlargest(TELLING, (place.relevance for place in group))
    return sum(relevance / nth for nth, relevance in enumerate(told, 1))

"""Search over past conversations: the index for all that it holds, the texts themselves for what came since."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Literal

from memoryd.daemon.indexing import Indexer
from memoryd.daemon.journal.conversations import Conversations
from memoryd.ipc.events import Role
from memoryd.memory.search.documents import Spoken, TurnId
from memoryd.memory.search.port import Found
from memoryd.memory.search.snippets import holds, snippet, speaks_of

GroupBy = Literal["none", "session", "thread"]

ROLE_WEIGHTS: Mapping[Role, float] = {"user": 1.0, "assistant": 0.95, "tool": 0.6}
FRESH_TEXTS = 2_000  #: newest events that are read where the index does not reach
BLOCK = 50  #: hits of the index that are ranked together; blocks never mix, so pages stay as they are
MANY = 20  #: hits, of which more than half are gone: the index is out of date
GROUPED = 200  #: best texts that are grouped
FOLLOWING = (1.0, 0.5, 0.25)  #: how much the best texts of a group count
AROUND_CHARS = 120  #: of a neighbour, shown before a text that holds none of the words itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A text that answers, before it is read."""

    id: TurnId
    session: str  #: `host/id`
    score: float
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
        position = self.indexer.position
        found = await self.indexer.turns(query, directory, limit=wanted)
        after = 0 if found is None else position

        def answer() -> tuple[int, list[TurnHit]]:
            places = self._places(query, directory, found or [], after)
            return len(places), self._read(self._grouped(places, group_by)[offset : offset + limit], query)

        held, hits = await asyncio.to_thread(answer)
        if found and len(found) >= MANY and held < len(found) / 2:
            self.indexer.renew()
        return hits

    def _places(self, query: str, directory: Path | None, found: Sequence[Found], after: int) -> list[Place]:
        """What the index found and the journal still holds, and what was said since; the best first."""
        ids = [TurnId.parse(hit.id) for hit in found]
        sessions = self.conversations.sessions_of(id.seq for id in ids)
        best = found[0].score if found else 1.0
        places = [
            Place(id=id, session=sessions[id.seq], block=n // BLOCK, score=hit.score / best * ROLE_WEIGHTS[id.role])
            for n, (id, hit) in enumerate(zip(ids, found, strict=True))
            if id.seq in sessions
        ]
        fresh = {s: speaks_of(s.text, query) for s in self.conversations.newest(after, FRESH_TEXTS, directory)}
        if any(fresh.values()):
            twins = {spoken.twin for spoken, score in fresh.items() if score}
            read = self.conversations.spoken(place.id for place in places)
            places = [place for place in places if place.id in read and read[place.id].twin not in twins]
        places += [
            Place(id=spoken.id, session=spoken.session, score=score * ROLE_WEIGHTS[spoken.role])
            for spoken, score in fresh.items()
            if score
        ]
        return sorted(places, key=lambda place: (place.block, -place.score, -place.id.seq, place.id.nth))

    def _grouped(self, places: list[Place], group_by: GroupBy) -> list[Place]:
        match group_by:
            case "none":
                return places
            case "session":
                return _best_of_each(places, {place.session: place.session for place in places})
            case "thread":
                threads = self.conversations.threads({place.session for place in places})
                return [replace(place, thread=threads[place.session]) for place in _best_of_each(places, threads)]

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
        own = snippet(spoken.text, query)
        if holds(own, query):
            return own
        around = next((text for text in self.conversations.around(spoken) if holds(text, query)), "")
        return f"({snippet(around, query, limit=AROUND_CHARS)}) {own}" if around else own


def _best_of_each(places: Iterable[Place], group_of: Mapping[str, str]) -> list[Place]:
    """The best hit of each group; a group is as good as its best three together."""
    groups: dict[str, list[Place]] = {}
    for place in places:
        groups.setdefault(group_of[place.session], []).append(place)
    scored = [
        replace(group[0], hits=len(group), score=sum(w * one.score for w, one in zip(FOLLOWING, group, strict=False)))
        for group in groups.values()
    ]
    return sorted(scored, key=lambda place: (-place.score, -place.id.seq))

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
from memoryd.memory.search.documents import Spoken
from memoryd.memory.search.port import Found
from memoryd.memory.search.snippets import holds, snippet, speaks_of

GroupBy = Literal["none", "session", "thread"]

ROLE_WEIGHTS: Mapping[Role, float] = {"user": 1.0, "assistant": 0.95, "tool": 0.6}
FRESH_TEXTS = 2_000  #: newest events that are read where the index does not reach
BLOCK = 50  #: hits of the index that are ranked together; blocks never mix, so pages stay as they are
GROUPED = 200  #: best texts that are grouped
FOLLOWING = (1.0, 0.5, 0.25)  #: how much the best texts of a group count
AROUND_CHARS = 120  #: of a neighbour, shown before a text that holds none of the words itself


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHit:
    """A text that answers, or the best one of a group."""

    spoken: Spoken
    score: float  #: 0 to about 1; comparable within one answer
    hits: int = 1  #: texts of its group that answer, among those looked at
    thread: str | None = None  #: `host/id` of the session that it goes back to; only when grouped by thread
    block: int = 0
    snippet: str = ""


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
        return await asyncio.to_thread(self._answer, query, directory, found or [], after, group_by, offset, limit)

    def _answer(
        self, query: str, directory: Path | None, found: Sequence[Found], after: int, group_by: GroupBy,
        offset: int, limit: int,
    ) -> list[TurnHit]:  # fmt: skip
        held = self.conversations.spoken(hit.id for hit in found)
        best = found[0].score if found else 1.0
        hits = [
            TurnHit(spoken=held[hit.id], score=hit.score / best, block=number // BLOCK)
            for number, hit in enumerate(found)
            if hit.id in held
        ]
        fresh = self.conversations.newest(after, FRESH_TEXTS, directory)
        hits += [TurnHit(spoken=spoken, score=score) for spoken in fresh if (score := speaks_of(spoken.text, query))]
        hits = _once([replace(hit, score=hit.score * ROLE_WEIGHTS[hit.spoken.role]) for hit in hits])
        page = self._grouped(hits, group_by)[offset : offset + limit]
        return [replace(hit, snippet=self._snippet(hit.spoken, query)) for hit in page]

    def _grouped(self, hits: list[TurnHit], group_by: GroupBy) -> list[TurnHit]:
        match group_by:
            case "none":
                return hits
            case "session":
                return _best_of_each(hits, {hit.spoken.session: hit.spoken.session for hit in hits})
            case "thread":
                threads = self.conversations.threads({hit.spoken.session for hit in hits})
                return [replace(hit, thread=threads[hit.spoken.session]) for hit in _best_of_each(hits, threads)]

    def _snippet(self, spoken: Spoken, query: str) -> str:
        """Its own words, led by those around it where they are what answers."""
        own = snippet(spoken.text, query)
        if holds(own, query):
            return own
        around = next((text for text in self.conversations.around(spoken) if holds(text, query)), "")
        return f"({snippet(around, query, limit=AROUND_CHARS)}) {own}" if around else own


def _once(hits: Iterable[TurnHit]) -> list[TurnHit]:
    """The best first; a text that the index and the journal both gave stands once."""
    in_order = sorted(hits, key=lambda hit: (hit.block, -hit.score, -hit.spoken.seq, hit.spoken.nth))
    return list({hit.spoken.twin: hit for hit in reversed(in_order)}.values())[::-1]


def _best_of_each(hits: Iterable[TurnHit], group_of: Mapping[str, str]) -> list[TurnHit]:
    """The best hit of each group; a group is as good as its best three together."""
    groups: dict[str, list[TurnHit]] = {}
    for hit in hits:
        groups.setdefault(group_of[hit.spoken.session], []).append(hit)
    scored = [
        replace(group[0], hits=len(group), score=sum(w * hit.score for w, hit in zip(FOLLOWING, group, strict=False)))
        for group in groups.values()
    ]
    return sorted(scored, key=lambda hit: (-hit.score, -hit.spoken.seq))

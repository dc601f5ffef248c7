"""Search over memories: through the index; from the texts themselves where it cannot answer, or not this way."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import Clock
from memoryd.daemon.indexing import Indexer
from memoryd.ipc.methods.memory import Match
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import Root
from memoryd.memory.ranking import Weights
from memoryd.memory.search import memories
from memoryd.memory.search.memories import Hit
from memoryd.memory.shelf import Shelf
from memoryd.memory.sight import Sight

SPARE_HITS = 200  #: of the index, which ranks by words alone


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearch:
    indexer: Indexer
    shelf: Shelf
    weights: Callable[[], Weights]
    clock: Clock

    async def find_now(
        self, query: str, roots: Mapping[Root, Path], team: Catalogue, *, match: Match = "words", limit: int
    ) -> tuple[Catalogue, list[Hit]]:
        """Return the best hits of the files as they are now, and what they stand in.

        A directory that was looked at a moment ago is not looked at again: only its folders and the files of the hits
        are. So no file is shown that is gone or says something else by now, and one that came is found; a file that was
        rewritten in place is found by its new words 2 s later at most.

        :param team: what may be shown of the team's memory
        """
        if sights := self.shelf.sights(roots):
            catalogue = self.shelf.joined(roots).joined(team)
            hits = await self.find(query, roots, catalogue, match=match, limit=limit)
            if await asyncio.to_thread(_hold, sights, hits):
                return catalogue, hits
        await self.shelf.refresh_existing(roots)
        catalogue = self.shelf.joined(roots).joined(team)
        return catalogue, await self.find(query, roots, catalogue, match=match, limit=limit)

    async def find(
        self, query: str, roots: Mapping[Root, Path], catalogue: Catalogue, *, match: Match = "words", limit: int
    ) -> list[Hit]:
        """Return the best hits.

        :param catalogue: of these roots as they were loaded last, and of what else may be shown
        """
        own, theirs = catalogue.apart(Root.TEAM)  # the index holds no files of others
        found = None
        if match in ("words", "any"):
            parts = self.shelf.parts(roots)
            found = await self.indexer.memories(query, parts, every=match == "words", limit=limit + SPARE_HITS)

        def ranked() -> list[Hit]:
            relevant = memories.scaled(found) if found else memories.matching(own, query, match)
            relevant += memories.matching(theirs, query, match)
            return memories.ranked_hits(relevant, query, self.clock(), limit, self.weights())

        return await asyncio.to_thread(ranked)


def _hold(sights: Mapping[Root, Sight], hits: Iterable[Hit]) -> bool:
    """Whether what these looks saw of the hits is so still. Blocking."""
    paths = defaultdict[Root, set[str]](set)
    for hit in hits:
        paths[hit.key.root].add(hit.key.path)
    return all(sight.holds(paths[root]) for root, sight in sights.items())

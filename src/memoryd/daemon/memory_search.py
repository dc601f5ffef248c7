"""Search over memories: through the index; from the texts themselves where it cannot answer, or not this way."""

import asyncio
from collections.abc import Callable, Mapping
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

SPARE_HITS = 200  #: of the index, which ranks by words alone


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearch:
    indexer: Indexer
    shelf: Shelf
    weights: Callable[[], Weights]
    clock: Clock

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

"""Search over memories: through the index; from the texts themselves where it cannot answer, or not this way."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import Clock
from memoryd.daemon.indexing import Indexer
from memoryd.memory.model import Root
from memoryd.memory.ranking import Weights
from memoryd.memory.search import memories
from memoryd.memory.search.memories import Hit, Match
from memoryd.memory.shelf import Shelf

SPARE_HITS = 200  #: of the index, which ranks by words alone


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearch:
    indexer: Indexer
    shelf: Shelf
    weights: Callable[[], Weights]
    clock: Clock

    async def find(self, query: str, roots: Mapping[Root, Path], *, match: Match = "words", limit: int) -> list[Hit]:
        """Return the best hits in these roots, as they were loaded last."""
        found = None
        if match in ("words", "any"):
            parts = self.shelf.parts(roots)
            found = await self.indexer.memories(query, parts, every=match == "words", limit=limit + SPARE_HITS)
        catalogue = self.shelf.joined(roots)

        def ranked() -> list[Hit]:
            relevant = memories.scaled(found) if found else memories.matching(catalogue, query, match)
            return memories.ranked_hits(relevant, query, self.clock(), limit, self.weights())

        return await asyncio.to_thread(ranked)

"""What a model sees that looks for memories: the daemon's own searches, in memories and in past conversations."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from memoryd.daemon.memory_search import MemorySearch
from memoryd.daemon.searching import SessionSearch
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.fence import clean
from memoryd.memory.model import FileKey, Root
from memoryd.worker.agents.question import Look, Looking, Row, Seen, Sought

FOUND = 8  #: hits of one search in memories
SPOKEN = 4  #: texts of one search in past conversations


@dataclass(frozen=True, slots=True, kw_only=True)
class Looker:
    memories: MemorySearch
    sessions: SessionSearch

    def over(
        self, roots: Mapping[Root, Path], catalogue: Catalogue, directory: Path, ids: Mapping[FileKey, str]
    ) -> Looking:
        """Return what answers looks in a place.

        :param catalogue: of what may be shown there
        :param ids: of the entries that may be named; others that are found are there to be read
        """

        async def find(sought: Sought) -> list[Row]:
            if sought.scope == "sessions":
                spoken = await self.sessions.find(sought.query, directory, limit=SPOKEN)
                return [Row(text=f"{s.spoken.at:%Y-%m-%d} {s.spoken.role}: {clean(s.snippet)}") for s in spoken]
            hits = await self.memories.find(sought.query, roots, catalogue, match="any", limit=FOUND)
            return [Row(id=ids.get(hit.key, ""), text=f'"{hit.name}": {clean(hit.snippet)}') for hit in hits]

        async def look(given: Look) -> Seen:
            found = chain.from_iterable(await asyncio.gather(*map(find, given.sought)))
            return Seen(rows=tuple(dict.fromkeys(found)))

        return look

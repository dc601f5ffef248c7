"""The index in the test's own process."""

import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from memoryd.memory.search.documents import Document
from memoryd.memory.search.index import IndexReader, IndexWriter
from memoryd.memory.search.port import Damaged, Field, Found, IndexState, Removal


class DirectIndex:
    """`memory.search.port.Index` without child processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader, self._writer = IndexReader(path), IndexWriter(path)

    def state(self) -> IndexState:
        if not self.path.exists():
            raise Damaged("no index yet")
        return IndexState(**self._reader.state())

    def apply(self, *, add: Sequence[Document], remove: Sequence[Removal], state: IndexState) -> None:
        removals = [(removal.field, removal.value) for removal in remove]
        self._writer.apply(add=[asdict(document) for document in add], remove=removals, state=asdict(state))

    def search(
        self, query: str, *, field: Field, dirs: Sequence[str] = (), every: bool = False, limit: int = 50
    ) -> list[Found]:
        hits = self._reader.search(query, field=field, dirs=dirs, every=every, limit=limit)
        return [Found(id, score) for id, score in hits]

    def near(self, texts: Sequence[str], others: Sequence[str]) -> list[list[float]]:
        return []

    def wipe(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._reader = IndexReader(self.path)

    def rest(self) -> None:
        pass

    def close(self) -> None:
        pass

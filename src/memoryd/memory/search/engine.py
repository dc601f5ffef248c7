"""The index in its child processes: one that reads while there are questions, one that writes while there is news."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from memoryd.memory.search.child import Child
from memoryd.memory.search.documents import Document
from memoryd.memory.search.embedding import EmbedderSpec
from memoryd.memory.search.port import Damaged, Field, Found, IndexState, Removal

VERSION = 5  #: of the schema, of the tokens and of what is taken in; another one is built anew beside it
ANSWER_SECONDS, COMMIT_SECONDS = 30.0, 300.0  #: an embedder loads in seconds, and reads 26 texts a second or more
REST_SECONDS = 60.0  #: a reader that was not asked for that long ends

_MODULE = "memoryd.memory.search.process"


class Engine:
    """`memory.search.port.Index` over tantivy under `<data>/index/`, with vectors if there is an embedder."""

    def __init__(self, folder: Path, embedder: EmbedderSpec | None = None) -> None:
        self.folder = folder
        self.path = folder / (f"v{VERSION}-{embedder.name}" if embedder else f"v{VERSION}")
        self._compares = embedder is not None
        rest = [str(self.path), *([json.dumps(asdict(embedder))] if embedder else [])]
        self._reader = Child(_MODULE, ["read", *rest], seconds=ANSWER_SECONDS)
        self._writer = Child(_MODULE, ["write", *rest], seconds=COMMIT_SECONDS)

    def state(self) -> IndexState:
        if not (self.path / "meta.json").is_file():
            raise Damaged("no index yet")
        return IndexState(**self._reader.ask({})["state"])

    def apply(self, *, add: Sequence[Document], remove: Sequence[Removal], state: IndexState) -> None:
        self._writer.ask(
            {
                "add": [asdict(document) for document in add],
                "remove": [(removal.field, removal.value) for removal in remove],
                "state": asdict(state),
            }
        )

    def search(
        self, query: str, *, field: Field, dirs: Sequence[str] = (), every: bool = False, limit: int = 50
    ) -> list[Found]:
        answer = self._reader.ask({"query": query, "field": field, "dirs": list(dirs), "every": every, "limit": limit})
        return [Found(id, score) for id, score in answer["hits"]]

    def near(self, texts: Sequence[str], others: Sequence[str]) -> list[list[float]]:
        if not (self._compares and texts and others):
            return []
        rows: list[list[float]] = self._reader.ask({"near": list(texts), "others": list(others)})["rows"]
        return rows

    def wipe(self) -> None:
        """Indexes of other versions go too."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def rest(self) -> None:
        self._writer.rest(idle_seconds=0.0)
        self._reader.rest(idle_seconds=REST_SECONDS)

    def close(self) -> None:
        self._writer.end()
        self._reader.end()

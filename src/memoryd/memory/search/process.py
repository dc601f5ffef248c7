"""A process of the index: `python -m memoryd.memory.search.process read|write PATH [EMBEDDER]`.

One JSON object a line in, one out, until its input ends; the daemon's death ends it too. An import of tantivy and an
open index cost 15 MB (a writer 60) that no process gives back, and a file that is cut off under a memory map kills the
process that reads it: so the daemon has neither.
"""

import json
import os
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryd.memory.search import embedding
from memoryd.memory.search.embedding import Embedder, EmbedderSpec
from memoryd.memory.search.index import IndexReader, IndexWriter
from memoryd.memory.search.port import Damaged, Unavailable
from memoryd.memory.words import single

if TYPE_CHECKING:
    from memoryd.memory.search.vectors import VectorReader, VectorWriter

Answer = dict[str, Any]
NEAR_WEIGHT, CJK_NEAR_WEIGHT = 0.3, 0.5  #: of a vector beside the words; pairs of characters tell less than words
NICE = 10  #: of a writer: whoever waits for an answer comes first


def main() -> None:
    mode, path = sys.argv[1], Path(sys.argv[2])
    spec = EmbedderSpec(**json.loads(sys.argv[3])) if len(sys.argv) > 3 else None
    answer = _reading(path, spec) if mode == "read" else _writing(path, spec)
    for line in sys.stdin.buffer:
        sys.stdout.write(json.dumps(_guarded(answer, json.loads(line))) + "\n")
        sys.stdout.flush()


def _reading(path: Path, spec: EmbedderSpec | None) -> Callable[[Answer], Answer]:
    reader = IndexReader(path)
    meaning = Meaning(path, spec) if spec else None

    def answer(asked: Answer) -> Answer:
        if not asked:
            return {"state": reader.state()}
        if "near" in asked:
            return {"rows": meaning.near(asked["near"], asked["others"]) if meaning else []}
        words = reader.search(**asked)
        return {"hits": meaning.joined(words, asked) if meaning and not asked["every"] else words}

    return answer


def _writing(path: Path, spec: EmbedderSpec | None) -> Callable[[Answer], Answer]:
    os.nice(NICE)
    writer = IndexWriter(path)
    meaning = Meaning(path, spec) if spec else None

    def apply(asked: Answer) -> Answer:
        if meaning:
            meaning.add(asked["add"])  # first: a document that is committed has its vector
        writer.apply(**asked)
        return {}

    return apply


class Meaning:
    """Vectors beside the index; the embedder and numpy are loaded when they are first needed."""

    def __init__(self, path: Path, spec: EmbedderSpec) -> None:
        self._path, self._spec = path, spec

    @cached_property
    def _embedder(self) -> Embedder:
        return embedding.load(self._spec)

    @cached_property
    def _writer(self) -> "VectorWriter":
        from memoryd.memory.search.vectors import VectorWriter

        self._path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return VectorWriter(self._path, self._embedder)

    @cached_property
    def _reader(self) -> "VectorReader":
        from memoryd.memory.search.vectors import VectorReader

        return VectorReader(self._path, self._embedder)

    def add(self, documents: list[Answer]) -> None:
        if documents:
            self._writer.add(documents)

    def near(self, texts: list[str], others: list[str]) -> list[list[float]]:
        """How near each text is to each other one: `RELATED` where its embedder begins to call texts related."""
        from memoryd.memory.search.vectors import nearness

        rows: list[list[float]] = nearness(self._embedder, texts, others).tolist()
        return rows

    def joined(self, words: list[tuple[str, float]], asked: Answer) -> list[tuple[str, float]]:
        """The words' answer and the nearest vectors; the words alone while the embedder cannot be asked."""
        from memoryd.memory.search.vectors import fused

        try:
            near = self._reader.search(
                asked["query"], field=asked["field"], dirs=asked["dirs"], limit=asked["limit"],
                also=[id for id, _ in words],
            )  # fmt: skip
        except Unavailable:
            return words
        return fused(words, near, weight=near_weight(asked["query"]))[: asked["limit"]]


def near_weight(query: str) -> float:
    return CJK_NEAR_WEIGHT if single(query) else NEAR_WEIGHT


def _guarded(answer: Callable[[Answer], Answer], asked: Answer) -> Answer:
    try:
        return answer(asked)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the engine is no Exception
        of_engine = isinstance(error, ValueError) and not isinstance(error, UnicodeError)
        damaged = of_engine or isinstance(error, Damaged) or not isinstance(error, Exception)
        said = f"{error}"[:300] if isinstance(error, Damaged | Unavailable) else type(error).__name__
        return {"error": said, "damaged": damaged}  # never what was asked: it ends in a log


if __name__ == "__main__":
    main()

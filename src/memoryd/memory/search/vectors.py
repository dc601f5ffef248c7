"""Vectors beside the words: float16 records in one file, compared with a query by brute force.

Records are only added; a later one with the id or twin of an earlier takes its place. What is no longer in the journal
or the memory is left out by whoever reads the answer, and gone when the index is built again.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memoryd.memory.search.embedding import Embedder
from memoryd.memory.search.port import RELATED, Damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 64  #: texts that are embedded together

_NAME = "vectors.bin"


def _record(dimensions: int) -> "np.dtype[Any]":
    return np.dtype([("id", "S32"), ("dir", "S16"), ("twin", "S24"), ("vector", "<f2", (dimensions,))])


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16].encode()


class VectorWriter:
    """Embeds documents and adds their vectors. A crash leaves at most a part of a record, which is cut off."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._path, self._embedder = folder / _NAME, embedder
        self._known: set[bytes] | None = None

    def add(self, documents: Sequence[Mapping[str, Any]]) -> None:
        """Documents whose id is known keep their vector: an id stands for a text."""
        dimensions = self._embedder.passages(["a"]).shape[1]
        record = _record(dimensions)
        known = self._known_ids(record)
        fresh = [document for document in documents if document["id"].encode() not in known]
        with self._path.open("ab") as file:
            for start in range(0, len(fresh), BATCH):
                part = fresh[start : start + BATCH]
                rows = np.zeros(len(part), record)
                rows["id"] = [document["id"].encode() for document in part]
                rows["dir"] = [_key(document["dir"]) for document in part]
                rows["twin"] = [document["twin"].encode() for document in part]
                rows["vector"] = self._embedder.passages([_said(document) for document in part])
                file.write(rows.tobytes())
        known.update(document["id"].encode() for document in fresh)

    def _known_ids(self, record: "np.dtype[Any]") -> set[bytes]:
        if self._known is None:
            self._path.touch(0o600)
            whole = self._path.stat().st_size // record.itemsize * record.itemsize
            with self._path.open("r+b") as file:
                file.truncate(whole)
            self._known = set(np.fromfile(self._path, record)["id"].tolist())
        return self._known


def _said(document: Mapping[str, Any]) -> str:
    """The turn itself, without what stands around it; a memory whole."""
    texts = document["texts"]
    return str(texts[0][0]) if document["session"] and texts else "\n".join(text for text, _ in texts) or " "


class VectorReader:
    """Compares a query with every vector."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._path, self._embedder = folder / _NAME, embedder
        self._size = -1
        self._rows: Any = None
        self._matrix: NDArray[np.float32] | None = None
        self._places: dict[bytes, int] = {}

    def search(
        self, query: str, *, field: str, dirs: Sequence[str], limit: int, also: Iterable[str] = ()
    ) -> dict[str, float]:
        """Return how near the nearest documents are, and those of `also`: 0 for the farthest of all, 1 for the nearest.

        Only documents that reach the embedder's floor or stand in `also`.

        :raises Damaged: the file is not what was written
        """
        rows, matrix, places = self._fresh()
        wanted = (rows["twin"] != b"") if field == "turn" else (rows["twin"] == b"")
        if dirs:
            wanted &= np.isin(rows["dir"], [_key(directory) for directory in dirs])
        if not wanted.any():
            return {}
        cosines = matrix @ self._embedder.query(query)[0]
        low, high = cosines[wanted].min(), cosines[wanted].max()
        ranked = np.where(wanted, cosines, -2.0)
        best = np.argpartition(-ranked, min(limit, len(ranked) - 1))[:limit]
        near = {int(n) for n in best if ranked[n] >= self._embedder.floor}
        near |= {place for id in also if (place := places.get(id.encode())) is not None}
        return {rows["id"][n].decode(): float((cosines[n] - low) / ((high - low) or 1.0)) for n in near}

    def _fresh(self) -> "tuple[Any, NDArray[np.float32], Mapping[bytes, int]]":
        try:
            size = self._path.stat().st_size
        except FileNotFoundError:
            size = 0
        if size != self._size or self._matrix is None:
            record = _record(self._embedder.query("a").shape[1])
            rows = np.fromfile(self._path, record) if size else np.zeros(0, record)
            if len(rows) * record.itemsize < size - record.itemsize:
                raise Damaged("the vectors are not what was written")
            last = {row["twin"] or row["id"]: n for n, row in enumerate(rows)}
            self._rows = rows[sorted(last.values())]
            self._matrix, self._size = self._rows["vector"].astype(np.float32), size
            self._places = {id: n for n, id in enumerate(self._rows["id"].tolist())}
        return self._rows, self._matrix, self._places


def nearness(embedder: Embedder, texts: Sequence[str], others: Sequence[str]) -> "NDArray[np.float32]":
    """Return a row for each text: 1 for the same, `RELATED` at the embedder's own bound, 0 for what has nothing in
    common.
    """
    cosines, bound = embedder.passages(texts) @ embedder.passages(others).T, embedder.related
    above = RELATED + (1 - RELATED) * (cosines - bound) / (1 - bound)
    scaled: NDArray[np.float32] = np.clip(np.where(cosines >= bound, above, RELATED * cosines / bound), 0.0, 1.0)
    return scaled


def fused(words: Sequence[tuple[str, float]], near: Mapping[str, float], *, weight: float) -> list[tuple[str, float]]:
    """Join both answers, each from 0 to 1, the nearness times a weight; the best first."""
    scores = {id: score / words[0][1] for id, score in words} if words else {}
    for id, nearness in near.items():
        scores[id] = scores.get(id, 0.0) + weight * nearness
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))

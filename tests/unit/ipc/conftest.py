"""A short folder for sockets, and the recordings that lie beside the checkout."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.recordings import shared_hosts


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A private folder whose path leaves room for a socket's name (the system allows 104 bytes)."""
    folder = Path(tempfile.mkdtemp(prefix="md"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def socket_path(short_dir: Path) -> Path:
    return short_dir / "run" / "memoryd.sock"


@pytest.fixture
def recordings() -> Path:
    """The folder `hosts` of `$MEMORYD_SHARED`, else of `../shared` beside the checkout."""
    return shared_hosts()

"""What the tests of the whole daemon share."""

from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path) -> str:
    """The folder of a project."""
    (tmp_path / "lantern").mkdir()
    return str(tmp_path / "lantern")

"""What the tests of the whole daemon share."""

from pathlib import Path

import pytest

from memoryd.daemon import binding


@pytest.fixture
def project(tmp_path: Path) -> str:
    """The folder of a project."""
    (tmp_path / "lantern").mkdir()
    return str(tmp_path / "lantern")


@pytest.fixture(autouse=True)
def a_busy_machine_is_no_slow_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that run beside others would else, once in a while, bind a session to the user's memory."""
    monkeypatch.setattr(binding, "PROJECT_SECONDS", binding.ASKED_SECONDS)

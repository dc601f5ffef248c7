"""What the tests of the whole daemon share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from support.daemons import places
from support.turns import MONDAY, Clock, Talk

from memoryd.daemon.config import Config
from memoryd.daemon.daemon import Daemon


@pytest.fixture
def project(tmp_path: Path) -> str:
    """The folder of a project."""
    (tmp_path / "lantern").mkdir()
    return str(tmp_path / "lantern")


@pytest.fixture
def clock() -> Clock:
    return Clock(MONDAY)


@pytest.fixture
async def talk(home: Path, project: str, clock: Clock) -> AsyncIterator[Talk]:
    """A daemon that does nothing by itself, and whose turns are told to it; a test may put another in its place."""
    one = Talk(await Daemon.open(places(home), Config(), clock=clock), clock, project)
    yield one
    await one.daemon.close()

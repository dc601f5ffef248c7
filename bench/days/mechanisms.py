"""The mechanisms by which memory matures, and how the days are lived without one of them, or with one more."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from unittest.mock import patch

from memoryd.daemon import maintenance
from memoryd.daemon.expiring import Expiry


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """What leaves it out, or adds it: settings, or a part of the program put out of use."""

    settings: str = ""  #: the configuration file
    without: Callable[[], AbstractContextManager[object]] = nullcontext


def _no_task(name: str) -> Callable[[], AbstractContextManager[object]]:
    assert name in maintenance.TASKS
    return lambda: patch.object(maintenance, "TASKS", tuple(task for task in maintenance.TASKS if task != name))


def _no_expiry() -> AbstractContextManager[object]:
    return patch.object(Expiry, "archive", _nothing)


async def _nothing(self: Expiry) -> None:
    pass


ALL = Mechanism()
MECHANISMS = {
    "without reflection, procedures, instincts": Mechanism(settings="memory.reflect = false\n"),
    "without the merge of old sessions": Mechanism(without=_no_task("merge")),
    "without forgetting, but for expiry": Mechanism(without=_no_task("forget")),
    "without the expiry of what was only seen": Mechanism(without=_no_expiry),
    "with dreaming": Mechanism(settings="[dreaming]\nenabled = true\n"),
}

"""The mechanisms by which memory matures, and how the days are lived without one of them."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from unittest.mock import patch

from memoryd.daemon import maintenance
from memoryd.daemon.config import Config, Memory
from memoryd.daemon.expiring import Expiry


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """What leaves it out: settings, or a part of the program put out of use."""

    config: Config = field(default_factory=Config)
    without: Callable[[], AbstractContextManager[object]] = nullcontext


def _no_task(name: str) -> Callable[[], AbstractContextManager[object]]:
    assert name in maintenance.TASKS
    return lambda: patch.object(maintenance, "TASKS", tuple(task for task in maintenance.TASKS if task != name))


def _no_expiry() -> AbstractContextManager[object]:
    return patch.object(Expiry, "anything", lambda self, now: False)


ALL = Mechanism()
MECHANISMS = {
    "reflection and procedures": Mechanism(config=Config(memory=Memory(reflect=False))),
    "the merge of old sessions": Mechanism(without=_no_task("merge")),
    "the expiry of what was only seen": Mechanism(without=_no_expiry),
}

"""The mechanisms by which memory matures, and how a daemon is left without one of them."""

from dataclasses import dataclass, field
from datetime import datetime

from bench.days.living import Without
from memoryd.daemon import maintenance
from memoryd.daemon.config import Config, Memory
from memoryd.daemon.daemon import Daemon


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """What leaves it out: settings, or a change of the daemon."""

    config: Config = field(default_factory=Config)
    without: Without | None = None


def _no_expiry(daemon: Daemon) -> None:
    def nothing(now: datetime) -> bool:
        return False

    daemon.sweep.expiry.anything = nothing  # type: ignore[method-assign]


def _no_task(name: str) -> Without:
    def leave_out(daemon: Daemon) -> None:
        whole = daemon.maintenance.run

        async def run(task: str) -> tuple[str, ...]:
            return () if task == name else await whole(task)

        daemon.maintenance.run = run  # type: ignore[method-assign]

    assert name in maintenance.TASKS
    return leave_out


MECHANISMS = {
    "reflection and procedures": Mechanism(config=Config(memory=Memory(reflect=False))),
    "the merge of old sessions": Mechanism(without=_no_task("merge")),
    "the expiry of what was only seen": Mechanism(without=_no_expiry),
}

"""What models have cost, what is left, and why none is called now. Blocking."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from memoryd.clock import Clock, rfc3339
from memoryd.daemon.config import Config
from memoryd.daemon.journal.ledger import JournalLedger
from memoryd.daemon.journal.outages import JournalBreaker
from memoryd.daemon.journal.store import Row, Store
from memoryd.daemon.journal.usage import JournalUsage
from memoryd.ipc.methods.usage import By, LimitState, Spent, Usage

FAILING_RUNS = 3  #: in a row, after which the agent is said to fail


@dataclass(slots=True, kw_only=True)
class Spending:
    journal: Store
    ledger: JournalLedger
    breaker: JournalBreaker
    config: Callable[[], Config]
    clock: Clock
    sums: JournalUsage = field(init=False)

    def __post_init__(self) -> None:
        self.sums = JournalUsage(self.journal)

    def paused_until(self) -> datetime | None:
        """When the next call may be made, while an outage lasts or a limit is used up; nothing of it holds rules up."""
        if self.config().agent.kind == "rules":
            return None
        now = self.clock()
        outage = self.breaker.paused(now)
        ends = [window.frees_at for window in self.ledger.windows(now) if window.full]
        return max(ends + ([outage.until] if outage else []), default=None)

    def hindrances(self) -> list[str]:
        """An outage, and an agent that fails run by run, for `memoryd status`; a job that waits says so itself."""
        if self.config().agent.kind == "rules":
            return []
        return [*self._outage(), *self._failing()]

    def _outage(self) -> Iterator[str]:
        if outage := self.breaker.paused(self.clock()):
            until = f"no model is called until {rfc3339(outage.until)}, what is due waits"
            yield f"{until} ({outage.code}: {outage.reason}); `memoryd consolidate` tries at once"

    def _failing(self) -> Iterator[str]:
        """After runs that the rules had to take over, until one of the agent's own succeeds."""
        rows = self.sums.newest_ends(FAILING_RUNS)
        if len(rows) == FAILING_RUNS and all(row["outcome"] in ("failed", "rejected") for row in rows):
            last = f"the last {FAILING_RUNS} runs of the {self.config().agent.kind} agent failed"
            yield f"{last}, the rules take over what it fails on ({rows[0]['reason']}); see `memoryd config agent`"

    def usage(self, days: int, by: By) -> Usage:
        """Sums of the last days, today included; by day one row for each, those without a call too."""
        today = self.clock().astimezone().date()
        since = today - timedelta(days=days - 1)
        rows = self.sums.rows(since, by)
        each = _each_day(rows, since, today) if by == "day" else [Spent(**row) for row in rows]
        limits = tuple(
            LimitState(setting=w.setting, limit=w.limit, used=w.used, frees_at=w.frees_at)
            for w in self.ledger.windows(self.clock())
        )
        return Usage(
            agent=self.config().agent.kind, by=by, rows=tuple(each), total=_total(each), limits=limits,
            memories_of_rules=self.sums.memories_of_rules(since), unpriced=self._unpriced(since),
        )  # fmt: skip

    def _unpriced(self, since: date) -> tuple[str, ...]:
        models = self.sums.rows(since, "model")
        return tuple(row["key"] for row in models if row["tokens_in"] + row["tokens_out"] and not row["usd"])


def _each_day(rows: Iterable[Row], since: date, today: date) -> list[Spent]:
    found = {row["key"]: Spent(**row) for row in rows}
    days = ((since + timedelta(days=n)).isoformat() for n in range((today - since).days + 1))
    return [found.pop(day, Spent(key=day)) for day in days] + list(found.values())  # a clock was set back: later days


def _total(rows: Iterable[Spent]) -> Spent:
    amounts = [row.model_dump(exclude={"key"}) for row in rows]
    return Spent(**{name: sum(row[name] for row in amounts) for name in Spent.model_fields if name != "key"})

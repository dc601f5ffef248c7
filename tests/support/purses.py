"""A ledger and a breaker in memory."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memoryd.worker.budget import BudgetSpent, Cost, Need
from memoryd.worker.ports import Outage


@dataclass
class MemoryLedger:
    """Grants calls until `calls` are used up."""

    calls: int = 100
    not_before: datetime | None = None
    reserved: dict[str, tuple[str, Need]] = field(default_factory=dict)
    settled: dict[str, Cost] = field(default_factory=dict)

    def reserve(self, run_id: str, need: Need, now: datetime) -> str:
        if len(self.reserved) >= self.calls:
            raise BudgetSpent(f"{self.calls} calls are used up", self.not_before)
        reservation = f"{run_id}/{len(self.reserved)}"
        self.reserved[reservation] = (run_id, need)
        return reservation

    def settle(self, reservation: str, cost: Cost) -> None:
        self.settled.setdefault(reservation, cost)


@dataclass
class MemoryBreaker:
    """One minute, doubled by each outage in a row."""

    outage: Outage | None = None
    outages: int = 0

    def paused(self, now: datetime) -> Outage | None:
        return self.outage if self.outage is not None and self.outage.until > now else None

    def failed(
        self, code: str, reason: str, now: datetime, retry_after_seconds: float | None = None, *, counts: bool = True
    ) -> Outage:
        self.outages += counts
        seconds = retry_after_seconds or 60.0 * 2 ** max(self.outages - 1, 0)
        self.outage = Outage(code=code, reason=reason, until=now + timedelta(seconds=seconds))
        return self.outage

    def succeeded(self) -> None:
        self.outage, self.outages = None, 0

"""The ledger under every order of reservations, settlements, crashes, clocks and limits."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.events import START
from support.zones import zone

from memoryd.daemon.config import Budget
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.ledger import JournalLedger, Payer
from memoryd.worker.budget import BudgetSpent, Cost, Need

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PAYER = Payer(agent="model", model="fake:one")


def ledger_of(journal: Journal, limits: Budget) -> JournalLedger:
    return JournalLedger(journal, lambda: limits, lambda: PAYER)


@dataclass
class Held:
    """A reservation as the oracle sees it."""

    run: str
    need: Need
    at: datetime
    cost: Cost | None = None

    @property
    def tokens(self) -> int:
        return self.need.tokens if self.cost is None else self.cost.tokens_in + self.cost.tokens_out

    @property
    def usd(self) -> float:
        return self.need.usd if self.cost is None else self.cost.usd


@dataclass
class Oracle:
    """The limits by the book: whatever was granted counts in its window, in a time that never goes back."""

    held: dict[str, Held] = field(default_factory=dict)

    def time(self, now: datetime) -> datetime:
        return max([now, *(one.at for one in self.held.values())])

    def allows(self, run: str, need: Need, now: datetime, limits: Budget) -> bool:
        at = self.time(now)
        today = [one for one in self.held.values() if one.at.date() == at.date()]
        of_run = [one for one in self.held.values() if one.run == run]
        hour = [one for one in self.held.values() if one.at > at - HOUR]
        return (
            sum(one.need.calls for one in hour) + need.calls <= limits.calls_per_hour
            and sum(one.need.calls for one in today) + need.calls <= limits.calls_per_day
            and sum(one.tokens for one in of_run) + need.tokens <= limits.tokens_per_run
            and sum(one.tokens for one in today) + need.tokens <= limits.tokens_per_day
            and sum(one.usd for one in today) + need.usd <= limits.usd_per_day + 1e-9
        )


NEEDS = st.builds(
    Need, calls=st.integers(1, 3), tokens=st.integers(0, 1500), usd=st.sampled_from([0.0, 0.01, 0.1, 0.3, 0.7])
)
COSTS = st.builds(
    Cost, tokens_in=st.integers(0, 2000), tokens_out=st.integers(0, 500), usd=st.sampled_from([0.0, 0.1, 0.2, 0.9])
)
LIMITS = st.builds(
    Budget, calls_per_hour=st.integers(0, 6), calls_per_day=st.integers(0, 12), tokens_per_run=st.integers(1000, 4000),
    tokens_per_day=st.integers(0, 8000), usd_per_day=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
)  # fmt: skip


class Ledger(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.now = START
        self.limits = Budget(calls_per_hour=4, calls_per_day=8, tokens_per_run=4000, tokens_per_day=8000)
        self.oracle = Oracle()
        self.open()

    def open(self) -> None:
        self.journal = Journal.open(Path(self.folder.name) / "state.db", clock=lambda: self.now)
        self.ledger = JournalLedger(self.journal, lambda: self.limits, lambda: PAYER)

    @rule(run=st.sampled_from(["r1", "r2", "r3"]), need=NEEDS)
    def reserve(self, run: str, need: Need) -> None:
        allowed = self.oracle.allows(run, need, self.now, self.limits)
        try:
            reservation = self.ledger.reserve(run, need, self.now)
        except BudgetSpent as error:
            assert not allowed
            self.check_wait(run, need, error)
        else:
            assert allowed
            self.oracle.held[reservation] = Held(run, need, self.oracle.time(self.now))

    def check_wait(self, run: str, need: Need, error: BudgetSpent) -> None:
        """Waiting helps as long as one was told to, unless the limits themselves are too small for the call."""
        if error.not_before is None:
            return
        assert error.not_before > self.now
        if Oracle().allows("fresh", need, self.now, self.limits):
            assert self.oracle.allows("fresh", need, error.not_before, self.limits)

    @precondition(lambda self: self.oracle.held)
    @rule(pick=st.randoms(use_true_random=False), cost=COSTS)
    def settle(self, pick: Any, cost: Cost) -> None:
        reservation = pick.choice(list(self.oracle.held))  # in the order of their making: their ids are random
        self.ledger.settle(reservation, cost)
        held = self.oracle.held[reservation]
        held.cost = held.cost or cost  # the first word counts

    @rule()
    def settle_what_nobody_reserved(self) -> None:
        self.ledger.settle("none", Cost(tokens_in=7, usd=7))

    @rule()
    def crash(self) -> None:
        self.journal.close()
        self.open()

    @rule(minutes=st.sampled_from([1, 20, 59, 60, 61, 600, 24 * 60]))
    def wait(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule(hours=st.sampled_from([1, 5, 24, 72]))
    def set_the_clock_back(self, hours: int) -> None:
        self.now -= timedelta(hours=hours)

    @rule(limits=LIMITS)
    def change_the_limits(self, limits: Budget) -> None:
        self.limits = limits

    @invariant()
    def stats_are_the_sum_of_what_was_settled(self) -> None:
        settled = [one.cost for one in self.oracle.held.values() if one.cost is not None]
        stats = History(self.journal).stats()
        assert stats["tokens_in"] == sum(cost.tokens_in for cost in settled)
        assert stats["tokens_out"] == sum(cost.tokens_out for cost in settled)
        assert stats["cost_usd"] == pytest.approx(sum(cost.usd for cost in settled))

    def teardown(self) -> None:
        self.journal.close()
        self.folder.cleanup()


@pytest.fixture(autouse=True, scope="module")
def utc() -> Iterator[None]:
    """The oracle's days are UTC's."""
    with zone("UTC0"):
        yield


TestLedger = pytest.mark.filterwarnings("ignore::ResourceWarning")(Ledger.TestCase)
TestLedger.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal.open(tmp_path / "state.db")
    yield journal
    journal.close()


BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"
SANTIAGO = "<-04>4<-03>,M9.1.6/24,M4.1.6/24"  #: its clock is put forward at midnight


@pytest.mark.parametrize(
    ("rule", "spent_at", "frees_at"),
    [
        (BERLIN, "2026-10-24T23:30:00+02:00", "2026-10-25T00:00:00+02:00"),
        (BERLIN, "2026-10-25T00:30:00+02:00", "2026-10-26T00:00:00+01:00"),  # a day of 25 hours
        (BERLIN, "2026-03-29T00:30:00+01:00", "2026-03-30T00:00:00+02:00"),  # of 23
        (SANTIAGO, "2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00"),  # a night without midnight
    ],
)
def test_a_day_ends_at_the_local_midnight(journal: Journal, rule: str, spent_at: str, frees_at: str) -> None:
    ledger = ledger_of(journal, Budget(usd_per_day=1.0))
    spent, free = datetime.fromisoformat(spent_at), datetime.fromisoformat(frees_at)
    with zone(rule):
        ledger.reserve("r", Need(usd=0.6), spent)
        with pytest.raises(BudgetSpent) as refused:
            ledger.reserve("r", Need(usd=0.6), spent)
        assert refused.value.not_before == free
        with pytest.raises(BudgetSpent):
            ledger.reserve("r", Need(usd=0.6), free - timedelta(seconds=1))
        ledger.reserve("r", Need(usd=0.6), free)


def test_a_journey_to_the_west_gives_no_second_day(journal: Journal) -> None:
    ledger = ledger_of(journal, Budget(calls_per_day=1))
    with zone("<+14>-14"):
        ledger.reserve("r", Need(), START)
    with zone("<-12>12"), pytest.raises(BudgetSpent):
        ledger.reserve("r", Need(), START + timedelta(hours=2))


def test_the_hour_frees_when_the_oldest_call_is_an_hour_old(journal: Journal) -> None:
    ledger = ledger_of(journal, Budget(calls_per_hour=2))
    for minutes in (0, 10):
        ledger.reserve("r", Need(), START + timedelta(minutes=minutes))
    with pytest.raises(BudgetSpent, match="calls_per_hour is 2, 2 are used and 1 more are wanted") as refused:
        ledger.reserve("r", Need(), START + timedelta(minutes=20))
    assert refused.value.not_before == START + HOUR
    with pytest.raises(BudgetSpent):
        ledger.reserve("r", Need(), START + HOUR - timedelta(milliseconds=1))
    ledger.reserve("r", Need(), START + HOUR)


def test_a_clock_that_was_put_back_for_a_while_frees_no_call(journal: Journal) -> None:
    ledger = ledger_of(journal, Budget(calls_per_hour=2))
    for at in (START, START - 2 * HOUR):
        ledger.reserve("r", Need(), at)
    with pytest.raises(BudgetSpent, match="calls_per_hour is 2, 2 are used"):
        ledger.reserve("r", Need(), START + timedelta(minutes=1))


def test_only_the_first_word_about_a_cost_counts(journal: Journal) -> None:
    ledger = ledger_of(journal, Budget())
    call = ledger.reserve("r", Need(tokens=1000), START)
    for tokens in (100, 0):
        ledger.settle(call, Cost(tokens_in=tokens))
    (used,) = [window.used for window in ledger.windows(START) if window.setting == "tokens_per_day"]
    assert used == 100


def test_a_run_that_has_used_up_its_own_tokens_is_not_told_to_wait(journal: Journal) -> None:
    ledger = ledger_of(journal, Budget(tokens_per_run=2_000_000, tokens_per_day=10**7))
    ledger.reserve("r", Need(tokens=1_900_000), START)
    with pytest.raises(BudgetSpent, match="tokens_per_run is 2000000, 1900000 are used and 200000 more") as refused:
        ledger.reserve("r", Need(tokens=200_000), START)
    assert refused.value.not_before is None
    ledger.reserve("another", Need(tokens=200_000), START)


@pytest.mark.parametrize("setting", ["calls_per_hour", "calls_per_day", "tokens_per_day", "usd_per_day"])
def test_zero_allows_nothing(journal: Journal, setting: str) -> None:
    ledger = ledger_of(journal, Budget.model_validate({setting: 0}))
    with pytest.raises(BudgetSpent, match=setting):
        ledger.reserve("r", Need(tokens=1, usd=0.001), START)


def test_no_money_allows_what_costs_none(journal: Journal) -> None:
    assert ledger_of(journal, Budget(usd_per_day=0)).reserve("r", Need(tokens=10), START)


def test_a_settlement_gives_back_what_was_not_spent_and_counts_in_full_what_was_above(journal: Journal) -> None:
    ledger = ledger_of(journal, Budget(tokens_per_day=1000, usd_per_day=1.0))
    first = ledger.reserve("r1", Need(tokens=1000, usd=1.0), START)
    ledger.settle(first, Cost(tokens_in=90, tokens_out=10, usd=0.25))
    second = ledger.reserve("r2", Need(tokens=900, usd=0.75), START)
    ledger.settle(second, Cost(tokens_in=5000, tokens_out=1, usd=2.0))
    used = {window.setting: window.used for window in ledger.windows(START)}
    assert used == {"calls_per_hour": 2, "calls_per_day": 2, "tokens_per_day": 5101, "usd_per_day": 2.25}


@pytest.mark.parametrize("amount", [{"tokens_in": -1}, {"usd": -0.5}, {"usd": float("nan")}, {"usd": float("inf")}])
def test_a_cost_cannot_be_what_would_free_money(amount: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="1 validation error"):
        Cost.model_validate(amount)


def test_where_a_limit_allows_no_call_at_all_waiting_is_not_advised(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "state.db", clock=lambda: START)
    for calls, advised in ((0, False), (1, True)):
        ledger = JournalLedger(journal, lambda: Budget(calls_per_hour=1), lambda: Payer(agent="model", model="m"))
        if not calls:
            ledger = JournalLedger(journal, lambda: Budget(calls_per_hour=0), lambda: Payer(agent="model", model="m"))
        else:
            ledger.reserve("r", Need(), START)
        with pytest.raises(BudgetSpent) as caught:
            ledger.reserve("r", Need(), START)
        assert ("wait" in str(caught.value)) is advised
        assert caught.value.not_before is not None
    journal.close()

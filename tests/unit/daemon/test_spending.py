"""Sums of what was spent, what is left, and why no model is called."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from support.events import START
from support.zones import zone

from memoryd.clock import rfc3339
from memoryd.daemon.config import Agent, Budget, Config
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.ledger import JournalLedger, Payer
from memoryd.daemon.journal.outages import JournalBreaker
from memoryd.daemon.journal.upkeep import Upkeep
from memoryd.daemon.spending import Spending
from memoryd.ipc.methods.usage import Spent
from memoryd.worker.budget import Cost, Need

DAY = timedelta(days=1)


class Books:
    """A journal whose clock a test turns."""

    def __init__(self, folder: Path) -> None:
        self.now = START
        self.config = Config(agent=Agent(kind="model", model="acme:large"), budget=Budget(usd_per_day=100))
        self.payer = Payer(agent="model", model="acme:large")
        self.journal = Journal.open(folder / "state.db", clock=lambda: self.now)
        self.spending = Spending(
            journal=self.journal, breaker=JournalBreaker(self.journal), config=lambda: self.config,
            ledger=JournalLedger(self.journal, lambda: self.config.budget, lambda: self.payer), clock=lambda: self.now,
        )  # fmt: skip

    def run(self, run_id: str, directory: str, memories: int, agent: str = "model") -> None:
        self.journal.execute(
            "insert into runs (id, dir, author, action, agent, outcome, started_at, memories)"
            " values (?,?,'run','consolidate',?,'applied',?,?)",
            run_id, directory, agent, rfc3339(self.now), memories,
        )  # fmt: skip

    def call(self, run_id: str, cost: Cost | None, need: Need | None = None) -> None:
        ledger = self.spending.ledger
        reservation = ledger.reserve(run_id, need or Need(tokens=1000, usd=0.5), self.now)
        if cost is not None:
            ledger.settle(reservation, cost)


@pytest.fixture
def books(tmp_path: Path) -> Iterator[Books]:
    with zone("UTC0"):
        found = Books(tmp_path)
        yield found
        found.journal.close()


def by_key(rows: tuple[Spent, ...]) -> dict[str, Spent]:
    return {row.key: row for row in rows}


def test_sums_by_day_model_and_project_are_of_the_same_calls(books: Books) -> None:
    books.run("r1", "/m/a", memories=3)
    books.call("r1", Cost(tokens_in=100, tokens_out=10, tokens_cached=40, usd=0.2))
    books.call("r1", Cost())  # the provider was down: no answer
    books.now += DAY
    books.run("r2", "/m/b", memories=1)
    books.payer = Payer(agent="command", model="claude")
    books.call("r2", Cost(tokens_in=900, tokens_out=500))  # more than was set aside, at no known price
    books.call("r2", None)
    books.run("r3", "/m/b", memories=7, agent="rules")
    days = books.spending.usage(3, "day")
    assert [row.key for row in days.rows] == ["2026-11-29", "2026-11-30", "2026-12-01"]
    assert days.rows[0] == Spent(key="2026-11-29")
    first = Spent(
        calls=2, failed_calls=1, tokens_in=100, tokens_out=10, tokens_cached=40, usd=0.2, memories=3
    )  # fmt: skip
    second = Spent(
        calls=2, tokens_in=900, tokens_out=500, unsettled_calls=1, unsettled_tokens=1000, unsettled_usd=0.5,
        calls_above=1, memories=1,
    )  # fmt: skip
    for by, keys in (
        ("day", ("2026-11-30", "2026-12-01")), ("model", ("acme:large", "claude")), ("project", ("/m/a", "/m/b"))
    ):  # fmt: skip
        found = books.spending.usage(3, by)  # type: ignore[arg-type]
        assert by_key(found.rows)[keys[0]] == first.model_copy(update={"key": keys[0]})
        assert by_key(found.rows)[keys[1]] == second.model_copy(update={"key": keys[1]})
        assert found.total == days.total
    assert (days.total.calls, days.total.memories, days.memories_of_rules) == (4, 4, 7)
    assert days.unpriced == ("claude",)
    assert books.spending.usage(1, "day").total.calls == 2


def test_calls_pause_until_the_outage_and_the_limits_that_are_used_up_have_ended(books: Books) -> None:
    assert books.spending.paused_until() is None
    books.spending.breaker.failed("provider-down", "cannot reach acme; look at the network", START)
    assert books.spending.paused_until() == START + timedelta(minutes=1)
    (note,) = books.spending.hindrances()
    assert "2026-11-30T08:01:00.000Z" in note
    assert "(provider-down: cannot reach acme; look at the network); `memoryd consolidate` tries at once" in note
    books.config = books.config.model_copy(update={"budget": Budget(tokens_per_day=1000)})
    books.call("r", None)
    assert books.spending.paused_until() == datetime.fromisoformat("2026-12-01T00:00:00Z")
    books.now += DAY
    assert (books.spending.paused_until(), books.spending.hindrances()) == (None, [])


def test_nothing_holds_the_rules_up(books: Books) -> None:
    books.spending.breaker.failed("quota", "add credit", START)
    books.config = Config(budget=Budget(calls_per_day=0))
    assert (books.spending.paused_until(), books.spending.hindrances()) == (None, [])


def test_no_money_does_not_pause_a_model_that_costs_none(books: Books) -> None:
    books.config = books.config.model_copy(update={"budget": Budget(usd_per_day=0)})
    assert books.spending.paused_until() is None


def test_old_reservations_are_removed_with_old_events(books: Books) -> None:
    books.call("r", Cost(tokens_in=1, tokens_out=1, usd=1))
    books.now += 10 * DAY
    books.call("r", Cost(tokens_in=2, tokens_out=1, usd=1))
    Upkeep(books.journal).retain(books.now, days=5, max_bytes=10**9)
    assert books.spending.usage(30, "day").total.tokens_in == 2


def test_an_agent_whose_newest_runs_all_failed_is_told_until_one_succeeds(books: Books) -> None:
    def ended(run_id: str, outcome: str, agent: str | None = None) -> list[str]:
        books.now += timedelta(minutes=1)
        books.journal.execute(
            "insert into runs (id, dir, author, action, agent, outcome, reason, started_at)"
            " values (?,'/m/a','run','consolidate',?,?,'bad-answer: a larger model may',?)",
            run_id, agent, outcome, rfc3339(books.now),
        )  # fmt: skip
        return books.spending.hindrances()

    assert [ended("r1", "failed"), ended("r2", "rejected"), ended("r3", "deferred")] == [[], [], []]
    (note,) = ended("r4", "failed")
    assert "the last 3 runs of the model agent failed" in note
    assert "bad-answer: a larger model may" in note
    assert ended("r5", "applied", "rules") == ended("r6", "no_change") == [note]
    assert ended("r7", "applied", "model") == []

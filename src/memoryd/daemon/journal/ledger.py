"""The ledger: what calls to a model may cost is set aside before they are made, what they did cost is noted after.

A reservation counts with what it may cost until it is settled, and for ever if it never is: a crash frees no money.
The ledger's time never goes back, so neither does a clock that is set back, nor a journey to the west.
"""

import sqlite3
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import structlog

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.config import Budget
from memoryd.daemon.journal.counting import add_to_stats
from memoryd.daemon.journal.store import Store
from memoryd.worker.budget import BudgetSpent, Cost, Need

HOUR = timedelta(hours=1)
USD_DUST = 1e-9  #: what adding floats may be wrong by

MIGRATION = """
    -- one call to a model each, or a few; what was spent is null until it is settled
    create table reservations (
        id text primary key, run_id text not null, dir text not null, agent text not null, model text not null,
        at text not null, day text not null,         -- of the ledger; the day is a local date
        calls integer not null, tokens integer not null, usd real not null,
        settled_at text, tokens_in integer, tokens_out integer, tokens_cached integer, spent_usd real
    ) without rowid;
    create index reservations_by_time on reservations (at);
    create index reservations_by_day on reservations (day);
    create index reservations_by_run on reservations (run_id);
    alter table runs add column memories integer not null default 0;  -- lines of core files and entries that it wrote
"""

_CALLS, _TOKENS, _USD = "sum(calls)", "sum(coalesce(tokens_in + tokens_out, tokens))", "sum(coalesce(spent_usd, usd))"

log = structlog.get_logger("budget")


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """Who asks the model, for the table of what was spent."""

    agent: str  #: model, command
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One limit of `[budget]` and what counts against it now."""

    setting: str
    limit: float
    used: float
    frees_at: datetime  #: when what is wanted has room, or the window is a new one

    @property
    def full(self) -> bool:
        """Nothing more is allowed; where no money is, what costs none still is."""
        return self.used + USD_DUST >= self.limit and (self.used > 0 or self.setting != "usd_per_day")

    def has_room_for(self, amount: float) -> bool:
        return self.used + amount <= self.limit + USD_DUST


@dataclass(frozen=True, slots=True)
class JournalLedger:
    """`worker.ports.Ledger` on the journal's tables."""

    journal: Store
    limits: Callable[[], Budget]  #: those in force now: a reload holds at once
    payer: Callable[[], Payer]
    directory: str = ""  #: of what no run asks for

    def reserve(self, run_id: str, need: Need, now: datetime) -> str:
        limits, payer = self.limits(), self.payer()
        return self.journal.write(
            lambda connection: _reserve(connection, run_id, need, now, limits, payer, self.directory)
        )

    def settle(self, reservation: str, cost: Cost) -> None:
        now = rfc3339(self.journal.clock())
        over = self.journal.write(lambda connection: _settle(connection, reservation, cost, now))
        if over:
            log.warning("budget.exceeded", run=over, tokens=cost.tokens_in + cost.tokens_out, usd=cost.usd)

    def windows(self, now: datetime) -> list[Window]:
        """Each limit of an hour or a day, and what is used of it."""
        limits = self.limits()

        def read(connection: sqlite3.Connection) -> list[Window]:
            at, day = _time(connection, now)
            return _windows(connection, Need(), at, day, limits)

        return self.journal.read(read)


def _reserve(
    connection: sqlite3.Connection, run_id: str, need: Need, now: datetime, limits: Budget, payer: Payer, directory: str
) -> str:
    """In one transaction: what is left, and the row that takes from it."""
    at, day = _time(connection, now)
    _require_room_of_run(connection, run_id, need, limits)
    _require_room(_windows(connection, need, at, day, limits), need)
    reservation = uuid.uuid4().hex
    connection.execute(
        "insert into reservations (id, run_id, dir, agent, model, at, day, calls, tokens, usd)"
        " values (?1, ?2, coalesce((select dir from runs where id = ?2), ?10), ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        (reservation, run_id, payer.agent, payer.model, at, day, need.calls, need.tokens, need.usd, directory),
    )
    return reservation


def _time(connection: sqlite3.Connection, now: datetime) -> tuple[str, str]:
    """The ledger's time and local date: the clock's, or the last ones where the clock is behind them."""
    last_at, last_day = connection.execute(
        "select coalesce((select max(at) from reservations), ''), coalesce((select max(day) from reservations), '')"
    ).fetchone()
    at = max(rfc3339(now), last_at)
    return at, max(parse_rfc3339(at).astimezone().date().isoformat(), last_day)


def _windows(connection: sqlite3.Connection, need: Need, at: str, day: str, limits: Budget) -> list[Window]:
    calls, tokens, usd = connection.execute(
        f"select coalesce({_CALLS}, 0), coalesce({_TOKENS}, 0), coalesce({_USD}, 0.0) from reservations where day = ?",
        (day,),
    ).fetchone()
    midnight = _midnight_after(day)
    used, frees_at = _last_hour(connection, at, limits.calls_per_hour - need.calls)
    return [
        Window(setting="calls_per_hour", limit=limits.calls_per_hour, used=used, frees_at=frees_at),
        Window(setting="calls_per_day", limit=limits.calls_per_day, used=calls, frees_at=midnight),
        Window(setting="tokens_per_day", limit=limits.tokens_per_day, used=tokens, frees_at=midnight),
        Window(setting="usd_per_day", limit=limits.usd_per_day, used=usd, frees_at=midnight),
    ]


def _last_hour(connection: sqlite3.Connection, at: str, allowed: int) -> tuple[int, datetime]:
    """The calls of the last hour, and when so many of them are older that at most `allowed` are left."""
    moment = parse_rfc3339(at)
    rows = connection.execute(
        "select at, calls from reservations where at > ? order by at", (rfc3339(moment - HOUR),)
    ).fetchall()
    used = left = sum(calls for _, calls in rows)
    for made_at, calls in rows:
        if left <= allowed:
            break
        left, moment = left - calls, parse_rfc3339(made_at)
    return used, moment + HOUR


def _midnight_after(day: str) -> datetime:
    """When the local date is the next one: in a night without a midnight, when its clock is put forward."""
    midnight = datetime.combine(date.fromisoformat(day) + timedelta(days=1), time())
    return datetime.fromtimestamp(midnight.timestamp(), UTC)  # `astimezone` would go an hour back from a gap


def _require_room_of_run(connection: sqlite3.Connection, run_id: str, need: Need, limits: Budget) -> None:
    """:raises BudgetSpent: no waiting gives this run more"""
    sql = f"select coalesce({_TOKENS}, 0) from reservations where run_id = ?"
    used = connection.execute(sql, (run_id,)).fetchone()[0]
    if used + need.tokens > limits.tokens_per_run:
        raise BudgetSpent(_refusal("tokens_per_run", limits.tokens_per_run, used, need.tokens), None)


def _require_room(windows: Sequence[Window], need: Need) -> None:
    """:raises BudgetSpent: with the limit that frees last"""
    amounts = {"calls": need.calls, "tokens": need.tokens, "usd": need.usd}
    spent = [(w, amount) for w in windows if not w.has_room_for(amount := amounts[w.setting.partition("_")[0]])]
    if spent:
        window, amount = max(spent, key=lambda pair: pair[0].frees_at)
        told = _refusal(window.setting, window.limit, window.used, amount)
        raise BudgetSpent(told, window.frees_at, waiting_helps=amount <= window.limit)


def _refusal(setting: str, limit: float, used: float, wanted: float) -> str:
    told = [f"{round(amount, 4):.15g}" for amount in (limit, used, wanted)]
    return "[budget] {} is {}, {} are used and {} more are wanted; raise it".format(setting, *told)


def _settle(connection: sqlite3.Connection, reservation: str, cost: Cost, now: str) -> str | None:
    """Note a cost once, in the stats and at its run too; returns the run if it was above what was set aside."""
    row = connection.execute(
        "update reservations set settled_at = ?, tokens_in = ?, tokens_out = ?, tokens_cached = ?, spent_usd = ?"
        " where id = ? and settled_at is null returning run_id, dir, tokens, usd",
        (now, cost.tokens_in, cost.tokens_out, cost.tokens_cached, cost.usd, reservation),
    ).fetchone()
    if row is None:
        return None
    run_id, dir_path, tokens, usd = row
    amounts = {"tokens_in": cost.tokens_in, "tokens_out": cost.tokens_out, "cost_usd": cost.usd}
    add_to_stats(connection, dir_path, **amounts)
    connection.execute(
        "update runs set tokens_in = tokens_in + :tokens_in, tokens_out = tokens_out + :tokens_out,"
        " cost_usd = cost_usd + :cost_usd where id = :run", {**amounts, "run": run_id},
    )  # fmt: skip
    above = cost.tokens_in + cost.tokens_out > tokens or cost.usd > usd + USD_DUST
    return str(run_id) if above else None

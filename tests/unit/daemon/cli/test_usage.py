"""What `memoryd usage` prints: within the width, the numbers of the result, and no price that nobody knows."""

from collections.abc import Callable

import pytest
from unit.daemon.cli.conftest import Cli, World

from memoryd.daemon.cli import asking, usage
from memoryd.ipc.methods.usage import LimitState, Spent, Usage

DAYS = tuple(
    Spent(key=f"2026-11-{day}", calls=calls, failed_calls=calls // 10, tokens_in=calls * 1000, tokens_out=calls * 100,
          usd=calls * 0.01, memories=calls)
    for day, calls in ((28, 1), (29, 0), (30, 100))
)  # fmt: skip


LIMITS = (
    ("calls_per_hour", 30, 3), ("calls_per_day", 200, 100), ("tokens_per_day", 1e6, 111_100), ("usd_per_day", 1, 0.25)
)  # fmt: skip


def found(**changes: object) -> Usage:
    total = Spent(calls=101, failed_calls=10, tokens_in=101_000, tokens_out=10_100, usd=1.01, memories=101)
    limits = tuple(
        LimitState.model_validate({"setting": name, "limit": most, "used": used, "frees_at": "2026-12-01T00:00:00Z"})
        for name, most, used in LIMITS
    )
    whole = Usage(agent="model", by="day", rows=DAYS, total=total, limits=limits, memories_of_rules=0)
    return whole.model_copy(update=changes)


Printed = Callable[[Usage, int], list[str]]


@pytest.fixture
def printed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Printed:
    """The lines for a result, in a terminal of so many columns that nobody looks at."""

    def show(result: Usage, columns: int) -> list[str]:
        monkeypatch.setattr(asking, "ask", lambda *_: result)
        monkeypatch.setenv("COLUMNS", str(columns))
        return str(cli("usage").out).splitlines()

    return show


@pytest.mark.parametrize("columns", [40, 59, 60, 80, 200])
def test_the_chart_fits_and_its_bars_stand_in_the_ratio_of_the_money(printed: Printed, columns: int) -> None:
    lines = printed(found(), columns)
    rows = [line for line in lines if "11-" in line and "last" not in line]
    assert len(rows) == 3
    assert all(len(row.rstrip()) <= columns for row in rows)
    whole = max(line.count("█") for line in lines)
    assert usage.MIN_BAR <= whole <= usage.MAX_BAR
    assert [line.count("█") for line in rows] == [0, 0, whole]
    assert any(mark in rows[0] for mark in "▏▎▍▌▋")  # a hundredth is seen
    assert rows[1].split() == [rows[1].split()[0]]  # a day without a call is empty
    assert "\x1b" not in "".join(lines)


def test_the_numbers_are_those_of_the_result(printed: Printed) -> None:
    text = "\n".join(printed(found(), 100))
    assert "101 calls (10 failed), 101k tokens in, 10.1k out, $1.01" in text
    assert "101 memories: 1.1k tokens and $0.0100 each" in text
    used = "used: 3 of 30 calls in the last hour; today 100 of 200 calls, 111.1k of 1M tokens, $0.25 of $1.00"
    assert used in text


def test_a_price_that_is_not_known_and_what_was_cut_are_said(printed: Printed) -> None:
    total = Spent(calls=2, tokens_in=10, unsettled_calls=1, unsettled_tokens=500, calls_above=1)
    text = "\n".join(printed(found(total=total, unpriced=("acme:x",)), 100))
    assert "no price is known for acme:x" in text
    assert "1 call of unknown cost, cut or running: 500 tokens and $0 stay set aside" in text
    assert "1 call cost more than was set aside" in text
    assert "no memory came of it" in text


def test_the_rules_cost_nothing_and_say_so(cli: Cli, world: World) -> None:
    assert cli("usage").out == ("last 14 days: the rules call no model and cost nothing; the rules wrote 0 memories\n")
    ran = cli("usage", "--days", "3", "--by", "model", "--json")
    assert Usage.model_validate_json(ran.out).model_dump_json() + "\n" == ran.out
    assert cli("usage", "--days", "0").status == 2

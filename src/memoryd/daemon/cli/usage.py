"""usage: what models have cost, as a small chart, and what is left."""

from enum import StrEnum
from typing import Annotated

import typer

from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import RUN, Json, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.stats import short
from memoryd.ipc.methods.usage import Spent, Usage

MIN_BAR, MAX_BAR = 6, 40  #: characters
_GAP = 2  #: between two columns of a table


class By(StrEnum):
    DAY = "day"
    MODEL = "model"
    PROJECT = "project"


@app.command(rich_help_panel=RUN)
def usage(
    days: Annotated[int, typer.Option("--days", min=1, max=400, metavar="N", help="The last N days, with today.")] = 14,
    by: Annotated[By, typer.Option("--by", help="What each bar stands for.")] = By.DAY,
    json: Json = False,
) -> None:
    """Show what models have cost: tokens, money, calls, and what is left of the budget.

    The rules call no model and cost nothing.

    Example: [cyan]memoryd usage --days 30 --by model[/]
    """
    found = asking.ask("usage.get", {"days": days, "by": by.value})
    if json:
        return screen.as_json(found)
    for line in _summary(found, days):
        screen.say(line)
    if found.total.calls:
        screen.say("")
        screen.show(screen.table(_columns(found), _rows(found, screen.console().width)))
        screen.say("")
    for line in _left(found) if found.agent != "rules" else ():
        screen.say(line)
    return None


def _summary(found: Usage, days: int) -> list[str]:
    span = "today" if days == 1 else f"last {days} days"
    total, own = found.total, found.memories_of_rules
    if not total.calls:
        wrote = f"; the rules wrote {_memories(own)}" if own or found.agent == "rules" else ""
        asked = "the rules call no model and cost nothing" if found.agent == "rules" else "no model was called"
        return [f"{span}: {asked}{wrote}"]
    failed = f" ({total.failed_calls} failed)" if total.failed_calls else ""
    cached = f" ({_short(total.tokens_cached)} cached)" if total.tokens_cached else ""
    tokens = f"{_short(total.tokens_in)} tokens in{cached}, {_short(total.tokens_out)} out"
    lines = [f"{span}: {_calls(total.calls)}{failed}, {tokens}, {_money(total.usd)}"]
    if total.memories:
        each = f"{_short(round(_tokens(total) / total.memories))} tokens and {_money(total.usd / total.memories)} each"
        lines.append(f"{_memories(total.memories)}: {each}")
    else:
        lines.append("no memory came of it")
    if own:
        lines.append(f"{_memories(own)} by the rules, which cost nothing")
    return lines


def _columns(found: Usage) -> tuple[Column, ...]:
    return (
        Column(title=found.by),
        Column(title="by money" if found.total.usd else "by tokens"),
        Column(title="tokens", right=True),
        Column(title="money", right=True),
        Column(title="calls", right=True, columns=screen.NARROW),
        Column(title="failed", right=True, columns=screen.NARROW),
        Column(title="memories", right=True, columns=screen.NARROW),
    )


def _rows(found: Usage, width: int) -> list[tuple[str, ...]]:
    """The rows of the chart; its bars take the room that the numbers leave."""
    narrow = width < screen.NARROW
    labels = [_label(row, found.by, width) for row in found.rows]
    numbers = [_numbers(row) for row in found.rows]
    columns = _columns(found)
    shown = [n for n in range(len(columns) - 2) if not narrow or not columns[n + 2].columns]
    others = sum(max(len(columns[n + 2].title), *(len(row[n]) for row in numbers)) + _GAP for n in shown)
    room = width - others - max(len(found.by), *map(len, labels)) - 2 * _GAP
    length = min(max(room, MIN_BAR), MAX_BAR)
    bars = screen.bars([row.usd if found.total.usd else _tokens(row) for row in found.rows], length)
    return [(label, bar, *row) for label, bar, row in zip(labels, bars, numbers, strict=True)]


def _label(row: Spent, by: str, width: int) -> str:
    if by == "day":
        return row.key if width >= screen.NARROW else row.key[5:]
    name = short(row.key).removeprefix("projects/") if by == "project" else row.key
    most = max(width // 3, 8)
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _numbers(row: Spent) -> tuple[str, ...]:
    if not row.calls:
        return ("", "", "", "", "")
    failed = str(row.failed_calls) if row.failed_calls else ""
    return (_short(_tokens(row)), _money(row.usd), str(row.calls), failed, str(row.memories))


def _left(found: Usage) -> list[str]:
    lines = [_state(found)]
    total = found.total
    if found.unpriced:
        names = ", ".join(found.unpriced)
        lines.append(f"no price is known for {names}: its calls count as $0, its tokens are bounded")
    if total.unsettled_calls:
        aside = f"{_short(total.unsettled_tokens)} tokens and {_money(total.unsettled_usd)}"
        lines.append(f"{_calls(total.unsettled_calls)} of unknown cost, cut or running: {aside} stay set aside")
    if total.calls_above:
        lines.append(f"{_calls(total.calls_above)} cost more than was set aside, and count in full")
    return lines


_UNITS = {"calls_per_hour": " calls", "calls_per_day": " calls", "tokens_per_day": " tokens", "usd_per_day": ""}


def _state(found: Usage) -> str:
    limits = {one.setting: one for one in found.limits}
    told = []
    for setting, unit in _UNITS.items():
        form = _short if unit else _money
        told.append(f"{form(limits[setting].used)} of {form(limits[setting].limit)}{unit}")
    return f"used: {told[0]} in the last hour; today {', '.join(told[1:])}"


def _tokens(row: Spent) -> int:
    return row.tokens_in + row.tokens_out


def _calls(count: int) -> str:
    return f"{count} {'call' if count == 1 else 'calls'}"


def _memories(count: int) -> str:
    return f"{count} {'memory' if count == 1 else 'memories'}"


def _short(number: float) -> str:
    """`830`, `4.5k`, `1.2M`."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return f"{number:g}"


def _money(usd: float) -> str:
    """`$0`, `$0.0041`, `$12.30`."""
    if not usd:
        return "$0"
    return f"${usd:.2f}" if usd >= 0.1 else f"${usd:.4f}"

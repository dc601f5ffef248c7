"""stats: what the worker did, once or as it changes."""

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.text import Text

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, openmetrics, screen
from memoryd.daemon.cli.root import RUN, Json, OnlyDir, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago, local
from memoryd.errors import UsageError
from memoryd.ipc.methods.worker import WorkerStats

REFRESH_SECONDS = 1.0


class Format(StrEnum):
    TABLE = "table"
    OPENMETRICS = "openmetrics"


@app.command(rich_help_panel=RUN)
def stats(
    memory_dir: OnlyDir = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Refresh every second until Ctrl-C.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TABLE,
    json: Json = False,
) -> None:
    """Show what the worker did, what waits and what it cost.

    The counters survive a restart.

    Example: [cyan]memoryd stats --format openmetrics > /var/lib/node_exporter/memoryd.prom[/]
    """
    where = asking.given(memory_dir)
    if watch:
        if json or form is not Format.TABLE:
            raise UsageError("--watch shows a table; leave out --json and --format")
        return _watch(where)
    found = _ask(where)
    if json:
        screen.as_json(found)
    elif form is Format.OPENMETRICS:
        screen.raw(openmetrics.text(found, where))
    else:
        screen.console().print(_view(found))
    return None


def _ask(where: str | None) -> WorkerStats:
    found: WorkerStats = asking.ask("worker.stats", {"memory_dir": where})
    return found


def _watch(where: str | None) -> None:
    console = screen.console()
    with Live(_view(_ask(where)), console=console, auto_refresh=False, screen=False) as live:
        try:
            while True:
                time.sleep(REFRESH_SECONDS)
                live.update(_view(_ask(where)), refresh=True)
        except KeyboardInterrupt:
            return


_COLUMNS = (
    Column(title="directory", fold=True),
    Column(title="completed", right=True),
    Column(title="failed", right=True),
    Column(title="waiting", right=True, columns=50),
    Column(title="no change", right=True, columns=100),
    Column(title="rejected", right=True, columns=100),
    Column(title="coalesced", right=True, columns=70),
    Column(title="last", columns=80),
)


def _view(found: WorkerStats) -> Group:
    rows = [_row(short(path), one) for path, one in sorted(found.directories.items())]
    rows.append(_row("total", found))
    return Group(screen.table(_COLUMNS, rows), Text(), *(Text(screen.harmless(line)) for line in _lines(found)))


def _row(name: str, found: WorkerStats) -> tuple[str, ...]:
    waiting = f"{found.queued}" + (f" (+{found.running} runs)" if found.running else "")
    last = ago(found.last_completed_at, utc_now()) if found.last_completed_at else "-"
    numbers = (found.total_no_change, found.total_rejected, found.coalesced_dropped)
    return (name, str(found.total_completed), str(found.total_failed), waiting, *map(str, numbers), last)


def short(path: str) -> str:
    """The part of a memory directory's path that tells it from the others: `projects/<key>`, `user`."""
    parts = Path(path).parts
    if parts[-1:] == ("memory",) and "memoryd" in parts:
        return "/".join(parts[len(parts) - parts[::-1].index("memoryd") : -1])
    return path


def _lines(found: WorkerStats) -> list[str]:
    cost = f"model: {found.tokens_in} tokens in, {found.tokens_out} out, {found.cost_usd:.2f} USD"
    lines = [cost if found.tokens_in else "model: none called"]
    if found.last_duration_ms is not None:
        lines.append(f"last run: {found.last_duration_ms} ms")
    if found.last_error:
        lines.append(f"last error: {found.last_error}")
    if found.paused_until:
        lines.append(f"no model is called until {local(found.paused_until)}; `memoryd status` says why")
    return lines

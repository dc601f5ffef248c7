"""dream: what keeps coming back, and what may become memory of it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.maintain import TASK_SECONDS
from memoryd.daemon.cli.root import MEMORY, Cursor, Json, Limit, OnlyCwd, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago
from memoryd.errors import UsageError
from memoryd.ipc.methods.dream import DreamInfo

dream_app = typer.Typer(
    help="What keeps coming back: candidates for memory, each with its evidence.", no_args_is_help=True
)
app.add_typer(dream_app, name="dream", rich_help_panel=MEMORY)

Ident = Annotated[str, typer.Argument(metavar="CANDIDATE", help="Its number, as `dream review` shows it.")]


class Decision(StrEnum):
    ACCEPT = "accept"
    REJECT = "reject"
    UNDO = "undo"


@dream_app.command()
def run(
    backfill: Annotated[
        bool, typer.Option("--backfill", help="Replay old daily notes and summaries; promote nothing.")
    ] = False,
    since: Annotated[
        datetime | None, typer.Option("--since", metavar="DATE", formats=["%Y-%m-%d"], help="Of a backfill: how far.")
    ] = None,
    cwd: OnlyCwd = None,
    json: Json = False,
) -> None:
    """Dream now, whatever the schedule says.

    What users said, notes and summaries of the last 30 days, and what prompts wanted, becomes candidates; those that
    pass the gates become memory, each by a run of its own. A second time on a day it changes nothing.

    Example: [cyan]memoryd dream run --backfill --since 2026-01-01[/]
    """
    if since is not None and not backfill:
        raise UsageError("--since is for --backfill; a dream looks back 30 days")
    when = since.astimezone().isoformat() if since else None
    asked = {"task": "dream", "cwd": asking.given(cwd), "backfill": backfill, "since": when}
    done = asking.ask("maintenance.run", asked, timeout=TASK_SECONDS)
    if json:
        return screen.as_json(done)
    return screen.say(
        f"{done.promoted} promoted, {done.staged} new candidates, {done.waiting} wait; `memoryd dream review`"
        " lists them"
    )


@dream_app.command()
def review(
    ident: Annotated[str | None, typer.Argument(metavar="[CANDIDATE]", help="Decide on this one.")] = None,
    decision: Annotated[Decision | None, typer.Argument(help="accept, reject, or undo a decision.")] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="T", help="Accept these words instead of the candidate's.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that were decided.")] = False,
    cwd: OnlyCwd = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    json: Json = False,
) -> None:
    """List the candidates, or decide on one.

    accept lets it into memory as your own change, reject keeps it out, undo takes a decision back, also one that a
    dream made: memory is as it was, and only you can let the candidate in then.

    Example: [cyan]memoryd dream review 12 accept[/]
    """
    if ident is not None:
        return _decide(ident, decision, text, json=json)
    asked = {"cwd": asking.given(cwd), "all": every, "limit": limit, "cursor": cursor}
    found = asking.ask("dream.list", asked)
    if json:
        return screen.as_json(found)
    if not found.items:
        return screen.say("no candidates; `memoryd dream run` looks for some, `--all` shows those that were decided")
    screen.show(screen.table(_COLUMNS, map(_row, found.items)))
    return screen.more(found.next_cursor)


def _decide(ident: str, decision: Decision | None, text: str | None, *, json: bool) -> None:
    if decision is None:
        raise UsageError("say what to do with it: accept, reject or undo")
    done = asking.ask("dream.decide", {"id": ident, "decision": decision.value, "text": text})
    if json:
        return screen.as_json(done)
    screen.say(f"{decision.value}: done{f' (run {done.run[:8]})' if done.run else ''}")
    return screen.notes(done.warnings)


@dream_app.command()
def explain(ident: Ident, json: Json = False) -> None:
    """Show why a candidate stands where it does: each signal, each gate, the turns that it rests on.

    Example: [cyan]memoryd dream explain 12[/]
    """
    found = asking.ask("dream.explain", {"id": ident})
    if json:
        return screen.as_json(found)
    one = found.candidate
    screen.raw(
        f"{one.id} ({_standing(one)}): {one.text}\nwould become: {found.would}\nfrom: {', '.join(found.sources)}"
    )
    screen.show(
        screen.table(
            _SIGNALS,
            ((s.name, f"{s.value:.2f}", f"{s.weight:.2f}", f"{s.value * s.weight:.3f}") for s in found.signals),
        )
    )
    screen.show(
        screen.table(
            _GATES, ((g.name, f"{g.value:g}", f"{g.least:g}", "yes" if g.passed else "no") for g in found.gates)
        )
    )
    rows = [
        *(f"not yet: {clause}" for clause in one.unmet),
        *(f"{t.session}#{t.seq} {t.tier}: {t.quote}" for t in found.turns),
    ]
    return screen.raw("\n".join(rows))


@dream_app.command()
def status(json: Json = False) -> None:
    """Show whether and when dreams come by themselves, and how many candidates wait.

    Example: [cyan]memoryd dream status[/]
    """
    found = asking.ask("dream.list", {"limit": 500})
    if json:
        return screen.as_json(found)
    when = f"by {found.schedule!r}, after {found.idle_seconds} s without a turn" if found.enabled else "switched off"
    last = f", last {ago(found.last_at, utc_now())}" if found.last_at else ""
    due = f", next from {found.next_at.astimezone():%Y-%m-%d %H:%M} on" if found.next_at else ""
    return screen.say(f"dreaming is {when}{last}{due}; {len(found.items)} candidates wait")


_COLUMNS = (
    Column(title="id", style="cyan"),
    Column(title="candidate", fold=True, ratio=3),
    Column(title="score", right=True),
    Column(title="seen", columns=screen.NARROW),
    Column(title="stands", fold=True, ratio=2, columns=100),
)
_SIGNALS = (
    Column(title="signal"), Column(title="value", right=True), Column(title="weight", right=True),
    Column(title="counts", right=True),
)  # fmt: skip
_GATES = (
    Column(title="gate"), Column(title="value", right=True), Column(title="wanted", right=True), Column(title="passed"),
)  # fmt: skip


def _row(one: DreamInfo) -> tuple[str, ...]:
    return one.id, one.text, f"{one.score:.2f}", f"{one.count}x, {one.days} days", _standing(one)


def _standing(one: DreamInfo) -> str:
    if one.status != "open":
        return "promoted" if one.promoted else one.status
    lane = "backfill: waits for you" if one.lane == "backfill" else "taken back: waits for you" if one.held else "waits"
    return f"{lane}: {'; '.join(one.unmet)}" if one.unmet else lane

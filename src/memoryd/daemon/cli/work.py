"""consolidate, jobs, pause, resume."""

from pathlib import Path
from typing import Annotated

import typer

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import WORK, Cursor, Cwd, Json, Limit, OnlyCwd, app, named
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago, local, seconds
from memoryd.errors import UsageError
from memoryd.ipc.methods.worker import Consolidated, JobInfo

WAIT_SECONDS = 660.0  #: the daemon itself waits 600 s for a run
EXITS = {"no_change": 1, "deferred": 75, "conflict": 76, "rejected": 77, "failed": 70}


@app.command(rich_help_panel=WORK)
def consolidate(
    cwd: Cwd = None,
    memory_dir: Annotated[
        Path | None, typer.Option("--memory-dir", metavar="DIR", parser=named, help="The memory directory itself.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the run is done and say what came out.")] = False,
    json: Json = False,
) -> None:
    """Turn what was recorded for this project into memory, now.

    Example: [cyan]memoryd consolidate --wait && memoryd diff[/]
    """
    if cwd and memory_dir:
        raise UsageError("--cwd and --memory-dir name the same thing in two ways; give one of them")
    where = {"memory_dir": asking.given(memory_dir)} if memory_dir else {"cwd": asking.absolute(cwd)}
    found = asking.ask(
        "consolidation.run", {**where, "wait": wait}, timeout=WAIT_SECONDS if wait else asking.CALL_SECONDS
    )
    screen.as_json(found) if json else screen.say(_outcome(found))
    if found.outcome in EXITS:
        raise typer.Exit(EXITS[found.outcome])


def _outcome(found: Consolidated) -> str:
    why = f": {found.reason}" if found.reason else ""
    files = f"; changed {', '.join(found.files)}" if found.files else ""
    run = f" (run {found.run[:8]})" if found.run else ""
    return f"{found.outcome.replace('_', ' ')}{run}{why}{files}"


jobs_app = typer.Typer(
    help="Work on what was recorded: what waits, what runs, and what failed. Without a command: list it."
)
app.add_typer(jobs_app, name="jobs", rich_help_panel=WORK, invoke_without_command=True)


@jobs_app.callback(invoke_without_command=True)
def jobs(context: typer.Context, limit: Limit = 50, cursor: Cursor = None, json: Json = False) -> None:
    """List jobs that wait or run, and ranges that failed.

    A range is listed as skipped when every attempt on it failed; `retry` takes it up again.

    Example: [cyan]memoryd jobs[/]
    """
    if context.invoked_subcommand is not None:
        return
    found = asking.ask("job.list", {"limit": limit, "cursor": cursor})
    if json:
        screen.as_json(found)
    elif not found.items:
        screen.say("no job waits, runs or was skipped")
    else:
        screen.show(screen.table(_JOB_COLUMNS, map(_job, found.items)))
        screen.more(found.next_cursor)


_JOB_COLUMNS = (
    Column(title="id", fold=True),
    Column(title="state"),
    Column(title="seqs", columns=screen.NARROW),
    Column(title="tries", right=True, columns=screen.NARROW),
    Column(title="not before", columns=100),
    Column(title="why", fold=True, columns=80),
)


def _job(job: JobInfo) -> tuple[str, ...]:
    later = ago(job.not_before, utc_now()) if job.not_before else "-"
    seqs = f"{job.from_seq}..{job.due_seq}"
    return (job.id, job.state, seqs, str(job.attempts), later, job.last_error or job.reason or "-")


@jobs_app.command(name="retry")
def jobs_retry(
    ident: Annotated[str | None, typer.Argument(metavar="ID", help="As `jobs` shows it; all by default.")] = None,
    json: Json = False,
) -> None:
    """Try again, now, what failed or was put off.

    Example: [cyan]memoryd jobs retry 3[/]
    """
    found = asking.ask("job.retry", {"id": ident})
    screen.as_json(found) if json else screen.say(f"{found.retried} to be tried again")
    if not found.retried:
        raise typer.Exit(1)


@app.command(rich_help_panel=WORK)
def pause(
    length: Annotated[
        str | None, typer.Option("--for", metavar="T", help="For how long, e.g. 30m, 2h, 1d; else until `resume`.")
    ] = None,
    cwd: OnlyCwd = None,
    json: Json = False,
) -> None:
    """Stop recording, everywhere or for one project.

    Hooks go on, and what they bring is dropped.

    Example: [cyan]memoryd pause --for 2h[/]
    """
    found = asking.ask(
        "daemon.pause", {"cwd": asking.given(cwd), "seconds": seconds(length) if length is not None else None}
    )
    until = f"until {local(found.until)}" if found.until else "until `memoryd resume`"
    screen.as_json(found) if json else screen.say(f"nothing is recorded {'here' if cwd else 'anywhere'} {until}")


@app.command(rich_help_panel=WORK)
def resume(
    cwd: OnlyCwd = None,
    json: Json = False,
) -> None:
    """Record again.

    Example: [cyan]memoryd resume[/]
    """
    found = asking.ask("daemon.resume", {"cwd": asking.given(cwd)})
    still = "; another pause still holds" if found.paused else ""
    screen.as_json(found) if json else screen.say(f"recording again{still}")

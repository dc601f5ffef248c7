"""serve, start, stop, restart, status."""

from typing import Annotated

import typer

from memoryd.daemon import scriptchecks, servicechecks
from memoryd.daemon.cli import asking, process, screen
from memoryd.daemon.cli.root import RUN, Json, app
from memoryd.daemon.cli.times import span
from memoryd.daemon.install import Installer
from memoryd.daemon.lock import holder
from memoryd.daemon.service import Service, run_steps
from memoryd.errors import NoDaemon
from memoryd.ipc import starter
from memoryd.ipc.methods.daemon import Health

NOT_RUNNING = 3  #: exit status of `status`, as for every init script


@app.command(rich_help_panel=RUN)
def start() -> None:
    """Start the daemon in the background.

    Returns once it answers; does nothing when one runs. `memoryd service install` keeps it running for good.

    Example: [cyan]memoryd start && memoryd status[/]
    """
    found, started = process.start(asking.places())
    screen.say(f"memoryd {found.version} {'started' if started else 'runs already'}, pid {found.pid}")


@app.command(rich_help_panel=RUN)
def stop() -> None:
    """Stop the daemon; what it does is written down first.

    Hooks go on: they leave their events in the spool, and the next start takes them in. None of them starts a daemon
    meanwhile, also where `[daemon] autostart` lets them.

    Example: [cyan]memoryd stop[/]
    """
    places = asking.places_anyway()
    starter.mark_stopped(places)
    pid = process.stop(places)
    screen.say("memoryd is not running" if pid is None else f"memoryd stopped, pid {pid}")
    service = Service(places=places)
    if pid is not None and service.written() != "absent" and service.usable() and service.state() != "installed":
        screen.say(f"the next hook starts it again; `{service.disable_steps()[0]}` keeps it stopped")


@app.command(rich_help_panel=RUN)
def restart() -> None:
    """Put a new daemon in the place of the one that runs.

    A running job ends first; who connects meanwhile waits, and nothing that hooks bring is lost. When the new one
    cannot start, the old one goes on. Where a service manager runs it, that one does it.

    Example: [cyan]memoryd restart[/]
    """
    places = asking.places()
    service = Service(places=places)
    pid = holder(places.data)
    if pid and pid == service.main_pid():
        process.check()
        for step in run_steps((service.restart_step(),)):
            screen.say(f"done: {step}")
        found, _ = process.start(places)
    else:
        found = process.restart(places)
    screen.say(f"memoryd {found.version} runs, pid {found.pid}")


@app.command(rich_help_panel=RUN)
def status(json: Json = False) -> None:
    """Say whether the daemon runs and does its work.

    ok: due work gets done; degraded: part of it; stuck: none, with the reason. Exit status 0, or 3 when it is not
    running. What an upgrade left of another release is told on stderr, with the command that mends it.

    Example: [cyan]memoryd status --json[/]
    """
    places = asking.places_anyway()
    if holder(places.data) is None:
        screen.warn(f"memoryd is not running; `memoryd start` starts it, {servicechecks.keeps(places)}")
        raise typer.Exit(NOT_RUNNING)
    try:
        found = process.health(places)
    except NoDaemon as error:
        screen.warn(f"memoryd holds {places.data} but does not listen at {places.socket}: {error}")
        raise typer.Exit(NOT_RUNNING) from error
    screen.as_json(found) if json else screen.say(_line(found))
    screen.notes(list(scriptchecks.skew(Installer(places=places), found.version, found.protocol)))


def _line(found: Health) -> str:
    summary = found.summary.strip("<>").removeprefix("Daemon ")
    reason = f" ({found.reason})" if found.reason else ""
    waiting = f" | {found.waiting} wait for review" if found.waiting else ""
    provider = f" | external memory {found.provider}" if found.provider else ""
    return f"{found.state}{reason}: {summary}{waiting}{provider} | pid {found.pid} | up {span(found.uptime_seconds)}"


@app.command(rich_help_panel=RUN)
def serve(
    take_over: Annotated[bool, typer.Option("--take-over", hidden=True)] = False,
    check: Annotated[bool, typer.Option("--check", hidden=True)] = False,
) -> None:
    """Run the daemon in the foreground, as systemd and launchd do.

    Logs go to stderr; Ctrl-C or SIGTERM stops it, SIGHUP reads the configuration again.

    Example: [cyan]MEMORYD_DAEMON__LOG_LEVEL=debug memoryd serve[/]
    """
    from memoryd.daemon import serve as serving

    raise typer.Exit(serving.check() if check else serving.serve(take_over=take_over))


@app.command(rich_help_panel=RUN)
def hook(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host that calls, e.g. claude-code.")],
    event: Annotated[str | None, typer.Argument(metavar="EVENT", help="The host's name of the event.")] = None,
) -> None:
    """Deliver a hook's stdin to the daemon; always exits 0.

    Prints what the host expects. `memoryd install` writes a script that does the same at a tenth of the cost; this
    is for hosts you connect yourself.

    Example: [cyan]echo '{"session_id": "s1"}' | memoryd hook claude-code Stop[/]
    """
    from memoryd.daemon.hooking import hook as deliver

    deliver([host, *([event] if event else [])])

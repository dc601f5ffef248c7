"""install, uninstall, service: memoryd in the hosts and with the service manager."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from memoryd.daemon import projects, servicechecks
from memoryd.daemon.cli import asking, process, screen
from memoryd.daemon.cli.root import CONNECT, Yes, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.install import INSTALLABLE, Installer, Plan, Target, asks_for, carry_out
from memoryd.daemon.service import Service, run_steps
from memoryd.errors import CannotWrite, ConfigError, MemorydError, NotFound, UsageError
from memoryd.ipc import starter


@app.command(rich_help_panel=CONNECT)
def install(
    host: Annotated[
        str | None, typer.Argument(metavar="HOST", help=f"The host to install into: {', '.join(INSTALLABLE)}.")
    ] = None,
    everywhere: Annotated[bool, typer.Option("--all", help="Every known host that is on this machine.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="Show the hosts and whether memoryd is in them.")] = False,
    project: Annotated[bool, typer.Option("--project", help="For this project only: files in its root.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change and stop.")] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take it out again, to the byte.")] = False,
    mcp: Annotated[
        bool | None,
        typer.Option("--mcp/--no-mcp", help="Our tools as an MCP server; by default as before, else with it."),
    ] = None,
    yes: Yes = False,
) -> None:
    """Put memoryd's hooks, its MCP server and its skill into a host's configuration.

    Shows the change first and asks. Your own keys, hooks and comments stay; a second run changes nothing.

    Example: [cyan]memoryd install claude-code --dry-run[/]
    """
    installer = Installer(places=asking.places(), autostart=asking.settings().daemon.autostart)
    if listing:
        _list(installer)
        return
    broken = list[ConfigError | CannotWrite]()
    for target in _targets(installer, host, everywhere, project, mcp):
        try:
            plan = installer.plan_uninstall(target) if uninstall else installer.plan_install(target)
        except (ConfigError, CannotWrite) as error:  # keeps no other host from its change
            broken.append(error)
        else:
            _connect(target, plan, dry_run=dry_run, uninstall=uninstall, yes=yes)
    for other in broken[1:]:
        screen.warn(f"memoryd: {other}")
    if broken:
        raise broken[0]


def _connect(target: Target, plan: Plan, *, dry_run: bool, uninstall: bool, yes: bool) -> None:
    already = "nothing of memoryd is in it" if uninstall else "it is installed already"
    _carry_out(plan, dry_run=dry_run, yes=yes, unchanged=f"{target.host}: unchanged, {already}")
    if plan.visible and not dry_run:
        screen.say(f"{target.host}: {'taken out' if uninstall else 'installed; new sessions use it'}")
    if not uninstall and (plan.visible or not target.project):
        screen.notes(_still_to_do(target))


def _still_to_do(target: Target) -> list[str]:
    found = [*target.wants.notes, *(str(request) for request in [asks_for(target)] if request)]
    if target.project:
        found.append(f"{target.main} names paths of this machine; keep it out of what you commit")
    if find_spec("mcp") is None and not target.declined:
        found.append("no MCP server was put in, it needs an extra: pip install 'memoryd[mcp]', then install again")
    return found


def _targets(installer: Installer, host: str | None, everywhere: bool, project: bool, mcp: bool | None) -> list[Target]:
    if (host is None) == (not everywhere):
        raise UsageError(f"name one host ({', '.join(INSTALLABLE)}) or --all; `memoryd install --list` shows them")
    root = _project_root() if project else None
    if host is not None:
        return [installer.target(host, root, mcp=mcp)]
    names = [name for name in INSTALLABLE if installer.present(name) and (root is None or installer.has_projects(name))]
    if not names:
        raise NotFound(
            f"none of the known hosts ({', '.join(INSTALLABLE)}) is on this machine; name one to install anyway"
        )
    return [installer.target(name, root, mcp=mcp) for name in names]


def _project_root() -> Path:
    here = asking.absolute(None)
    found = projects.find(here)
    return found.root if found else Path(here)


def _list(installer: Installer) -> None:
    columns = (
        Column(title="host"),
        Column(title="state"),
        Column(title="on this machine", columns=screen.NARROW),
        Column(title="settings", fold=True),
    )
    rows = []
    for name in INSTALLABLE:
        target = installer.target(name)
        try:
            state: str = installer.state(target)
        except MemorydError as error:
            state = f"broken: {error}"
        rows.append((name, state, "yes" if installer.present(name) else "no", str(target.main)))
    screen.show(screen.table(columns, rows))


def _carry_out(plan: Plan, *, dry_run: bool, yes: bool, unchanged: str) -> None:
    """Show a plan, ask, and write it."""
    _show(plan)
    if not plan.visible:
        screen.say(unchanged)
    elif not dry_run:
        asking.confirm("Write this?", yes)
    if not dry_run:
        carry_out(plan)


def _show(plan: Plan) -> None:
    for change in plan.visible:
        screen.say(change.says())
        if text := change.diff():
            screen.diff(text)
    for note in plan.notes:
        screen.warn(f"note: {note}")


@app.command(name="uninstall", rich_help_panel=CONNECT)
def uninstall_everything(
    data: Annotated[
        bool, typer.Option("--data", help="Also delete everything that was recorded and remembered.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Take memoryd out of everything, and say what stays.

    Out of every host and out of the service manager; with --data also what it remembers.

    Example: [cyan]memoryd uninstall --data[/]
    """
    places = asking.places()
    plan, service = Installer(places=places).plan_removal(), Service(places=places)
    _show(plan)
    if service.written() != "absent":
        screen.say(f"remove the service: {', '.join(path.name for path in service.files())}")
    if data:
        screen.say(f"delete {places.data}: the journal and every memory in it, for good")
    asking.confirm("Do this?", yes)
    carry_out(plan)
    _remove_service(service)
    process.stop(places)
    starter.settle(places, None)  # last: a daemon that read its configuration meanwhile would have written it again
    if data and places.data.is_dir():
        _delete_ours(places.data)
    stays = [str(path) for path in (places.config, places.data) if path.exists()]
    stays.append("the program itself, which goes as it came (pip, pipx or uv tool)")
    screen.say(f"done; what stays: {', '.join(stays)}")


_OURS = ("lock", "starting", "installs.json", "bin", "run", "spool", "index", "user", "projects")
_OUR_FILES = ("state.db*", "logs.db*", "daemon.log*", "placeholder.key")


def _delete_ours(data: Path) -> None:
    """Delete what memoryd put into its data directory; whatever else is there stays, and the directory with it."""
    for path in (*(data / name for name in _OURS), *(path for glob in _OUR_FILES for path in data.glob(glob))):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    if not data.is_symlink() and not any(data.iterdir()):
        data.rmdir()


service_app = typer.Typer(help="Keep the daemon running, with systemd or launchd.", no_args_is_help=True)
app.add_typer(service_app, name="service", rich_help_panel=CONNECT)


@service_app.command(name="install")
def service_install(yes: Yes = False) -> None:
    """Write the unit files, and start the daemon with them now and at each login.

    Where no service manager runs (a container, WSL, ssh), it writes nothing and says what to do instead.

    Example: [cyan]memoryd service install --yes[/]
    """
    places = asking.places()
    service = Service(places=places)
    if not service.there():
        raise UsageError(f"{servicechecks.WITHOUT}; {servicechecks.INSTEAD}")
    for path in service.files():
        screen.say(f"write {path}")
    asking.confirm("Write and start it?", yes)
    service.write()
    if not service.usable():
        screen.say("the service manager of this user does not answer here; run this in a login session:")
        for step in service.enable_steps():
            screen.say(f"  {step}")
        return
    if service.main_pid() is None and (pid := process.stop(places)):
        screen.say(f"stopped the daemon that ran without it, pid {pid}")
    for step in run_steps(service.enable_steps()):
        screen.say(f"done: {step}")
    if service.lingers() is False:
        screen.say("it ends with your last login; `loginctl enable-linger` keeps it running")


@service_app.command(name="uninstall")
def service_uninstall(yes: Yes = False) -> None:
    """Stop the service and remove its files.

    Example: [cyan]memoryd service uninstall --yes[/]
    """
    service = Service(places=asking.places())
    if service.written() == "absent":
        screen.say("no service is installed")
        return
    for path in service.files():
        screen.say(f"remove {path}")
    asking.confirm("Stop and remove it?", yes)
    _remove_service(service)


def _remove_service(service: Service) -> None:
    if service.written() == "absent":
        return
    usable = service.usable()
    for step in run_steps(service.disable_steps() if usable else ()):
        screen.say(f"done: {step}")
    service.erase()
    for step in run_steps(service.forget_steps() if usable else ()):
        screen.say(f"done: {step}")


@service_app.command(name="status")
def service_status() -> None:
    """Say whether the service is installed and runs; exit status 0 when it runs or is enabled, else 3.

    Example: [cyan]memoryd service status[/]
    """
    service = Service(places=asking.places())
    if not service.there():
        screen.say(_without(service, autostart=asking.settings().daemon.autostart))
        raise typer.Exit(3)
    state = service.state() if service.usable() else service.written()
    screen.say(_STATES[state])
    if state == "running" and not service.enabled():
        screen.warn(f"note: it does not start at the next login; {servicechecks.TAKE_OVER} enables it")
    if state in ("running", "enabled") and (pid := servicechecks.stranger(service)):
        screen.warn(f"note: the daemon that runs, pid {pid}, is not its; {servicechecks.TAKE_OVER} puts its own there")
    if state not in ("running", "enabled"):
        raise typer.Exit(3)


_STATES = {
    "running": "running",
    "enabled": "enabled; the first hook starts it",
    "installed": "installed, not enabled; `memoryd service install` enables it",
    "current": "installed; its service manager does not answer here",
    "outdated": "installed by another release; `memoryd service install` renews it",
    "absent": "not installed; `memoryd service install` installs it",
}


def _without(service: Service, *, autostart: bool) -> str:
    instead = "a hook starts the daemon, as [daemon] autostart says" if autostart else servicechecks.INSTEAD
    left = "; files of a service lie there, `memoryd service uninstall` removes them"
    return f"{servicechecks.WITHOUT}; {instead}{left if service.written() != 'absent' else ''}"

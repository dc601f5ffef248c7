"""What `memoryd doctor` asks the daemon: whether it answers, takes events, reads transcripts, has its index."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from memoryd import __version__
from memoryd.daemon import servicechecks
from memoryd.daemon.checks import Check, Mark, off, ok, wrong
from memoryd.daemon.lock import holder
from memoryd.errors import MemorydError, NoDaemon
from memoryd.ipc import starter
from memoryd.ipc.client import Client
from memoryd.ipc.methods.daemon import Checked, Health, LookedAt
from memoryd.ipc.places import MAX_SOCKET_BYTES, Places

CALL_SECONDS = 5.0
CHECK_SECONDS = 15.0  #: a trial of the journal waits for the disk
MAX_FLAGGED = 5  #: memories with warnings that are named


def answers(places: Places, *, autostart: bool) -> tuple[Check, Health | None]:
    """Whether a daemon answers, and does its work.

    :param autostart: `[daemon] autostart`: one that is down comes with the next hook
    """
    pid = holder(places.data)
    try:
        health = _health(places.socket)
    except MemorydError as error:
        if pid is None and isinstance(error, NoDaemon):
            return _down(places, autostart=autostart), None
        return wrong("daemon", str(error), "`memoryd restart`"), None
    return _state(health), health


def _down(places: Places, *, autostart: bool) -> Check:
    link, why, mend = "daemon", _why_not(places), "`memoryd start`"
    if autostart and not why:
        return off(link, "not running; the next hook starts one")
    return wrong(link, f"not running{why}", mend if autostart else f"{mend}; {servicechecks.keeps(places)}")


def _why_not(places: Places) -> str:
    """What the marks in the spool tell."""
    if starter.is_stopped(places):
        return ", because of `memoryd stop`"
    tried, log = starter.tried_at(places), places.data / "daemon.log"
    return f"; a hook started one at {tried:%H:%M} UTC that did not stay, see {log}" if tried else ""


def _health(socket: Path) -> Health:
    """:raises MemorydError: nobody answers there"""
    with closing(Client(socket)) as client:
        found: Health = client.call("daemon.health", timeout=CALL_SECONDS)
        return found


def elsewhere(places: Places, baked: str | None) -> Path | None:
    """Where the daemon of this data directory answers, if that is at the hook's socket and not at this environment's.

    :param baked: the socket that stands in the hook script
    """
    if baked is None or baked == str(places.socket) or holder(places.data) is None:
        return None
    try:
        return Path(baked) if _health(Path(baked)).data_dir == str(places.data) else None
    except MemorydError:
        return None


def other_environment(places: Places, found: Path) -> Check:
    """Hook and daemon agree, but not with this shell or with what the configuration says by now."""
    told = f"hook and daemon use {found}, this environment and configuration name {places.socket}"
    runtime = found.parent.parent
    if "XDG_RUNTIME_DIR" not in os.environ and found == runtime / "memoryd" / "memoryd.sock":
        return wrong("socket", told, f"`export XDG_RUNTIME_DIR={runtime}`, as in a login session; then look again")
    again = "`memoryd restart` (a service: `memoryd service install`), then `memoryd install --all`"
    return wrong("socket", told, f"put back what names the other one; or, to use it, {again}")


def _state(health: Health) -> Check:
    link, said = "daemon", f"{health.state}, version {health.version}, pid {health.pid}"
    if health.version != __version__:
        return wrong(link, f"it is memoryd {health.version}, this program {__version__}", "`memoryd restart`")
    if health.state == "ok":
        return ok(link, said)
    mark = Mark.WRONG if health.state == "stuck" else Mark.OFF
    return Check(link=link, mark=mark, found=said, mend=health.reason or "see `memoryd stats`")


def socket(places: Places, health: Health | None, *, hook_agrees: bool) -> Check:
    """Whether hook, configuration and daemon mean the same socket and the same data."""
    link = "socket"
    if len(os.fsencode(places.socket)) >= MAX_SOCKET_BYTES:
        return wrong(link, f"{places.socket} is too long", "set [daemon] socket to a shorter path")
    if health is None:
        return off(link, f"{places.socket}; nobody answers there")
    if health.data_dir != str(places.data):
        found = f"the daemon at {places.socket}, pid {health.pid}, writes to {health.data_dir}, not to {places.data}"
        return wrong(link, found, f"`kill {health.pid}`, then `memoryd start`; see who started it otherwise")
    who = "hook, configuration and daemon" if hook_agrees else "configuration and daemon"
    return ok(link, f"{places.socket}; {who} agree on it")


def examined(places: Places) -> Checked | None:
    """What the daemon found; None: it is down, or of a release that looks at nothing."""
    try:
        with closing(Client(places.socket)) as client:
            found: Checked = client.call("daemon.check", timeout=CHECK_SECONDS)
            return found
    except MemorydError:
        return None


def links(checked: Checked | None) -> Iterator[Check]:
    """Event journaled, transcript readable, index whole."""
    if checked is None:
        for link in ("events", "transcripts", "index"):
            yield off(link, "the daemon did not look")
        return
    if checked.journal_fault:
        yield wrong(
            "events", checked.journal_fault, "free space or make the data directory writable; hooks spool meanwhile"
        )
    else:
        yield ok("events", "the journal took one, and gave it back")
    yield _transcripts(checked.transcripts)
    if checked.index_fault:
        yield wrong("index", checked.index_fault, "`memoryd maintain index`; answers come from the texts meanwhile")
    else:
        yield ok("index", "it answers, or is being built")


def _transcripts(looked: Sequence[LookedAt]) -> Check:
    link = "transcripts"
    readable = [one for one in looked if one.state == "ok"]
    if refused := [one for one in looked if one.state == "refused"]:
        one = refused[0]
        found = f"{len(refused)} of {len(looked)} cannot be read, {one.path} of {one.host}: {one.fault}"
        return wrong(
            link, found, f"make it a plain file that you can read (`chmod 600 {one.path}`); else hooks tell less"
        )
    hosts = {one.host for one in looked if one.expected} - {one.host for one in readable}
    if hosts:
        one = next(one for one in looked if one.expected and one.host in hosts)
        found = f"none of {one.host} is where it said, e.g. {one.path}"
        return wrong(link, found, "see that the host keeps them, and that the daemon sees the same folders as the host")
    missing = len(looked) - len(readable)
    return ok(link, f"{len(readable)} of the newest can be read" + (f", {missing} are not there" if missing else ""))


def quarantine(health: Health | None) -> Check:
    if health is None:
        return off("quarantine", "the daemon is down")
    reason = next((r for r in (health.reason or "").split("; ") if "not understood" in r), None)
    if reason:
        mend = "your host is newer than this memoryd: upgrade it; they are kept 7 days"
        return wrong("quarantine", reason.partition(";")[0], mend)
    return ok("quarantine", "every hook payload was understood")


def memories(places: Places, here: str) -> Iterator[Check]:
    """What is remembered here: signs of little worth or of an attack, full types, what waits for a word."""
    try:
        with closing(Client(places.socket)) as client:
            params = {"cwd": here, "limit": 1000, "check": True}
            found = client.call("memory.list", params, timeout=CALL_SECONDS)
    except MemorydError as error:
        yield wrong("memories", str(error), "`memoryd restart`")
        return
    full = [f"{kind} {total.used}/{total.limit}" for kind, total in found.totals.items() if total.used > total.limit]
    flagged = [f"{item.path} ({', '.join(item.flags)})" for item in found.items if item.flags]
    if full:
        yield off("memories", f"over their limit: {', '.join(full)}", "merge or `memoryd forget` some")
    if flagged:
        shown = "; ".join(flagged[:MAX_FLAGGED]) + ("; …" if len(flagged) > MAX_FLAGGED else "")
        yield off("memories", f"{len(flagged)} of {len(found.items)} with warnings: {shown}", "`memoryd edit NAME`")
    if found.waiting:
        yield off("review", f"{found.waiting} proposals wait for your word", "`memoryd review list`")
    if not (full or flagged or found.waiting):
        yield ok("memories", f"{len(found.items)} here, none with warnings")


def team(places: Places, here: str) -> Iterator[Check]:
    """The team memory of the repository, where there is one."""
    try:
        with closing(Client(places.socket)) as client:
            found = client.call("memory.trust", {"cwd": here}, timeout=CALL_SECONDS)
    except MemorydError:  # no repository, or one without
        return
    trusted = sum(item.state == "trusted" for item in found.items)
    waiting = len(found.items) - trusted
    told = f"{found.folder}: {trusted} files trusted, {waiting} wait for a look"
    yield off("team memory", told, "`memoryd trust`") if waiting else ok("team memory", told)

"""The first links of the chain, host by host: the hooks stand in its settings, it runs them, they reach the daemon."""

import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from memoryd.daemon import hooktests
from memoryd.daemon.checks import Check, Mark, off, ok, wrong
from memoryd.daemon.install import Installer, Target, asks_for
from memoryd.errors import MemorydError
from memoryd.ipc.client import Client
from memoryd.ipc.hook import CHILD
from memoryd.ipc.places import Places

RUN_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A host in which there is something of ours."""

    target: Target
    commands: tuple[str, ...]  #: as they stand in the settings; of those that differ by their event alone, one
    sound: bool  #: nothing is wrong with the settings, as far as reading them tells


def configured(installer: Installer) -> Iterator[tuple[Check, Found | None]]:
    """The settings of each host, and of each project that it was installed into."""
    for target in (*installer.of_user(), *installer.of_projects()):
        check = _settings(installer, target)
        yield check, _found(installer, target, sound=check.mark is not Mark.WRONG)


def _found(installer: Installer, target: Target, *, sound: bool) -> Found | None:
    """What there is of ours. Of a project, whose files come from others too, only what is as we wrote it is run."""
    try:
        handlers = list(installer.handlers(target))
        if target.project and installer.settings_state(target) != "installed":
            return None
    except MemorydError:
        return None
    ways = {one.command.removesuffix(f" {one.event}"): one.command for one in handlers}
    ours = ways or any(file.path.exists() for file in target.wants.files)
    return Found(target=target, commands=tuple(ways.values()), sound=sound) if ours else None


def _settings(installer: Installer, target: Target) -> Check:
    link, mend = _link(target), f"`memoryd install {target.host}`"
    if target.project:
        mend = f"{mend[:-1]} --project` in {target.project}"
    try:
        state, switched_off = installer.settings_state(target), installer.switched_off(target)
    except MemorydError as error:
        return wrong(link, str(error), "correct the file")
    if state == "absent":
        return _absent(installer, target, mend)
    if state == "outdated" and (changed := installer.changed(target)):
        return wrong(link, "a person changed a file of ours, which stays as it is", f"delete {changed[0]}, then {mend}")
    if state == "outdated":
        return wrong(link, "another release, another path or not all of them", mend)
    if switched_off:
        return wrong(link, f"installed, but {switched_off}", "take that key out")
    if installer.also_runs(target):
        return wrong(
            link,
            "the user's hooks run there too: every event is told twice",
            mend.replace("--project`", "--project --uninstall`"),
        )
    if request := asks_for(target):
        return (wrong if request.certain else off)(link, f"installed, but {request.found}", request.how)
    return ok(link, f"installed in {target.main}")


def _absent(installer: Installer, target: Target, mend: str) -> Check:
    link = _link(target)
    if target.project:
        return wrong(link, "taken out by another hand", mend)
    if not installer.present(target.host):
        return off(link, "this host is not on this machine", mend)
    if any(one.host == target.host for one in installer.of_projects()):
        return off(link, "installed in single projects only", mend)
    if installer.knows(target):
        return wrong(link, "taken out by another hand", mend)
    if installer.records():  # others are connected: this one is a person's choice
        return off(link, "not connected, nothing of it is remembered", mend)
    return wrong(link, "not installed", mend)


def _link(target: Target) -> str:
    return f"hooks in {_name(target)}"


def _name(target: Target) -> str:
    return f"{target.host} of {target.project}" if target.project else target.host


def runs(places: Places, found: Found, *, running: bool, current: bool) -> Iterator[Check]:
    """Run each command line as the host would, with a firing of which nothing is recorded.

    One that fails because a link before it is broken is off: what is wrong is told there.

    :param running: a daemon answers at our socket
    :param current: the script is the one that this release writes for these places
    """
    for command in found.commands:
        check = _run(places, found.target, command, running=running, current=current)
        yield check if found.sound and current else off(check.link, check.found) if check.mark is Mark.WRONG else check


def _run(places: Places, target: Target, command: str, *, running: bool, current: bool) -> Check:
    link, mend = f"hook run by {_name(target)}", f"`memoryd install {target.host}` writes it anew"
    nonce, started = secrets.token_hex(16), time.perf_counter()
    try:
        status, said = _through_sh(command, hooktests.payload(nonce), running=running)
    except subprocess.TimeoutExpired:
        return wrong(link, f"it did not end within {RUN_SECONDS:g} s", "`memoryd restart`, then look again")
    took_ms = (time.perf_counter() - started) * 1000
    if status or said:
        found = f"status {status}, {said[:200].decode(errors='replace').strip() or 'no output'}"
        return wrong(link, f"`{command}` fails: {found}", mend)
    if not running:
        return off(link, f"it runs ({took_ms:.0f} ms) and would spool; the daemon is down")
    spooled = _unspool(places, nonce)
    if not spooled and _arrived(places, nonce, target.host):
        return ok(link, f"delivered in {took_ms:.0f} ms")
    if spooled and current:
        return wrong(link, "the daemon did not take its event in time", "`memoryd stats` says what it does")
    return wrong(link, f"`{command}` ends well, but nothing of it arrived at {places.socket}", mend)


def _through_sh(command: str, text: str, *, running: bool) -> tuple[int, bytes]:
    """:raises TimeoutExpired: its process group was killed"""
    env = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "")}
    if not running:
        env[CHILD] = "1"  # it ends before it would spool
    hook = subprocess.Popen(
        ["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=env, start_new_session=True, cwd="/",
    )  # fmt: skip
    try:
        out, err = hook.communicate(text.encode(), timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(hook.pid, signal.SIGKILL)
        hook.communicate()
        raise
    return hook.returncode, out + err


def _unspool(places: Places, nonce: str) -> bool:
    """Whether the hook left its firing in the spool; then it is taken out again."""
    for file in places.spool.glob("[0-9]*-*"):
        with contextlib.suppress(OSError):
            if nonce.encode() in file.read_bytes():
                file.unlink()
                return True
    return False


def _arrived(places: Places, nonce: str, host: str) -> bool:
    try:
        with closing(Client(places.socket)) as client:
            found = client.call("hook.test", {"nonce": nonce}, timeout=5.0)
    except MemorydError:
        return False
    return bool(found.arrived and found.host == host)

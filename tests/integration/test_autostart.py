"""Hooks that start the daemon, for machines without a service manager: containers, WSL, ssh."""

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.installation import Installation, installed, until

from memoryd.daemon import daemonchecks
from memoryd.daemon.checks import Mark
from memoryd.daemon.cli import process
from memoryd.daemon.install import Installer, carry_out
from memoryd.daemon.lock import holder
from memoryd.errors import NoDaemon
from memoryd.ipc import starter

STDIN = {"hook_event_name": "UserPromptSubmit", "prompt": "I prefer short commit messages."}


@pytest.fixture
def one() -> Iterator[Installation]:
    """An installation with `autostart` in which no daemon ever ran."""
    with (
        tempfile.TemporaryDirectory(prefix="md") as short,
        installed(Path(short) / "h", DAEMON__AUTOSTART="true") as it,
    ):
        carry_out(Installer(places=it.places, env=it.env, autostart=True).plan_scripts())
        yield it
        process.stop(it.places)


def fire(one: Installation, session: str, **env: str) -> "subprocess.Popen[bytes]":
    """As a host in another environment runs it."""
    script = one.places.data / "bin" / "memoryd-hook"
    hook = subprocess.Popen(
        [script, "claude-code", "UserPromptSubmit"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={"PATH": "/nowhere", "HOME": "/other", **env}, cwd="/",
    )  # fmt: skip
    assert hook.stdin is not None
    hook.stdin.write(json.dumps({**STDIN, "session_id": session}).encode())
    hook.stdin.close()
    return hook


def ended(hook: "subprocess.Popen[bytes]") -> None:
    """Its pipes close with it: nothing that it started holds them."""
    assert hook.stdout is not None
    assert hook.stderr is not None
    assert (hook.stdout.read(), hook.stderr.read(), hook.wait(10)) == (b"", b"", 0)
    hook.stdout.close()
    hook.stderr.close()


def until_runs(one: Installation) -> int:
    def pid() -> int | None:
        with contextlib.suppress(NoDaemon):
            return process.health(one.places).pid
        return None

    return int(until(pid, what=lambda: "no daemon came up"))


def test_twenty_hooks_that_find_no_daemon_start_one_and_all_their_events_arrive(one: Installation) -> None:
    for hook in [fire(one, f"s{n}") for n in range(20)]:
        ended(hook)
    pid = until_runs(one)
    until(lambda: len(one.call("session.list", {"limit": 100}).items) == 20)
    assert holder(one.places.data) == pid
    assert os.getsid(pid) != os.getsid(0), "it would end with the host"


def test_no_hook_starts_a_daemon_after_a_stop_nor_within_an_agent_run(one: Installation) -> None:
    ended(fire(one, "inside", MEMORYD_CHILD="1"))
    assert not (one.places.spool / starter.STARTING).exists()
    assert daemonchecks.answers(one.places, autostart=True)[0].found == "not running; the next hook starts one"
    starter.mark_stopped(one.places)
    ended(fire(one, "stopped"))
    assert daemonchecks.answers(one.places, autostart=True)[0].found == "not running, because of `memoryd stop`"
    assert not (one.places.spool / starter.STARTING).exists()
    assert holder(one.places.data) is None
    one.start()
    assert not (one.places.spool / starter.STOPPED).exists()
    one.kill()
    ended(fire(one, "again"))
    until_runs(one)


def test_a_daemon_that_does_not_come_up_is_tried_once_a_minute(one: Installation) -> None:
    path = starter.path(one.places)
    path.write_text(f"#!/bin/sh\necho tried >>{one.home}/tries\nexit 1\n")
    for n in range(3):
        ended(fire(one, f"s{n}"))
    mark = one.places.spool / starter.STARTING
    told = daemonchecks.answers(one.places, autostart=True)[0]
    assert (told.mark, told.mend) == (Mark.WRONG, "`memoryd start`")
    assert "did not stay, see" in told.found
    until((one.home / "tries").exists)
    os.utime(mark, (0, 0))
    ended(fire(one, "later"))
    until(lambda: (one.home / "tries").read_text() == "tried\ntried\n")


def test_the_script_goes_when_the_configuration_no_longer_asks_for_it(one: Installation) -> None:
    assert starter.path(one.places).stat().st_mode & 0o777 == 0o700
    one.settings.clear()
    one.start()
    assert not starter.path(one.places).exists()
    one.kill()
    ended(fire(one, "s"))
    assert holder(one.places.data) is None
    assert not (one.places.spool / starter.STARTING).exists()


def test_the_script_holds_no_key(tmp_path: Path) -> None:
    places = Installation(tmp_path).places
    env = {"HOME": "/h", "OPENAI_API_KEY": "private", "MEMORYD_CHILD": "1", "MEMORYD_AGENT__KIND": "rules", "TZ": "UTC"}
    written = starter.text(places, Path("/x/python"), env)
    assert "private" not in written
    assert "MEMORYD_CHILD" not in written
    assert "MEMORYD_AGENT__KIND=rules" in written
    assert "TZ=UTC" in written

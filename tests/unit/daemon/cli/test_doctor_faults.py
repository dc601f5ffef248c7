"""Faults, each planted alone into one whole installation: doctor names that link and no other, and its mend mends.

Of a mend, the commands are run as they stand; where it is a sentence for a person, the test does what it says.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from support import service_manager
from support.hosts import codex_trust
from support.installation import until
from unit.daemon.cli.conftest import Cli

from memoryd import __version__
from memoryd.daemon import daemonchecks, scriptchecks, service
from memoryd.daemon.checks import Check, Mark
from memoryd.daemon.cli import process
from memoryd.daemon.doctor import examine
from memoryd.daemon.install import Installer, carry_out
from memoryd.daemon.lock import holder
from memoryd.daemon.service import Service
from memoryd.ipc import places as placing
from memoryd.ipc.client import Client
from memoryd.ipc.places import Places
from memoryd.memory.search.engine import VERSION

Undo = Callable[[], object]


@dataclass(frozen=True)
class Chain:
    """A home in which every link is whole: two hosts, a daemon, a service, a session with its transcript."""

    home: Path
    env: dict[str, str]
    patch: pytest.MonkeyPatch  #: undone after each test

    @property
    def places(self) -> Places:
        return placing.find(self.env)

    @property
    def claude(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def script(self) -> Path:
        return self.places.data / "bin" / "memoryd-hook"

    @property
    def transcript(self) -> Path:
        return self.home / "transcript.jsonl"

    def write(self, path: Path, old: str, new: str) -> Undo:
        """Put a text in the place of another; returns what puts it back."""
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        return lambda: path.write_text(text)


def _one_turn(places: Places, transcript: Path) -> None:
    """A session of Claude Code that had a turn and has a transcript."""
    transcript.write_text("")
    payload = {"session_id": "s", "transcript_path": str(transcript), "cwd": str(transcript.parent)}
    with Client(places.socket) as client:
        for n, (event, more) in enumerate(
            [("UserPromptSubmit", {"prompt": "I prefer tabs."}), ("Stop", {"last_assistant_message": "Noted."})]
        ):
            raw = json.dumps({**payload, "hook_event_name": event, "prompt_id": "p1", **more})
            params = {"id": f"{n:032x}", "at": "2026-11-30T08:00:00Z", "host": "claude-code", "event": event}
            client.call("hook.deliver", {**params, "raw": raw, "env": {"CLAUDE_CODE_SESSION_ATTENDED": "1"}})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    """The installation that the faults of this file share."""
    folder = tmp_path_factory.mktemp("chain")
    home = folder / "home"
    env = {"HOME": str(home), "XDG_RUNTIME_DIR": str(folder / "run"), "PATH": os.environ["PATH"]}
    places = placing.find(env)
    env["PATH"] = service_manager.put_into(folder / "programs", places.data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service, "BOOTED", folder)
        for name, value in env.items():
            patch.setenv(name, value)
        installer = Installer(places=places, env=env)
        for host in ("claude-code", "codex"):
            carry_out(installer.plan_install(installer.target(host)))
        with (home / ".codex" / "config.toml").open("a") as config:
            config.writelines(codex_trust(home / ".codex"))
        process.start(places)
        Service(places=places).write()
        for name in ("enabled", "lingers"):
            (folder / "programs" / name).touch()
        _one_turn(places, home / "transcript.jsonl")
        yield Chain(home, env, patch)
        for data in (places.data, home / "other"):
            process.stop(replace(places, data=data))


@pytest.fixture
def chain(whole: Chain, home: Path, monkeypatch: pytest.MonkeyPatch) -> Chain:
    for name, value in whole.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(whole.home)
    return replace(whole, patch=monkeypatch)


# the faults: each breaks one link, and returns what a person does by the mend where that is no command


def hook_line_edited(chain: Chain) -> None:
    chain.write(chain.claude, "bin/memoryd-hook", "gone/memoryd-hook")


def hook_of_an_event_removed(chain: Chain) -> None:
    settings = json.loads(chain.claude.read_text())
    del settings["hooks"]["Stop"]
    chain.claude.write_text(json.dumps(settings))


def hooks_switched_off(chain: Chain) -> Undo:
    return chain.write(chain.claude, "{", '{"disableAllHooks": true,')


def settings_broken(chain: Chain) -> Undo:
    return chain.write(chain.claude, "{", "{{")


def not_trusted_by_codex(chain: Chain) -> Undo:
    return chain.write(chain.home / ".codex" / "config.toml", "sha256:", "sha256:0")


def script_not_executable(chain: Chain) -> None:
    chain.script.chmod(0o600)


def script_missing(chain: Chain) -> None:
    chain.script.unlink()


def script_replaced(chain: Chain) -> None:
    chain.script.write_text("#!/bin/sh\nexit 3\n")


def interpreter_gone(chain: Chain) -> None:
    python = os.path.realpath(sys.executable)
    chain.write(chain.script, f"#!{python}", f"#!{python}.gone")


def socket_of_the_script_differs(chain: Chain) -> None:
    chain.write(chain.script, f"else None, {str(chain.places.socket)!r}", "else None, '/nowhere/s'")


def script_of_another_release(chain: Chain) -> None:
    chain.write(chain.script, "MAX_SPOOL_FILES = 20_000", "MAX_SPOOL_FILES = 10_000")


def daemon_down(chain: Chain) -> None:
    process.stop(chain.places)


def daemon_of_another_release(chain: Chain) -> Undo:
    chain.patch.setattr(daemonchecks, "__version__", "9.9.9")
    return lambda: chain.patch.setattr(daemonchecks, "__version__", __version__)


def daemon_of_another_data_directory(chain: Chain) -> None:
    process.stop(chain.places)
    other = replace(chain.places, data=chain.home / "other")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORYD_DAEMON__DATA_DIR", str(other.data))
        process.start(other)


def shell_without_runtime_directory(chain: Chain) -> Undo:
    """As over ssh, in cron or under sudo."""
    chain.patch.delenv("XDG_RUNTIME_DIR")
    return lambda: chain.patch.setenv("XDG_RUNTIME_DIR", chain.env["XDG_RUNTIME_DIR"])


def socket_of_the_configuration_changed(chain: Chain) -> Undo:
    chain.patch.setenv("MEMORYD_DAEMON__SOCKET", str(chain.places.socket.with_name("new.sock")))
    return lambda: chain.patch.delenv("MEMORYD_DAEMON__SOCKET")


def configuration_broken(chain: Chain) -> Undo:
    chain.places.config.parent.mkdir(parents=True)
    chain.places.config.write_text("[daemon]\nenabeld = true\n")
    return lambda: shutil.rmtree(chain.places.config.parent)


def data_open_to_others(chain: Chain) -> None:
    chain.places.data.chmod(0o755)


def data_in_a_synchronised_folder(chain: Chain) -> Undo:
    mark = chain.home / ".stfolder"
    mark.mkdir()
    return mark.rmdir


def journal_read_only(chain: Chain) -> None:
    (chain.places.data / "state.db").chmod(0o400)


def disk_full(chain: Chain) -> Undo:
    usage = shutil.disk_usage
    chain.patch.setattr(shutil, "disk_usage", lambda path: usage(path)._replace(free=4096))
    return lambda: chain.patch.setattr(shutil, "disk_usage", usage)


def clock_far_off(chain: Chain) -> Undo:
    journal = chain.places.data / "state.db"
    written = journal.stat().st_mtime
    os.utime(journal, (written, written + 3 * 86_400))
    return lambda: os.utime(journal, (written, written))


def transcript_unreadable(chain: Chain) -> Undo:
    chain.transcript.rename(chain.home / "elsewhere")
    chain.transcript.symlink_to(chain.home / "elsewhere")
    return lambda: (chain.home / "elsewhere").replace(chain.transcript)


def transcript_missing(chain: Chain) -> Undo:
    chain.transcript.unlink()
    return chain.transcript.touch


def index_corrupt(chain: Chain) -> None:
    folder = chain.places.data / "index" / f"v{VERSION}"
    until((folder / "meta.json").exists)
    with Client(chain.places.socket) as client:
        until(lambda: not client.call("daemon.health").index_behind)
    for file in folder.iterdir():
        if file.is_file() and file.suffix not in (".json", ".lock"):
            os.truncate(file, file.stat().st_size // 2)


def spool_not_drained(chain: Chain) -> Undo:
    bad = chain.places.spool / "bad"
    bad.mkdir(parents=True)
    (bad / "1-2-3").write_text("no line")
    return lambda: shutil.rmtree(bad)


def spool_was_full(chain: Chain) -> None:
    (chain.places.spool / ".full").touch()


def memory_file_too_large(chain: Chain) -> Undo:
    file = chain.places.user_memory / "knowledge" / "large.md"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(bytes((1 << 20) + 1))
    return file.unlink


def ignore_pattern_broken(chain: Chain) -> Undo:
    folder = chain.home / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".memoryd").mkdir()
    (folder / ".memoryd" / "ignore").write_text("*.log\na*b*c*d\n")
    chain.patch.chdir(folder)
    return lambda: chain.write(folder / ".memoryd" / "ignore", "a*b*c*d\n", "")


def service_outdated(chain: Chain) -> None:
    chain.write(Service(places=chain.places).folder / "memoryd.service", "[Service]", "[Service]\nNice=1")


def service_disabled(chain: Chain) -> None:
    subprocess.run(["systemctl", "--user", "disable"], check=True)


def starter_missing(chain: Chain) -> None:
    chain.patch.setenv("MEMORYD_DAEMON__AUTOSTART", "true")


def starter_left_over(chain: Chain) -> None:
    (chain.places.data / "bin" / "memoryd-start").write_text("#!/bin/sh\n")


FAULTS = [
    (hook_line_edited, "hooks in claude-code", "another path"),
    (hook_of_an_event_removed, "hooks in claude-code", "not all of them"),
    (hooks_switched_off, "hooks in claude-code", "disableAllHooks"),
    (settings_broken, "hooks in claude-code", "line 1 column 2"),
    (not_trusted_by_codex, "hooks in codex", "does not trust"),
    (script_not_executable, "hook script", "not executable"),
    (script_missing, "hook script", "missing"),
    (script_replaced, "hook script", "not what `memoryd install` wrote"),
    (interpreter_gone, "hook script", "is gone"),
    (socket_of_the_script_differs, "hook script", "its socket is /nowhere/s"),
    (script_of_another_release, "hook script", "another release"),
    (daemon_down, "daemon", "not running"),
    (daemon_of_another_release, "daemon", "this program 9.9.9"),
    (daemon_of_another_data_directory, "socket", "writes to"),
    (shell_without_runtime_directory, "socket", "hook and daemon use"),
    (socket_of_the_configuration_changed, "socket", "new.sock"),
    (configuration_broken, "config", "enabled"),
    (data_open_to_others, "data", "others can look"),
    (data_in_a_synchronised_folder, "data", "Syncthing"),
    (journal_read_only, "journal", "read-only"),
    (disk_full, "journal", "4096 bytes are free"),
    (clock_far_off, "clock", "already"),
    (transcript_unreadable, "transcripts", "1 of 1 cannot be read"),
    (transcript_missing, "transcripts", "none of claude-code is where it said"),
    (spool_not_drained, "spool", "1 events could not be read"),
    (spool_was_full, "spool", "dropped"),
    (memory_file_too_large, "memory files", "large.md"),
    (ignore_pattern_broken, "ignore file", "line 2 of"),
    (service_outdated, "service", "another release"),
    (service_disabled, "service", "not enabled"),
    (starter_missing, "autostart", "is missing"),
    (starter_left_over, "autostart", "a hook would start"),
    (index_corrupt, "index", "damaged"),  # last: it is built some seconds after the first event
]


@pytest.mark.parametrize(("plant", "link", "words"), FAULTS, ids=[plant.__name__ for plant, *_ in FAULTS])
def test_a_fault_is_named_alone_and_its_mend_mends(
    chain: Chain, cli: Cli, plant: Callable[[Chain], Undo | None], link: str, words: str
) -> None:
    by_hand = plant(chain)
    ran = cli("doctor", "--json")
    [check] = [Check(**one) for one in json.loads(ran.out)["checks"] if one["mark"] == Mark.WRONG]
    assert (check.link, ran.status) == (link, 1)
    assert words in check.found
    assert check.mend
    by_hand() if by_hand else _follow(check.mend, cli)
    mended = cli("doctor", "--json")
    assert mended.status == 0, mended.out


def _follow(mend: str, cli: Cli) -> None:
    """Run the first command of a mend, and the one that follows it."""
    first, then = re.match(r".*?`(.+?)`(?:, then `(.+?)`)?", mend).groups()  # type: ignore[union-attr]
    for command in filter(None, (first, then)):
        name, *words = command.split()
        if name != "memoryd":
            subprocess.run(["/bin/sh", "-c", command], check=True)
            _until_ended(words[0]) if name == "kill" else None
        else:
            ran = cli(*words, *(["--yes"] if "install" in words else []))
            assert ran.status == 0, ran


def _until_ended(pid: str) -> None:
    def ended() -> bool:
        with contextlib.suppress(OSError):
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        return True

    until(ended)


def test_a_whole_chain_leaves_nothing_behind(chain: Chain) -> None:
    def rows() -> Iterator[object]:
        with Client(chain.places.socket) as client:
            yield client.call("session.list")
            yield client.call("privacy.get").rows
            yield client.call("daemon.health").passed_over

    before, daemon = list(rows()), holder(chain.places.data)
    links = {check.link: check for check in examine()}
    assert {check.mark for check in links.values()} == {Mark.OK, Mark.OFF}
    for link in ("hook run by claude-code", "hook run by codex", "events", "transcripts", "index", "service"):
        assert links[link].mark is Mark.OK, links[link]
    assert list(rows()) == before
    assert holder(chain.places.data) == daemon
    assert not list(chain.places.spool.glob("*-*"))


def test_what_depends_on_a_broken_link_is_off(chain: Chain, cli: Cli) -> None:
    script_missing(chain)
    links: dict[str, Check] = {check.link: check for check in examine()}
    assert links["hook run by codex"].mark is Mark.OFF
    assert "status 127" in links["hook run by codex"].found
    _follow(links["hook script"].mend, cli)


def test_a_service_that_ends_with_the_last_login_is_told(chain: Chain) -> None:
    lingers = Path(chain.env["PATH"].partition(":")[0]) / "lingers"
    lingers.unlink()
    [check] = [check for check in examine() if check.link == "service"]
    assert (check.mark, check.found) == (Mark.OFF, "enabled; it ends with your last login")
    subprocess.run(["/bin/sh", "-c", check.mend.split("`")[1]], check=True)
    assert lingers.exists()


def test_team_memory_that_nobody_looked_at_is_told(chain: Chain, cli: Cli) -> None:
    folder = chain.home / "team"
    (folder / ".git").mkdir(parents=True)
    (folder / ".memoryd" / "memory" / "knowledge").mkdir(parents=True)
    (folder / ".memoryd" / "memory" / "knowledge" / "port.md").write_text("The port is 8080.\n")
    chain.patch.chdir(folder)
    assert "0 files trusted, 1 wait for a look\n  → `memoryd trust`" in cli("doctor").out
    assert cli("trust", "--yes").status == 0
    assert "✓ team memory: " in cli("doctor").out


def test_a_directory_that_is_gone_keeps_nothing_from_being_looked_at(chain: Chain, cli: Cli) -> None:
    gone = chain.home / "gone"
    gone.mkdir()
    chain.patch.chdir(gone)
    gone.rmdir()
    ran = cli("doctor")
    assert ran.status == 0, ran.out
    chain.patch.chdir(chain.home)


def test_status_names_what_an_upgrade_left_behind(chain: Chain, cli: Cli) -> None:
    assert cli("status").err == ""
    undo = [
        chain.write(chain.script, "MAX_SPOOL_FILES = 20_000", "MAX_SPOOL_FILES = 10_000"),
        chain.write(Service(places=chain.places).folder / "memoryd.service", "[Service]", "[Service]\nNice=1"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scriptchecks, "__version__", "9.9.9")
        ran = cli("status")
    for back in undo:
        back()
    assert ran.status == 0
    notes = [line for line in ran.err.splitlines() if line.startswith("note: ")]
    assert [note.split("`")[-2] for note in notes] == [
        "memoryd restart", "memoryd install --all", "memoryd service install",
    ]  # fmt: skip
    assert f"the daemon is memoryd {__version__}, this program 9.9.9" in ran.err

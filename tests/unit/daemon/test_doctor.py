"""Each broken link is found, named, and its mend told."""

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

if sys.modules.get("rich", sys) is None:  # the daemon's own modules keep rich out of their process
    del sys.modules["rich"]

from memoryd.daemon import hostchecks
from memoryd.daemon.checks import Check, Mark
from memoryd.daemon.cli import process
from memoryd.daemon.doctor import examine
from memoryd.daemon.install import INSTALLABLE, Installer, carry_out
from memoryd.ipc import places as placing
from memoryd.ipc.client import Client
from memoryd.worker.agents.child import cage


@pytest.fixture
def places(home: Path) -> placing.Places:
    return placing.find()


@pytest.fixture
def running(places: placing.Places) -> Iterator[placing.Places]:
    """Installed and started."""
    installer = Installer(places=places)
    carry_out(installer.plan_install(installer.target("claude-code")))
    process.start(places)
    yield places
    process.stop(places)


def _found() -> dict[str, Check]:
    return {check.link: check for check in examine()}


def _wrong() -> set[str]:
    return {check.link for check in examine() if check.mark is Mark.WRONG}


def test_a_whole_chain_has_no_broken_link(running: placing.Places) -> None:
    found = _found()
    assert not _wrong(), found
    assert "delivered" in found["hook run by claude-code"].found
    assert list(found) == [
        "config", "data", "journal", *(f"hooks in {host}" for host in INSTALLABLE), "hook script", "daemon", "socket",
        "hook run by claude-code", "spool",
        "quarantine", "memory files", "memories", "search by meaning", "memory agent", "cage", "service",
    ]  # fmt: skip


def test_looking_records_nothing(running: placing.Places) -> None:
    _found()
    with Client(running.socket) as client:
        assert client.call("session.list").items == ()
    assert not list(running.spool.glob("*-*"))


def test_without_a_daemon_the_hook_is_tried_and_spools_nothing(running: placing.Places) -> None:
    process.stop(running)
    found = _found()
    assert _wrong() == {"daemon"}
    assert "memoryd start" in found["daemon"].mend
    assert "would spool" in found["hook run by claude-code"].found
    assert not running.spool.exists() or not list(running.spool.iterdir())


def test_hooks_that_are_missing_in_a_host_that_is_there(places: placing.Places, home: Path) -> None:
    (home / ".claude").mkdir()
    assert _found()["hooks in claude-code"] == Check(
        link="hooks in claude-code", mark=Mark.WRONG, found="not installed", mend="`memoryd install claude-code`"
    )


def test_every_damage_is_told(running: placing.Places, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = running.data / "bin" / "memoryd-hook"
    settings = home / ".claude" / "settings.json"
    text = settings.read_text()

    script.chmod(0o600)
    assert "chmod 755" in _found()["hook script"].mend
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    assert _wrong() == {"hook script", "hook run by claude-code"}
    script.unlink()
    assert "missing" in _found()["hook script"].found
    carry_out(Installer(places=running).plan_scripts())

    settings.write_text(text.replace('"timeout": 10', '"timeout": 1'))
    assert _wrong() == {"hooks in claude-code"}
    settings.write_text(text.replace("{", '{"disableAllHooks": true,', 1))
    assert "disableAllHooks" in _found()["hooks in claude-code"].found
    settings.write_text("{")
    assert "line 1 column 2" in _found()["hooks in claude-code"].found
    settings.write_text(text)

    running.data.chmod(0o755)
    assert "chmod 700" in _found()["data"].mend
    running.data.chmod(0o700)

    (running.spool / "bad").mkdir(parents=True, exist_ok=True)
    (running.spool / "bad" / "x").touch()
    (running.spool / ".full").touch()
    assert "spool" in _wrong()
    (running.spool / "bad" / "x").unlink()
    (running.spool / ".full").unlink()
    assert not _wrong()

    monkeypatch.setenv("MEMORYD_DAEMON__DATA_DIR", str(running.data.parent / "other"))
    assert {"socket", "hooks in claude-code"} <= _wrong()


def test_a_payload_that_was_not_understood_is_shown(running: placing.Places) -> None:
    with Client(running.socket) as client:
        params = {
            "id": "0" * 32,
            "at": "2026-11-30T00:00:00Z",
            "host": "claude-code",
            "event": "Stop",
            "raw": "no json",
        }
        client.call("hook.deliver", params)
    assert "1 hook payloads" in _found()["quarantine"].found


def test_a_broken_configuration_does_not_end_the_examination(running: placing.Places) -> None:
    running.config.parent.mkdir(parents=True)
    running.config.write_text("[daemon]\nenabeld = true\n")
    found = _found()
    assert "enabled" in found["config"].found
    assert found["daemon"].mark is Mark.OK


def test_files_of_a_service_from_another_release_are_outdated(places: placing.Places, home: Path) -> None:
    folder = home / ".config" / "systemd" / "user"
    folder.mkdir(parents=True)
    (folder / "memoryd.service").write_text("[Service]\n")
    assert _found()["service"].mark is Mark.WRONG
    assert os.path.exists(folder)


def test_a_key_is_named_with_the_lines_that_would_use_it_and_used_for_nothing(
    running: placing.Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "MISTRAL_API_KEY", "VOYAGE_API_KEY", "JINA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "words only" in _found()["search by meaning"].found
    monkeypatch.setenv("OPENAI_API_KEY", "not-to-be-shown")
    check = _found()["search by meaning"]
    assert check.mark is Mark.OFF
    assert "OPENAI_API_KEY is set and is not used" in check.found
    assert 'embedder = "openai"' in check.mend
    assert "not-to-be-shown" not in check.found + check.mend


def test_a_damaged_journal_is_found_with_and_without_a_daemon(running: placing.Places) -> None:
    assert _found()["journal"].mark is Mark.OK
    process.stop(running)
    path = running.data / "state.db"
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)
    check = _found()["journal"]
    assert check.mark is Mark.WRONG
    assert "is damaged: " in check.found
    assert "restore a backup" in check.mend
    path.write_bytes(b"no database" * 500)
    assert "file is not a database" in _found()["journal"].found


def test_a_memory_file_that_is_too_large_is_named_in_every_directory(running: placing.Places, home: Path) -> None:
    with Client(running.socket) as client:
        event = {
            "id": "e1", "kind": "user_prompt", "host": "generic", "session_id": "s", "at": "2026-11-30T08:00:00Z",
            "memory_dir": str(home / "elsewhere"), "data": {"text": "hello"},
        }  # fmt: skip
        client.call("event.publish", {"event": event})
    (home / "elsewhere" / "knowledge").mkdir(parents=True, exist_ok=True)
    for root in (running.user_memory, home / "elsewhere"):
        (root / "knowledge" / "large.md").write_bytes(b"x" * (1 << 20) + b"y")
    check = _found()["memory files"]
    assert check.mark is Mark.WRONG
    assert check.found.startswith("2 not read: ")
    assert f"{home / 'elsewhere' / 'knowledge' / 'large.md'} (it is longer than 1048576 bytes" in check.found
    assert "at most 1 MiB" in check.mend


@pytest.mark.parametrize(
    ("settings", "there", "mark"),
    [("", True, Mark.OFF), ('kind = "command"', True, Mark.OK), ('kind = "command"', False, Mark.WRONG),
     ('kind = "command"\nallow_uncaged = true', False, Mark.OFF)],
)  # fmt: skip
def test_the_cage_is_named_and_missed_where_an_agent_needs_one(
    places: placing.Places, monkeypatch: pytest.MonkeyPatch, settings: str, there: bool, mark: Mark
) -> None:
    monkeypatch.setattr(cage, "describe", lambda: (there, "what is here"))
    places.config.parent.mkdir(parents=True, exist_ok=True)
    places.config.write_text(f"[agent]\n{settings}\n")
    check = _found()["cage"]
    assert check.mark is mark
    assert "what is here" in check.found
    assert ("allow_uncaged" in check.mend) == (mark is Mark.WRONG)


def test_an_agent_that_cannot_work_is_told_with_the_mend(places: placing.Places) -> None:
    places.config.parent.mkdir(parents=True, exist_ok=True)
    places.config.write_text('[agent]\nkind = "model"\nmodel = "gpt-5"\n')
    check = _found()["memory agent"]
    assert check.mark is Mark.WRONG
    assert "PROVIDER:NAME" in check.found


@dataclass(frozen=True)
class Chain:
    home: Path
    installer: Installer

    def checks(self, *hosts: str) -> list[Check]:
        """The links of these hosts alone."""
        checks, found = [], []
        for check, one in hostchecks.configured(self.installer):
            checks.append(check)
            found += [one] if one else []
        for one in found:
            if one.target.host in hosts:
                checks += hostchecks.runs(self.installer.places, one, running=True, current=True)
        return [check for check in checks if check.link.endswith(hosts)]

    @contextlib.contextmanager
    def broken(self, path: str, old: str, new: str) -> Iterator[None]:
        """A text stands in a file of a host instead of another."""
        file = self.home / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
        yield
        file.write_text(text)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    """Every host installed, on a home that the tests of a module share, and a daemon."""
    home = tmp_path_factory.mktemp("hosts")
    env = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run"), "PATH": os.environ["PATH"]}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        found = placing.find(env)
        installer = Installer(places=found, env=env)
        for host in INSTALLABLE:
            carry_out(installer.plan_install(installer.target(host)))
        process.start(found)
        yield Chain(home=home, installer=installer)
        process.stop(found)


def test_every_hosts_own_command_line_reaches_the_daemon(chain: Chain) -> None:
    checks = chain.checks(*INSTALLABLE)
    asking = {"hooks in codex", "hooks in hermes"}  # they run nothing before a person has agreed
    assert {check.link for check in checks if check.mark is not Mark.OK} == asking, checks
    plugins = {"opencode", "openclaw"}
    ran = {check.link.removeprefix("hook run by ") for check in checks if check.link.startswith("hook run")}
    assert ran == set(INSTALLABLE) - plugins
    with Client(chain.installer.places.socket) as client:
        assert client.call("session.list").items == ()


@pytest.mark.parametrize(
    ("path", "old", "new", "link", "words"),
    [
        (".claude/settings.json", "memoryd-hook", "gone/memoryd-hook", "hook run by claude-code", "status 127"),
        (".claude/settings.json", " SessionStart", " SessionStart; echo hello", "hook run by claude-code", "hello"),
        (".gemini/settings.json", "hook gemini", "hook qwen", "hook run by gemini", "nothing of it arrived"),
        (".cursor/hooks.json", "afterAgentResponse", "afterwards", "hooks in cursor", "not all of them"),
        (".qwen/settings.json", '"hooks"', '"disableAllHooks": true, "hooks"', "hooks in qwen", "disableAllHooks"),
        (".gemini/settings.json", '"hooks":', '"hooksConfig": {"enabled":false}, "hooks":', "hooks in gemini", "false"),
        (".codex/config.toml", "[mcp", "[features]\nhooks = false\n[mcp", "hooks in codex", "features.hooks = false"),
        (".copilot/hooks/memoryd.json", "}", "", "hooks in copilot", "line "),
        (".hermes/config.yaml", "pre_llm_call:", "pre_llm_call: [", "hooks in hermes", "line "),
        (".openclaw/hooks/memoryd/handler.js", "//", "///", "hooks in openclaw", "a person changed"),
    ],
)  # fmt: skip
def test_the_broken_link_of_a_host_is_named(chain: Chain, path: str, old: str, new: str, link: str, words: str) -> None:
    with chain.broken(path, old, new):
        wrong = [check for check in chain.checks(link.split()[-1]) if check.mark is Mark.WRONG]
    assert any(words in check.found and check.mend for check in wrong if check.link == link), wrong


def test_a_project_is_a_link_of_its_own_and_runs_only_what_we_wrote(chain: Chain, tmp_path: Path) -> None:
    target = chain.installer.target("qwen", tmp_path)
    plan = chain.installer.plan_install(target)
    assert any("every event is told twice" in note for note in plan.notes)
    carry_out(plan)
    name = f"qwen of {tmp_path}"
    assert {check.link: check.mark for check in chain.checks("qwen", str(tmp_path))} == {
        "hooks in qwen": Mark.OK, f"hooks in {name}": Mark.OK,
        "hook run by qwen": Mark.OK, f"hook run by {name}": Mark.OK,
    }  # fmt: skip
    target.main.write_text(target.main.read_text().replace(" SessionStart", f" SessionStart; touch {tmp_path}/run"))
    [check] = [check for check in chain.checks("qwen", str(tmp_path)) if name in check.link]
    assert check.mark is Mark.WRONG
    assert not (tmp_path / "run").exists()
    carry_out(chain.installer.plan_uninstall(target))

"""Each broken link is found, named, and its mend told."""

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

if sys.modules.get("rich", sys) is None:  # the daemon's own modules keep rich out of their process
    del sys.modules["rich"]

from memoryd.clock import utc_now
from memoryd.daemon import hostchecks, on_disk
from memoryd.daemon.checks import Check, Mark
from memoryd.daemon.cli import process
from memoryd.daemon.doctor import examine
from memoryd.daemon.install import INSTALLABLE, Installer, carry_out
from memoryd.daemon.journal.journal import Journal
from memoryd.ipc import places as placing
from memoryd.ipc.client import Client
from memoryd.worker.agents.child import cage


@pytest.fixture
def places(home: Path) -> placing.Places:
    return placing.find()


@dataclass(frozen=True)
class Shared:
    """A daemon that the tests of this file share, and a home with one host that uses it."""

    home: Path
    env: dict[str, str]
    places: placing.Places


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("shared")
    home = folder / "home"
    env = {
        "HOME": str(home), "XDG_RUNTIME_DIR": str(folder / "run"), "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"), "PATH": os.environ["PATH"],
    }  # fmt: skip
    found = placing.find(env)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        installer = Installer(places=found, env=env)
        carry_out(installer.plan_install(installer.target("claude-code")))
        process.start(found)
        yield Shared(home, env, found)
        process.stop(found)


@pytest.fixture
def running(shared: Shared, home: Path, monkeypatch: pytest.MonkeyPatch) -> placing.Places:
    """Installed and started."""
    for name, value in shared.env.items():
        monkeypatch.setenv(name, value)
    return shared.places


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
        "hook run by claude-code", "events", "transcripts", "index", "clock", "spool",
        "quarantine", "memory files", "memories", "search by meaning", "memory agent", "cage",
        "external memory", "service", "autostart",
    ]  # fmt: skip


def test_hooks_that_are_missing_in_a_host_that_is_there(places: placing.Places, home: Path) -> None:
    (home / ".claude").mkdir()
    mend = "`memoryd install claude-code`"
    link = "hooks in claude-code"
    assert _found()[link] == Check(link=link, mark=Mark.WRONG, found="not installed", mend=mend)
    installer = Installer(places=places)
    carry_out(installer.plan_install(installer.target("codex")))
    assert _found()[link].mark is Mark.OFF, "with another host connected, it is a person's choice"
    carry_out(installer.plan_install(installer.target("claude-code")))
    (home / ".claude" / "settings.json").unlink()
    (home / ".claude.json").unlink(missing_ok=True)
    assert _found()[link] == Check(link=link, mark=Mark.WRONG, found="taken out by another hand", mend=mend)


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


def test_a_damaged_journal_is_found_without_a_daemon(places: placing.Places) -> None:
    path = places.data / "state.db"
    path.parent.mkdir(parents=True, mode=0o700)
    Journal.open(path).close()
    assert _found()["journal"].mark is Mark.OK
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)
    check = _found()["journal"]
    assert check.mark is Mark.WRONG
    assert "is damaged: " in check.found
    assert "restore a backup" in check.mend
    assert _wrong() == {"journal"}, "no daemon starts with it"
    path.write_bytes(b"no database" * 500)
    assert "file is not a database" in _found()["journal"].found


@pytest.mark.parametrize(("minutes", "mark"), [(1, Mark.OFF), (10, Mark.WRONG)])
def test_events_that_a_running_daemon_leaves_in_the_spool_are_a_broken_link(
    places: placing.Places, minutes: int, mark: Mark
) -> None:
    spooled_at = utc_now() - timedelta(minutes=minutes)
    places.spool.mkdir(parents=True)
    (places.spool / f"{int(spooled_at.timestamp() * 1e9)}-1-{'0' * 32}").write_text("{}")
    [check] = on_disk.spool(places, running=True)
    assert check.mark is mark
    assert check.found.startswith("1 events wait")
    [check] = on_disk.spool(places, running=False)
    assert (check.mark, check.mend) == (Mark.OFF, "`memoryd start` takes them in")


def test_a_memory_file_that_is_too_large_is_named_in_every_directory(running: placing.Places, tmp_path: Path) -> None:
    with Client(running.socket) as client:
        event = {
            "id": "e1", "kind": "user_prompt", "host": "generic", "session_id": "s", "at": "2026-11-30T08:00:00Z",
            "memory_dir": str(tmp_path / "elsewhere"), "data": {"text": "hello"},
        }  # fmt: skip
        client.call("event.publish", {"event": event})
    (tmp_path / "elsewhere" / "knowledge").mkdir(parents=True, exist_ok=True)
    for root in (running.user_memory, tmp_path / "elsewhere"):
        (root / "knowledge" / "large.md").write_bytes(b"x" * (1 << 20) + b"y")
    check = _found()["memory files"]
    assert check.mark is Mark.WRONG
    assert check.found.startswith("2 not read: ")
    assert f"{tmp_path / 'elsewhere' / 'knowledge' / 'large.md'} (it is longer than 1048576 bytes" in check.found
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
def chain(shared: Shared, tmp_path_factory: pytest.TempPathFactory) -> Chain:
    """Every host installed, on a home of their own."""
    home = tmp_path_factory.mktemp("hosts")
    installer = Installer(places=shared.places, env={**shared.env, "HOME": str(home)})
    for host in INSTALLABLE:
        carry_out(installer.plan_install(installer.target(host)))
    return Chain(home=home, installer=installer)


def test_every_hosts_own_command_line_reaches_the_daemon(chain: Chain) -> None:
    checks = chain.checks(*INSTALLABLE)
    asking = {"hooks in codex", "hooks in hermes"}  # they run nothing before a person has agreed
    assert {check.link for check in checks if check.mark is not Mark.OK} == asking, checks
    plugins = {"opencode", "openclaw"}
    ran = {check.link.removeprefix("hook run by ") for check in checks if check.link.startswith("hook run")}
    assert ran == set(INSTALLABLE) - plugins


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
    host = link.split()[-1]
    with chain.broken(path, old, new):
        checks = chain.checks(host)
    assert [check.link for check in checks if check.mark is Mark.WRONG and check.mend] == [f"hooks in {host}"]
    assert any(words in check.found for check in checks if check.link == link), checks


def test_a_project_is_a_link_of_its_own_and_runs_only_what_we_wrote(chain: Chain, tmp_path: Path) -> None:
    target = chain.installer.target("qwen", tmp_path)
    before = replace(chain.installer, env={**chain.installer.env, "HOME": str(tmp_path)})  # the user's came later
    carry_out(before.plan_install(target))
    name = f"qwen of {tmp_path}"
    checks = chain.checks("qwen", str(tmp_path))
    assert {check.link: check.mark for check in checks} == {
        "hooks in qwen": Mark.OK, f"hooks in {name}": Mark.WRONG,
        "hook run by qwen": Mark.OK, f"hook run by {name}": Mark.OK,
    }  # fmt: skip
    [told] = [check for check in checks if check.mark is Mark.WRONG]
    assert ("told twice" in told.found, told.mend) == (
        True, f"`memoryd install qwen --project --uninstall` in {tmp_path}",
    )  # fmt: skip
    target.main.write_text(target.main.read_text().replace(" SessionStart", f" SessionStart; touch {tmp_path}/run"))
    [check] = [check for check in chain.checks("qwen", str(tmp_path)) if name in check.link]
    assert check.mark is Mark.WRONG
    assert not (tmp_path / "run").exists()
    carry_out(chain.installer.plan_uninstall(target))

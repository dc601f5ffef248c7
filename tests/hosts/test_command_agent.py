"""Released programs as memory agents, against a model on the loopback: a recorded session from hook to memory.

Each runs in the cage, with the login of its own home, under a daemon of its own.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.driven import at_work
from support.fake_model import Asked, FakeModel, Reply, item, served
from support.programs import PROGRAMS, Program
from support.released import PEOPLE, OfClaude, OfCodex, program, token

from memoryd.daemon.demo import replay

KNOWN = ("claude-code", "codex", "gemini")  #: the others may write no settings in the cage, and end at once
SAID = "I prefer short commit messages in the imperative mood"
RENEWED = token(exp=4_000_000_000, **{"https://api.openai.com/auth": {"chatgpt_account_id": "a"}})


class Stage(replay.Stage):
    """The demo's home, project and daemon, with a command as memory agent."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        super().__init__(folder)
        self.settings = settings

    def _environment(self) -> dict[str, str]:
        return super()._environment() | self.settings

    @property
    def sessions(self) -> set[str]:
        return {one.session_id for one in self.call("session.list").items}


def told_first(asked: Asked) -> Reply:
    return Reply(items=[item(SAID, "u1")], tokens=(4000, 60))


def answers(asked: Asked) -> Reply:
    """What the user says in the second turn; to a login that is to be renewed, a new one."""
    if asked.path.endswith("/token"):
        told = {"id_token": RENEWED, "access_token": RENEWED, "refresh_token": "new"}
        return Reply(raw=json.dumps(told))
    return Reply(items=[item(SAID, "u2")], tokens=(4000, 60))


@contextlib.contextmanager
def signed_in(name: str, folder: Path, command: list[str]) -> Iterator[tuple[OfClaude | OfCodex, Stage, FakeModel]]:
    """A person with a login and hooks, a daemon that uses the command, a model that answers."""
    with served(answers) as fake:
        stage = Stage(folder, {})
        person = PEOPLE[name](home=stage.home, hook=stage.hook)
        stage.settings = person.environment(fake.url) | {
            "MEMORYD_AGENT__KIND": "command", "MEMORYD_AGENT__COMMAND": json.dumps(command),
            "MEMORYD_CONSOLIDATION__INTERVAL_TURNS": "100", "MEMORYD_CONSOLIDATION__ON_COMPACTION": "false",
        }  # fmt: skip
        with stage:
            person.sign_in(fake.url)
            yield person, stage, fake


def preferences(stage: replay.Stage) -> list[str]:
    files = sorted(stage.places.data.rglob("memory/preferences.md"))
    return [line for path in files for line in path.read_text().splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("name", PEOPLE)
def test_a_released_program_consolidates_a_recorded_session_and_is_not_recorded_itself(
    name: str, tmp_path: Path
) -> None:
    command = [str(program(name)), PEOPLE[name].mode]
    if name == "codex":
        command.append("--dangerously-bypass-hook-trust")  # hooks that nobody trusts would be silent anyway
    with signed_in(name, tmp_path / "stage", command) as (person, stage, fake):
        login, folders = person.credentials.read_bytes(), folders_of(person.home)
        replay.replay(stage, replay.read_script(), replay.Checks())
        stats = stage.call("worker.stats")
        assert (stats.total_completed, stats.total_failed) == (1, 0)
        assert preferences(stage) == [f"- {SAID}"]
        assert (stats.tokens_in, stats.tokens_out) == fake.tokens
        assert len(fake.asked) == 1
        assert SAID in fake.asked[0].text
        if name == "codex":  # what it makes of our schema is what OpenAI takes
            assert fake.asked[0].body["text"]["format"]["schema"]["additionalProperties"] is False
            assert fake.asked[0].body["text"]["format"]["strict"] is True
        assert person.fired == 0
        assert stage.call("daemon.health").passed_over["excluded"] == 0  # no hook of its own has even knocked
        assert stage.sessions == {recorded_session()}
        assert person.credentials.read_bytes() == login
        assert folders_of(person.home) - folders == {"-home-dev-lantern"}  # the recording's


def test_a_login_that_has_run_out_is_renewed_from_within_the_cage_and_kept(tmp_path: Path) -> None:
    command = [str(program("codex")), "exec"]
    with signed_in("codex", tmp_path / "stage", command) as (person, stage, fake):
        assert isinstance(person, OfCodex)
        person.let_login_run_out()
        replay.replay(stage, replay.read_script(), replay.Checks())
        print((stage.home / "daemon.log").read_text()[-3000:], fake.asked[0].path, person.credentials.read_text())
        assert preferences(stage) == [f"- {SAID}"]
        kept = json.loads(person.credentials.read_text())["tokens"]
        assert kept["refresh_token"] == "new"
        assert [asked.headers["authorization"] for asked in fake.asked if asked.is_responses] == [f"Bearer {RENEWED}"]


def memory_agent(program: Program) -> Callable[[str], dict[str, str]]:
    """The settings of a daemon whose memory agent is the program, with what its person has in the environment."""

    def settings(url: str) -> dict[str, str]:
        return program.environment(url) | {
            "MEMORYD_AGENT__KIND": "command", "MEMORYD_AGENT__COMMAND": json.dumps(program.agent(url)),
        }  # fmt: skip

    return settings


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_run_in_the_command_line_of_any_host_causes_no_event(program: Program, tmp_path: Path) -> None:
    with at_work(program, tmp_path / "stage", answers=told_first, settings=memory_agent(program)) as work:
        fired = watched(work.stage.home, work.stage.hook)
        for kind, data in (("user_prompt", {"text": SAID}), ("turn", {"status": "ok"})):
            said = {"host": "generic", "session_id": "s", "kind": kind, "cwd": str(work.stage.project), "data": data}
            work.stage.call("event.publish", event={**said, "id": kind, "at": "2026-11-30T08:00:00Z"})
        before = work.stage.events()
        work.stage.call("consolidation.run", cwd=str(work.stage.project), wait=True)
        assert work.stage.events() == before
        assert fired() == []
        assert work.stage.call("daemon.health").passed_over["excluded"] == 0
        work.wait_for(lambda: not work.stage.left_running(), "end of what it started")
        stats = work.stage.call("worker.stats")
        if program.host in KNOWN:
            assert (stats.total_completed, len(work.fake.asked)) == (1, 1)
            assert preferences(work.stage) == [f"- {SAID}"]
        else:
            assert (stats.total_completed, work.fake.asked) == (0, [])
            assert "in its cage it may start only" in stats.last_error


def watched(home: Path, hook: Path) -> Callable[[], list[Path]]:
    """Let each hook that stands in a settings file leave a trace beside it first, where a caged one may write, too."""
    for settings in [*home.glob(".*/*.json"), *home.glob(".*/hooks/*.json")]:
        own = settings.with_name("own-hook")
        settings.write_text(settings.read_text().replace(str(hook), str(own)))
        own.write_text(f'#!/bin/sh\necho "$@" >>{settings.with_name("fired")}\nexec {hook} "$@"\n')
        own.chmod(0o700)
    return lambda: list(home.rglob("fired"))


def recorded_session() -> str:
    first = (replay.HERE / "hooks.jsonl").read_text("utf-8").splitlines()[0]
    return str(json.loads(first)["stdin"]["session_id"])


def folders_of(home: Path) -> set[str]:
    """Where Claude Code keeps what belongs to a directory."""
    folder = home / ".claude" / "projects"
    return {path.name for path in folder.iterdir()} if folder.exists() else set()

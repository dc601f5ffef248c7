"""The released hosts with the hooks that `memoryd install` wrote, asked without a terminal: what is told and given."""

from pathlib import Path

import pytest
from support.driven import UNSHOWN, Held, Work, at_work
from support.host_talk import WITH_A_TOOL
from support.programs import PROGRAMS, Program

from memoryd.daemon.agents import PLACES

FIRST, SECOND, THIRD = (
    f"Look at the lantern service. {WITH_A_TOOL}",
    f"Now part 9 on {UNSHOWN}.",
    "Thank you, that is all.",
)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_run_is_the_release_that_is_pinned(program: Program) -> None:
    assert program.command
    makefile = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")
    assert f" {program.package}@{program.version}" in makefile


@pytest.mark.timeout(400)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_talk_is_told_and_its_model_gets_the_memory_once(program: Program, tmp_path: Path) -> None:
    with at_work(program, tmp_path / "stage") as work:
        work.ask(FIRST)
        assert work.news() == ["session_start startup", "user_prompt", "turn ok", *program.ends]
        assert set(work.requests()) == {Held(1, 0, 0)}
        [start] = work.stage.events("session_start")

        work.ask(SECOND, session=start.session_id)
        assert work.news() == ["session_start resume", "user_prompt", "turn ok", *program.ends]
        assert set(work.requests()) == {Held(1, 0, 1)}
        assert len(sessions(work)) == 1

        if program.forks:
            work.ask(THIRD, session=start.session_id, fork=True)
            assert work.news() == [program.forks, "user_prompt", "turn ok", *program.ends]
            assert {held.snapshots for held in work.requests()} == {1}
            assert len(sessions(work)) == 2
        talk_is_read(work, start.session_id)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_memory_agent_that_runs_in_a_host_is_not_recorded_for_the_mark_or_for_the_folder(
    program: Program, tmp_path: Path
) -> None:
    with at_work(program, tmp_path / "stage") as work:
        folder = work.stage.places.data / PLACES / "a-run"
        folder.mkdir(parents=True)
        work.ask(FIRST, folder=folder)
        knocked = work.stage.call("daemon.health").passed_over["excluded"]
        assert knocked >= 2  # its hooks did run
        work.ask(FIRST, MEMORYD_CHILD="a-run")
        assert work.stage.call("daemon.health").passed_over["excluded"] == knocked
        assert work.stage.events() == []
        assert {held.snapshots for held in work.requests()} == {0}


def sessions(work: Work) -> set[str]:
    return {one.session_id for one in work.stage.events()}


def talk_is_read(work: Work, session: str) -> None:
    """Each prompt, answer and tool once; nothing that we gave comes back as said."""
    counted = work.stage.call("session.get", host=work.program.host, session_id=session)
    assert (counted.turn_count, counted.tool_calls) == (2, 1)
    told = [one for one in work.stage.events() if one.session_id == session]
    prompts = [one.data["text"].strip('"') for one in told if one.kind == "user_prompt"]
    assert prompts == [FIRST, SECOND]
    said = [one.data["text"] for one in told if one.kind == "message"]
    assert len(said) == len(set(said))
    assert not [text for text in said if "memory-context" in text]

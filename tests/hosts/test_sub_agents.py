"""The released hosts with a sub-agent: what it does is its own, its report and its files are the parent's too."""

from pathlib import Path
from typing import Any

import pytest
from support.driven import Work, at_work
from support.programs import PROGRAMS, Program
from support.sub_agent_talk import FILE, PROMPT, REPORT, answering

from memoryd.daemon.demo.replay import Stage


@pytest.mark.timeout(400)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_sub_agent_is_told_by_its_edge_its_report_and_its_files_and_counts_for_nothing_else(
    program: Program, tmp_path: Path
) -> None:
    project = Stage(tmp_path / "stage").project
    with at_work(program, tmp_path / "stage", answers=answering(project)) as work:
        (project / FILE).write_text("oil\n")
        work.ask(PROMPT)
        work.wait_for(
            lambda: (found := parent(work)) and found.turn_count and below(work, found), "turn with a sub-agent"
        )
        if (work.stage.places.spool / ".slow").exists() and program.host == "opencode":
            pytest.skip("the machine was too slow for its plugin: of a tool the spool keeps the outcome alone")
        work.wait_for(lambda: parent(work).files, "file")
        told = parent(work)
        [child] = below(work, told)
        assert (child.parent, child.open, child.recorded) == (told.session_id, False, True)
        assert REPORT in child.report
        assert child.agent_type
        assert [(file.path, file.by_session) for file in told.files] == [(str(project / FILE), child.session_id)]
        its = work.stage.call("session.get", host=program.host, session_id=child.session_id)
        assert (its.kind, its.turn_count, its.parent.session_id) == ("sub-agent", 0, told.session_id)
        assert (told.turn_count, told.parent) == (1, None)
        assert said_by_a_person(work) == {PROMPT}


def parent(work: Work) -> Any:
    """The session that is nobody's sub-agent, as far as anything is known of it."""
    listed = work.stage.call("session.list").items
    own = [one for one in listed if one.kind != "sub-agent"]
    assert len(own) <= 1
    return own and work.stage.call("session.get", host=own[0].host, session_id=own[0].session_id)


def below(work: Work, session: Any) -> Any:
    return work.stage.call("session.descendants", host=session.host, session_id=session.session_id).items


def said_by_a_person(work: Work) -> set[str]:
    prompts = [one for one in work.stage.events("user_prompt", "message") if one.data.get("role", "user") == "user"]
    return {one.data["text"].strip('"') for one in prompts}

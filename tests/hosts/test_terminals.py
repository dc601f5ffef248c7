"""The released hosts in a terminal: what only a person at one can do (trust, compact, clear, leave)."""

import json
from pathlib import Path

import pytest
from support.driven import SETTLE_SECONDS, UNSHOWN, Held, Work, at_work
from support.programs import PROGRAMS, Program
from support.terminal import Terminal

LOOK, ASK, GO_ON = "Look at the lantern service.", f"Now part 9 on {UNSHOWN}.", "Go on with the lantern."
AND_ON, OTHER, LAST = "And so on, once more.", "Something else.", "That is about all."


@pytest.mark.timeout(400)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_person_compacts_clears_and_leaves(program: Program, tmp_path: Path) -> None:
    with at_work(program, tmp_path / "stage") as work:
        with work.terminal() as terminal:
            program.settle_in(terminal)
            say(work, terminal, LOOK)
            work.tells("session_start startup", "user_prompt", "turn ok")
            assert work.requests(LOOK) == {Held(1, 0, 0)}
            say(work, terminal, ASK)
            work.tells("user_prompt", "turn ok")
            assert work.requests(ASK) == {Held(1, 0, 1)}

            terminal.settle()
            terminal.say(program.compact)
            terminal.wait_for(program.compacted)
            say(work, terminal, GO_ON)
            work.tells(*program.compacts, "user_prompt", "turn ok", late=program.read_late)
            assert {held[:2] for held in work.requests(GO_ON)} == {(1, 1)}
            say(work, terminal, AND_ON)
            work.tells("user_prompt", "turn ok", late=program.read_late)
            assert {held[:2] for held in work.requests(AND_ON)} == {(1, 1)}

            terminal.settle()
            terminal.say("/clear")
            terminal.settle()
            say(work, terminal, OTHER)
            work.tells(*program.clears, "user_prompt", "turn ok", late=program.read_late)
            assert work.requests(OTHER) == {Held(1, 0, 0)}
            first, second = dict.fromkeys(one.session_id for one in work.stage.events("user_prompt"))

            terminal.settle()
            terminal.say(program.leave)
            terminal.wait_for_end()
            work.is_well(terminal.seen)
        work.tells(*program.exits, late=program.read_late)
        turns = [
            work.stage.call("session.get", host=program.host, session_id=one).turn_count for one in (first, second)
        ]
        assert turns == [4, 1]
        again = work.stage.memoryd("install", program.host, "--yes")
        assert "unchanged" in again
        assert "does not trust" not in again  # as Codex asks for, and as we read it from its files


def compacted(work: Work, times: int) -> None:
    work.wait_for(lambda: len(work.stage.events("pre_compact")) >= times, "compaction in the transcript")


def say(work: Work, terminal: Terminal, text: str) -> None:
    """Type a prompt, and wait until its turn has ended."""
    before = len(work.stage.events("turn"))
    terminal.settle()
    terminal.say(text)
    terminal.wait_until(
        lambda: len(work.stage.events("turn")) > before, f"end of the turn after {text!r}", seconds=SETTLE_SECONDS
    )


@pytest.mark.timeout(400)
@pytest.mark.skipif("gemini" not in PROGRAMS, reason="MEMORYD_HOSTS does not name gemini")
def test_a_compaction_that_gemini_makes_by_itself_is_known_before_and_after_one_that_was_asked_for(
    tmp_path: Path,
) -> None:
    """It begins when the prompt's hook was answered: the prompt after that one gets the checkpoint."""
    program = PROGRAMS["gemini"]
    with at_work(program, tmp_path / "stage") as work:
        settings = work.stage.home / ".gemini" / "settings.json"
        each_turn = {**json.loads(settings.read_text()), "model": {"compressionThreshold": 0.0005}}
        settings.write_text(json.dumps(each_turn))
        with work.terminal() as terminal:
            program.settle_in(terminal)
            say(work, terminal, LOOK)
            say(work, terminal, ASK)
            compacted(work, 1)
            say(work, terminal, GO_ON)
            assert {held[:2] for held in work.requests(GO_ON)} == {(1, 1)}
            terminal.settle()
            terminal.say(program.compact)
            terminal.wait_for(program.compacted)
            say(work, terminal, AND_ON)
            assert {held[:2] for held in work.requests(AND_ON)} == {(1, 1)}
            known = len(work.stage.events("pre_compact"))
            say(work, terminal, OTHER)
            compacted(work, known + 1)
            say(work, terminal, LAST)
            assert {held[:2] for held in work.requests(LAST)} == {(1, 1)}
            terminal.settle()
            terminal.say(program.leave)
            terminal.wait_for_end()

"""The released hosts in a terminal: what only a person at one can do (trust, compact, clear, leave)."""

from pathlib import Path

import pytest
from support.driven import UNSHOWN, Held, Work, at_work
from support.programs import PROGRAMS, Program
from support.terminal import Terminal


@pytest.mark.timeout(400)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_person_compacts_clears_and_leaves(program: Program, tmp_path: Path) -> None:
    with at_work(program, tmp_path / "stage") as work:
        with work.terminal() as terminal:
            program.settle_in(terminal)
            say(work, terminal, "Look at the lantern service.")
            assert work.news() == ["session_start startup", "user_prompt", "turn ok"]
            assert set(work.requests()) == {Held(1, 0, 0)}
            say(work, terminal, f"Now part 9 on {UNSHOWN}.")
            assert work.news() == ["user_prompt", "turn ok"]
            assert set(work.requests()) == {Held(1, 0, 1)}

            terminal.settle()
            terminal.say(program.compact)
            terminal.wait_for(program.compacted)
            work.fake.asked.clear()
            say(work, terminal, "Go on with the lantern service.")
            assert [one for one in work.news() if one not in program.read_late] == [
                *program.compacts, "user_prompt", "turn ok",
            ]  # fmt: skip
            assert {held[:2] for held in work.requests()} == {(1, 1)}
            say(work, terminal, "And go on once more.")
            assert {held[:2] for held in work.requests()} == {(1, 1)}
            work.news()

            terminal.settle()
            terminal.say("/clear")
            terminal.settle()
            say(work, terminal, "Something else.")
            assert work.news() == [*program.clears, "user_prompt", "turn ok"]
            assert set(work.requests()) == {Held(1, 0, 0)}
            first, second = (
                one.session_id
                for one in work.stage.events("session_start")[:: len(work.stage.events("session_start")) - 1]
            )
            assert first != second

            terminal.settle()
            terminal.say(program.leave)
            terminal.wait_for_end()
            work.is_well(terminal.seen)
        work.wait_for(lambda: len(work.stage.events("session_end")) >= len(program.exits), "end of the session")
        assert work.news() == list(program.exits)
        turns = [
            work.stage.call("session.get", host=program.host, session_id=one).turn_count for one in (first, second)
        ]
        assert turns == [4, 1]


def say(work: Work, terminal: Terminal, text: str) -> None:
    """Type a prompt, and wait until its turn has ended."""
    before = len(work.stage.events("turn"))
    terminal.settle()
    terminal.say(text)
    terminal.wait_until(lambda: len(work.stage.events("turn")) > before, f"end of the turn after {text!r}")

"""Files of the spool and of memory that are torn, flipped or empty: the rest is used, and nothing of it is an error.

A memory file that was damaged looks like one that a person edited, and is taken for that: what stood in it before is
in the versions, and an undo brings it back.
"""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from faults.test_damage import HURTS, more
from faults.test_hook import Hooks
from support.faults_oracle import at_rest, examined, settle
from support.faults_profile import dice, pick
from support.faults_publish import Ledger, projects
from support.faults_table import Judge
from support.installation import Installation, until

from memoryd.errors import Conflict

ROUNDS = pick(quick=1, full=20)
SPOOLED, HURT = 9, 3


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("how", HURTS)
def test_a_damaged_file_of_the_spool_holds_up_none_of_the_others(
    installation: Installation, tmp_path: Path, how: str, judge: Judge
) -> None:
    hooks, random, spool = Hooks(installation, tmp_path), dice(f"spool {how}"), installation.places.spool
    whole: list[str] = []
    for number in range(ROUNDS):
        sent = {f"{number} {n}": hooks.prompt(f"{number} {n}") for n in range(SPOOLED)}
        names = sorted(name for name in os.listdir(spool) if name[0].isdigit())
        hurt = random.sample(range(SPOOLED), HURT)
        for n in hurt:
            HURTS[how](spool / names[n], random)
        whole += [text for n, text in enumerate(sent) if n not in hurt]
        installation.start()
        while hooks.spooled():  # a hook that meets the daemon has the spool drained before its own event
            hooks.prompt(f"live {number} {hooks.spooled()}")
        installation.kill()
    arrived = [text for text in hooks.arrived() if text in whole]
    assert arrived == whole
    assert len(os.listdir(spool / "bad")) + len(hooks.arrived()) >= ROUNDS * SPOOLED
    assert "Traceback" not in installation.tail(1_000)
    judge(f"file of the spool {how}", ROUNDS * HURT)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("how", HURTS)
def test_a_damaged_memory_file_is_an_edit_that_can_be_undone(
    installation: Installation, how: str, judge: Judge
) -> None:
    random, ledger, count = dice(f"memory {how}"), Ledger("s", cwd=projects(installation.home, 1)[0]), 0
    installation.start()
    more(installation, ledger)
    installation.idle()
    for _ in range(ROUNDS):
        installation.kill()
        path = installation.places.user_memory / "preferences.md"
        before = path.read_bytes()
        for file in [one for one in installation.places.data.rglob("memory/**/*.md") if one.stat().st_size]:
            HURTS[how](file, random)
            count += 1
        installation.start()
        installation.call("recall.snapshot", {"cwd": ledger.cwd})
        more(installation, ledger)
        installation.idle()
        _undo_what_was_seen(installation)
        missing = [line for line in before.splitlines() if line not in path.read_bytes().splitlines()]
        assert missing == []
        assert examined(installation) == []
    settle(installation)
    judge(f"memory file {how}", count, at_rest(installation, [ledger]))


def _undo_what_was_seen(installation: Installation) -> None:
    """As a person does who finds in `memoryd log --writes` what nobody wrote."""
    seen = [one for one in installation.call("memory.log", {"writes": True, "limit": 500}).items if one.run[0] == "v"]
    assert seen
    for one in seen:
        with suppress(Conflict):  # of an earlier round: taken back already
            installation.call("memory.undo", {"run": one.run})
    until(lambda: not installation.call("worker.stats").running, what=installation.tail)

"""People save core files, in four manners, while the real daemon writes what publishers say into the same files."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from support.editor import EDITORS
from support.faults_oracle import at_rest, settle
from support.faults_profile import SEED, dice, pick
from support.faults_publish import Crowd, Ledger
from support.faults_table import Judge
from support.installation import Installation, installed, reading, rows, until

SAVES = pick(quick=50, full=1_000)
SLOWER = 20  #: the editor pauses for milliseconds, a run takes tens of them: both must get their turn
TESTS = Path(__file__).parent.parent


class Talker(Ledger):
    """A user who states a new preference in every turn, so that every run wants to write the file."""

    def text(self, number: int) -> str:
        return f"I prefer tool-{number}-{self.session} for task-{number}-{self.session}."


@pytest.mark.timeout(900)
def test_every_save_of_a_person_is_in_the_file_or_in_the_versions(tmp_path: Path, judge: Judge) -> None:
    dice("editors")
    folders = {kind: tmp_path / f"memory-{kind}" for kind in EDITORS}
    ledgers = [Talker(f"talk-{kind}", memory_dir=str(folder)) for kind, folder in folders.items()]
    with installed(tmp_path / "h", CONSOLIDATION__INTERVAL_TURNS="1") as installation:
        installation.start()
        crowd = Crowd(installation, ledgers, pace_seconds=0.05)
        crowd.up()
        crowd.start()
        files = {kind: folder / "preferences.md" for kind, folder in folders.items()}
        until(lambda: all(b"tool-" in _content(file) for file in files.values()), what=installation.tail)
        editors = {kind: _edit(kind, file) for kind, file in files.items()}
        wanted = {kind: _markers(editor) for kind, editor in editors.items()}
        crowd.end()
        settle(installation)
        lost = {kind: _lost(installation, files[kind], markers) for kind, markers in wanted.items()}
        displaced = {kind: len(markers) for kind, markers in wanted.items()}
        print(f"{SAVES} saves each; to be found: {displaced}; runs: {_outcomes(installation)}")
        assert not any(lost.values()), lost
        judge("save of a person during runs", SAVES * len(EDITORS), at_rest(installation, ledgers))


_EDITOR = """
import os, sys, time
from pathlib import Path
from support import editor
os.umask(0o077)
nap = time.sleep
time.sleep = lambda seconds: nap(seconds * int(sys.argv[5]))
editor.main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
"""


def _edit(kind: str, file: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", _EDITOR, kind, str(file), str(SAVES), str(SEED), str(SLOWER)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )


def _markers(editor: "subprocess.Popen[str]") -> list[str]:
    """The saves that were displaced by someone else, and the last one."""
    out, _ = editor.communicate(timeout=600)
    assert editor.returncode == 0
    found: list[str] = json.loads(out)
    return found


def _lost(installation: Installation, file: Path, markers: list[str]) -> list[str]:
    with reading(installation.database) as connection:
        kept = rows(
            connection,
            "select content from versions join blobs using (digest) where root = ? and path = ?",
            str(file.parent), file.name,
        )  # fmt: skip
    contents = [_content(file), *(content for (content,) in kept)]
    return [marker for marker in markers if not any(marker.encode() in content for content in contents)]


def _outcomes(installation: Installation) -> dict[str, int]:
    with reading(installation.database) as connection:
        return dict(Counter(row[0] for row in rows(connection, "select outcome from runs")))


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""

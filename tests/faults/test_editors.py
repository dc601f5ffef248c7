"""People at editors, as processes of their own, against a daemon that applies without pause.

100 saves of each editor; the full profile runs 1 000.
"""

import json
import os
import subprocess
import sys
from collections import Counter, deque
from pathlib import Path

import pytest
from support.editor import EDITORS
from support.faults_profile import pick
from support.faults_table import Judge
from support.versions import MemoryVersions

from memoryd import fsio
from memoryd.clock import mono, utc_now
from memoryd.errors import PathRefused
from memoryd.memory.apply import Raced, apply
from memoryd.memory.directory import MemoryDirectory
from memoryd.memory.ports import Author, FileChange, Version
from memoryd.memory.recovery import settle

SAVES = pick(quick=100, full=1000)
SEED = 20261130
TESTS = Path(__file__).parent.parent
HELD_SECONDS = 1.0  # 10 s in the daemon; an editor of this test holds a file for milliseconds


class Daemon:
    """Observes, adds a line to one file after the other (to all at every fifth time), settles what came out."""

    def __init__(self, root: Path) -> None:
        self.memory = MemoryDirectory(root)
        self.memory.create()
        self.versions = MemoryVersions()
        self.outcomes: Counter[str] = Counter()
        self.edits = 0
        self.waiting: deque[tuple[float, str]] = deque()

    def round(self, number: int, paths: list[str]) -> None:
        self.settle_due()
        self.memory.observe(self.versions, utc_now())
        chosen = paths if number % 5 == 0 else [paths[number % len(paths)]]
        changes = [change for path in chosen if (change := self._change(path, number))]
        run_id = f"run-{number}"
        outcome = apply(changes, run_id=run_id, begin=lambda: None, commit=lambda: self._commit(changes, run_id))
        self.outcomes[type(outcome).__name__] += 1
        if isinstance(outcome, Raced):
            self.versions.record(outcome.found)
        self.waiting.append((mono() + HELD_SECONDS, run_id))

    def settle_due(self) -> None:
        while self.waiting and self.waiting[0][0] < mono():
            _, run_id = self.waiting.popleft()
            if edits := settle(self.memory.path, self.versions, run_id=run_id):
                self.edits += len(edits)
                self.waiting.append((mono() + HELD_SECONDS, run_id))

    def settle_all(self) -> None:
        while edits := settle(self.memory.path, self.versions):
            self.edits += len(edits)

    def _change(self, path: str, number: int) -> FileChange | None:
        digest = self.versions.newest(self.memory.path).get(path)
        base = self.versions.content(digest) if digest else None
        lines = (base or b"").splitlines(keepends=True)[-200:]
        return FileChange(root=self.memory.path, path=path, base=base, new=b"".join([*lines, b"run %d\n" % number]))

    def _commit(self, changes: list[FileChange], run_id: str) -> None:
        self.versions.record(
            [
                Version(root=c.root, path=c.path, content=c.new, author=Author.RUN, run_id=run_id, at=utc_now())
                for c in changes
            ]
        )


def _edit(kind: str, path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "support.editor", kind, str(path), str(SAVES), str(SEED)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )


@pytest.mark.timeout(600)
@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
def test_no_save_of_any_editor_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portable: bool, judge: Judge
) -> None:
    monkeypatch.setattr(fsio, "_portable", portable)
    daemon = Daemon(tmp_path / "memory")
    paths = {kind: f"knowledge/{kind}.md" for kind in EDITORS}
    editors = {kind: _edit(kind, daemon.memory.path / path) for kind, path in paths.items()}
    number = 0
    while any(editor.poll() is None for editor in editors.values()):
        daemon.round(number, list(paths.values()))
        number += 1
    daemon.settle_all()
    daemon.memory.observe(daemon.versions, utc_now())
    lost = {}
    for kind, editor in editors.items():
        out, _ = editor.communicate(timeout=10)
        kept = b"\0".join(filter(None, daemon.versions.contents(paths[kind])))
        lost[kind] = [marker for marker in json.loads(out) if marker.encode() not in kept]
    print(f"{SAVES} saves each, seed {SEED}: {dict(daemon.outcomes)}, {daemon.edits} edits of moved files")
    judge("save of a person during applies", SAVES * len(EDITORS))
    assert not any(lost.values()), lost
    assert daemon.outcomes["Committed"] > 0
    assert daemon.outcomes["Raced"] > 0
    assert {p.suffix for p in daemon.memory.path.rglob("*") if p.is_file()} == {".md"}
    assert not list(daemon.memory.path.rglob(".*"))


@pytest.mark.skipif(sys.platform != "linux", reason="the flipper needs RENAME_EXCHANGE")
@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
def test_a_folder_that_flips_to_a_link_never_leads_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portable: bool, judge: Judge
) -> None:
    monkeypatch.setattr(fsio, "_portable", portable)
    daemon = Daemon(tmp_path / "memory")
    root, outside = daemon.memory.path, tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"outside\n")
    (root / "link").symlink_to(outside)
    flips = f"""
import ctypes, time
call = ctypes.CDLL(None).renameat2
while True:
    call(-100, {os.fsencode(root / "knowledge")!r}, -100, {os.fsencode(root / "link")!r}, 2)
    time.sleep(0.0005)
"""
    refused = 0
    flipper = subprocess.Popen([sys.executable, "-c", flips])
    try:
        for number in range(2_000):
            try:
                daemon.round(number, ["knowledge/a.md"])
            except PathRefused:
                refused += 1
            if refused > 50 and daemon.outcomes["Committed"] > 50:
                break
    finally:
        flipper.kill()
        flipper.wait()
    print(f"{dict(daemon.outcomes)}, {refused} refused")
    judge("folder that flips to a link", refused)
    assert daemon.outcomes["Committed"] > 0
    assert refused > 0
    assert {p.name: p.read_bytes() for p in outside.iterdir()} == {"a.md": b"outside\n"}
    assert not [content for content in daemon.versions.contents("knowledge/a.md") if content and b"outside" in content]

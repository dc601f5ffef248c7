import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.versions import MemoryVersions, intent_of

from memoryd import fsio
from memoryd.errors import CannotWrite, Conflict, PathRefused, RestartNeeded
from memoryd.memory.apply import Committed, Raced, apply
from memoryd.memory.aside import digest
from memoryd.memory.directory import MemoryDirectory
from memoryd.memory.ports import FileChange
from memoryd.memory.recovery import Intent, recover, settle

RUN = "run-1"
OLD = {"user.md": b"old\n", "knowledge/db.md": b"postgres\n", "knowledge/gone.md": b"stale\n"}
NEW = {"user.md": b"new\n", "knowledge/db.md": b"sqlite\n", "daily/2026-11-30.md": b"made\n"}


@pytest.fixture(params=[False, True], ids=["native", "portable"], autouse=True)
def portable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(fsio, "_portable", request.param)
    return bool(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = MemoryDirectory(tmp_path / "memory")
    directory.create()
    for path, content in OLD.items():
        (directory.path / path).write_bytes(content)
    return directory.path


@pytest.fixture
def versions() -> MemoryVersions:
    return MemoryVersions()


def _changes(root: Path) -> list[FileChange]:
    return [
        FileChange(root=root, path=path, base=OLD.get(path), new=NEW.get(path))
        for path in ("user.md", "knowledge/db.md", "daily/2026-11-30.md", "knowledge/gone.md")
    ]


def _on_disk(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def _nothing() -> None:
    """An intent or a commit that just works."""


def _apply(root: Path, *, commit: Callable[[], None] = _nothing) -> Committed | Raced:
    return apply(_changes(root), run_id=RUN, begin=_nothing, commit=commit)


def _just_before(
    monkeypatch: pytest.MonkeyPatch, name: str, then: Callable[[], object], *, call: Callable[..., bool] | None = None
) -> None:
    """Let someone act just before the first call of a function of fsio (for which `call` holds)."""
    really: Callable[..., object] = getattr(fsio, name)
    acts: Iterator[Callable[[], object]] = iter([then])

    def wrapped(*args: object, **named: object) -> object:
        if call is None or call(*args, **named):
            next(acts, _nothing)()
        return really(*args, **named)

    monkeypatch.setattr(fsio, name, wrapped)


def _raise(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


# -- without a race ----------------------------------------------------------------------------------------------


def test_changes_are_applied_and_settle_removes_what_came_out(root: Path, versions: MemoryVersions) -> None:
    order: list[str] = []
    outcome = apply(
        _changes(root), run_id=RUN, begin=lambda: order.append("begin"), commit=lambda: order.append("commit")
    )
    assert outcome == Committed()
    assert order == ["begin", "commit"]
    assert {p: c for p, c in _on_disk(root).items() if "/." not in f"/{p}"} == NEW
    assert settle(root, versions, run_id=RUN) == []
    assert _on_disk(root) == NEW
    assert {(root / path).stat().st_mode & 0o777 for path in NEW} == {0o600}


def test_a_missing_folder_is_made(root: Path) -> None:
    (root / "daily").rmdir()
    assert _apply(root) == Committed()
    assert (root / "daily").stat().st_mode & 0o777 == 0o700


def test_everything_is_synced_before_the_commit_point(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    really = os.fsync

    def noted(fd: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{fd}"))
        really(fd)

    if not os.path.exists("/proc/self/fd"):
        pytest.skip("tells folders apart through /proc")
    monkeypatch.setattr(os, "fsync", noted)
    _apply(root, commit=lambda: synced.append("commit"))
    before = set(synced[: synced.index("commit")])
    assert before == {str(root), str(root / "knowledge"), str(root / "daily")}


def test_a_path_that_breaks_a_rule_is_refused_before_the_intent(root: Path) -> None:
    change = FileChange(root=root, path="../x.md", base=None, new=b"x")
    with pytest.raises(PathRefused):
        apply([change], run_id=RUN, begin=_raise(AssertionError()), commit=_nothing)


@pytest.mark.parametrize("path", ["user.md", "knowledge"])
def test_a_link_in_the_way_is_refused_and_nothing_is_written_outside(root: Path, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    (root / path).rename(outside)
    (root / path).symlink_to(outside)
    before = outside.read_bytes() if outside.is_file() else _on_disk(outside)
    with pytest.raises(PathRefused):
        _apply(root)
    assert before == (outside.read_bytes() if outside.is_file() else _on_disk(outside))
    assert not [p for p in _on_disk(root) if "/." in f"/{p}"]


# -- someone else was first --------------------------------------------------------------------------------------


def test_a_save_before_the_check_wins_and_nothing_is_touched(root: Path) -> None:
    (root / "knowledge/db.md").write_bytes(b"mysql\n")
    outcome = _apply(root, commit=_raise(AssertionError()))
    assert isinstance(outcome, Raced)
    assert [(v.path, v.content) for v in outcome.found] == [("knowledge/db.md", b"mysql\n")]
    assert _on_disk(root) == {**OLD, "knowledge/db.md": b"mysql\n"}


@pytest.mark.parametrize("path", ["user.md", "knowledge/db.md", "knowledge/gone.md"])
def test_a_save_between_check_and_change_wins_and_the_others_are_undone(
    root: Path, versions: MemoryVersions, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    name = path.rpartition("/")[2]
    function = "rename" if path == "knowledge/gone.md" else "replace"
    _just_before(
        monkeypatch,
        function,
        lambda: (root / path).write_bytes(b"person\n"),
        call=lambda _, a, b, *__: name in (a, b) and not (a.endswith(".tmp") or b.endswith(".old")),
    )
    outcome = _apply(root, commit=_raise(AssertionError()))
    assert isinstance(outcome, Raced)
    assert (path, b"person\n") in [(v.path, v.content) for v in outcome.found]
    assert settle(root, versions, run_id=RUN) == []
    assert _on_disk(root) == {**OLD, path: b"person\n"}


def test_a_file_that_someone_creates_first_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = root / "daily/2026-11-30.md"
    _just_before(
        monkeypatch, "rename_noreplace", lambda: made.write_bytes(b"person\n"), call=lambda _, a, b: b == made.name
    )
    outcome = _apply(root)
    assert isinstance(outcome, Raced)
    assert [v.content for v in outcome.found] == [b"person\n"]
    assert made.read_bytes() == b"person\n"


def test_a_file_that_someone_deletes_first_stays_deleted(
    root: Path, versions: MemoryVersions, monkeypatch: pytest.MonkeyPatch
) -> None:
    _just_before(monkeypatch, "replace", (root / "knowledge/db.md").unlink, call=lambda _, a, b, c: b == "db.md")
    outcome = _apply(root)
    assert isinstance(outcome, Raced)
    assert [(v.path, v.content) for v in outcome.found] == [("knowledge/db.md", None)]
    settle(root, versions, run_id=RUN)
    assert _on_disk(root) == {path: content for path, content in OLD.items() if path != "knowledge/db.md"}


def test_saves_while_putting_back_leave_the_last_one_and_report_each(
    root: Path, versions: MemoryVersions, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, saves = fsio.replace, iter([b"one\n", b"two\n", b"three\n"])

    def save_before(*args: object) -> None:
        if save := next(saves, None):
            fsio.write_durable(root / "user.md", save)
        really(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fsio, "replace", save_before)
    change = FileChange(root=root, path="user.md", base=OLD["user.md"], new=b"new\n")
    outcome = apply([change], run_id=RUN, begin=_nothing, commit=_nothing)
    assert isinstance(outcome, Raced)
    assert [v.content for v in outcome.found] == [b"one\n", b"two\n", b"three\n"]
    assert (root / "user.md").read_bytes() == b"three\n"
    settle(root, versions)
    assert (root / "user.md").read_bytes() == b"three\n"


# -- the commit fails --------------------------------------------------------------------------------------------


def test_a_commit_that_fails_puts_every_file_back(root: Path, versions: MemoryVersions) -> None:
    with pytest.raises(Conflict, match="not this run's"):
        _apply(root, commit=_raise(Conflict("the token is not this run's")))
    assert settle(root, versions, run_id=RUN) == []
    assert _on_disk(root) == OLD


def test_a_save_before_a_failing_commit_stays(root: Path, versions: MemoryVersions) -> None:
    def save_and_fail() -> None:
        (root / "user.md").write_bytes(b"new\nperson\n")
        raise Conflict("the token is not this run's")

    with pytest.raises(Conflict):
        _apply(root, commit=save_and_fail)
    assert settle(root, versions, run_id=RUN) == []
    assert _on_disk(root) == {**OLD, "user.md": b"new\nperson\n"}


def test_a_full_disk_while_staging_leaves_everything_as_it_was(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    really, writes = os.write, iter([b"", b""])

    def write(fd: int, data: bytes) -> int:
        return really(fd, data) if next(writes, None) is not None else _raise(full)() or 0

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(CannotWrite, match="disk full"):
        _apply(root)
    assert _on_disk(root) == OLD


def test_files_that_cannot_be_put_back_ask_for_a_restart(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        monkeypatch.setattr(fsio, "replace", lambda *_: _raise(CannotWrite("cannot write: disk error"))())
        raise Conflict("the token is not this run's")

    with pytest.raises(RestartNeeded, match="restart memoryd"):
        _apply(root, commit=fail)
    monkeypatch.undo()
    assert recover(_intent(root), _blobs) == []
    settle(root, MemoryVersions())
    assert _on_disk(root) == OLD


# -- editors that hold a file open -------------------------------------------------------------------------------


def test_an_edit_of_the_moved_file_goes_on_top(root: Path, versions: MemoryVersions) -> None:
    with (root / "user.md").open("ab") as editor:
        _apply(root)
        editor.write(b"person\n")
    assert [v.content for v in settle(root, versions, run_id=RUN)] == [b"old\nperson\n"]
    assert versions.contents("user.md") == [b"old\nperson\n"]
    assert settle(root, versions, run_id=RUN) == []
    assert _on_disk(root) == {**NEW, "user.md": b"old\nperson\n"}


def test_an_edit_of_a_removed_file_brings_it_back(root: Path, versions: MemoryVersions) -> None:
    with (root / "knowledge/gone.md").open("ab") as editor:
        _apply(root)
        editor.write(b"person\n")
    settle(root, versions, run_id=RUN)
    assert _on_disk(root)["knowledge/gone.md"] == b"stale\nperson\n"


def test_an_edit_of_the_moved_file_goes_on_top_of_later_runs_too(root: Path, versions: MemoryVersions) -> None:
    with (root / "user.md").open("ab") as editor:
        _apply(root)
        later = FileChange(root=root, path="user.md", base=b"new\n", new=b"newer\n")
        apply([later], run_id="run-2", begin=_nothing, commit=_nothing)
        editor.write(b"person\n")
    settle(root, versions, run_id=RUN)
    assert (root / "user.md").read_bytes() == b"old\nperson\n"


def test_a_later_save_stands_and_the_edit_is_kept_as_a_version(root: Path, versions: MemoryVersions) -> None:
    with (root / "user.md").open("ab") as editor:
        _apply(root)
        editor.write(b"person\n")
    (root / "user.md").write_bytes(b"later\n")
    assert [v.content for v in settle(root, versions, run_id=RUN)] == [b"old\nperson\n"]
    assert _on_disk(root) == {**NEW, "user.md": b"later\n"}


def test_an_edit_made_to_ours_while_it_stood_there_is_kept(root: Path, versions: MemoryVersions) -> None:
    editors = []

    def open_and_fail() -> None:
        editors.append((root / "user.md").open("ab"))
        raise Conflict("the token is not this run's")

    with pytest.raises(Conflict):
        _apply(root, commit=open_and_fail)
    with editors[0] as editor:
        editor.write(b"person\n")
    settle(root, versions, run_id=RUN)
    assert (root / "user.md").read_bytes() == b"new\nperson\n"


def test_settle_leaves_the_files_of_other_runs_alone(root: Path, versions: MemoryVersions) -> None:
    _apply(root)
    before = _on_disk(root)
    assert settle(root, versions, run_id="run-2") == []
    assert _on_disk(root) == before


# -- recovery ----------------------------------------------------------------------------------------------------


def _intent(root: Path) -> Intent:
    return intent_of(RUN, _changes(root))


def _blobs(hashed: str) -> bytes | None:
    return {digest(content): content for content in OLD.values()}.get(hashed)


class _Died(BaseException):
    """Stands for a process that ends; tests/faults kills a real one at every step."""


def test_an_apply_that_never_committed_is_rolled_back(root: Path, versions: MemoryVersions) -> None:
    with suppress(_Died):
        _apply_and_die(root)
    assert recover(_intent(root), _blobs) == []
    assert settle(root, versions) == []
    assert _on_disk(root) == OLD


def test_a_roll_back_keeps_what_a_person_saved_on_top(root: Path, versions: MemoryVersions) -> None:
    with suppress(_Died):
        _apply_and_die(root)
    (root / "user.md").write_bytes(b"new\nperson\n")
    assert [(v.path, v.content) for v in recover(_intent(root), _blobs)] == [("user.md", b"new\nperson\n")]
    settle(root, versions)
    assert _on_disk(root) == {**OLD, "user.md": b"new\nperson\n"}


def test_a_roll_back_works_from_the_record_when_the_dot_files_are_gone(root: Path, versions: MemoryVersions) -> None:
    with suppress(_Died):
        _apply_and_die(root)
    for path in _on_disk(root):
        if path.startswith(".user.md"):
            (root / path).unlink()
    assert recover(_intent(root), _blobs) == []
    settle(root, versions)
    assert _on_disk(root) == OLD


def test_a_file_that_a_person_deleted_before_the_crash_stays_deleted(root: Path) -> None:
    (root / "knowledge/gone.md").unlink()
    assert [(v.path, v.content) for v in recover(_intent(root), _blobs)] == [("knowledge/gone.md", None)]
    assert not (root / "knowledge/gone.md").exists()


def _apply_and_die(root: Path) -> None:
    """Leave the files as a process does that is killed just before its commit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memoryd.memory.apply._put_back", lambda *_: None)
        _apply(root, commit=_raise(_Died()))

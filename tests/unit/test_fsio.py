import errno
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd import fsio
from memoryd.errors import CannotWrite, PathRefused

TEXT = b"- likes short answers\n"


@pytest.fixture(params=[False, True], ids=["native", "portable"])
def portable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(fsio, "_portable", request.param)
    return bool(request.param)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty folder."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


@pytest.fixture
def folder(place: Path) -> Iterator[int]:
    fd = fsio.open_folder(place)
    yield fd
    os.close(fd)


def _fail_with(number: int) -> Callable[..., int]:
    def fail(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    return fail


def _read(root_fd: int, path: str) -> bytes:
    fd = fsio.open_beneath(root_fd, path, os.O_RDONLY)
    try:
        return fsio.read_all(fd)
    finally:
        os.close(fd)


# -- opening below a folder --------------------------------------------------------------------------------------


def test_a_file_in_a_subfolder_is_opened_close_on_exec(portable: bool, folder: int, place: Path) -> None:
    (place / "knowledge").mkdir()
    (place / "knowledge/db.md").write_bytes(TEXT)
    fd = fsio.open_beneath(folder, "knowledge/db.md", os.O_RDONLY)
    assert fsio.read_all(fd) == TEXT
    assert not os.get_inheritable(fd)
    os.close(fd)


@pytest.mark.parametrize(
    "path", ["../secret.md", "link.md", "inner/db.md", "out/secret.md", "/etc/hostname", "a/../../x"]
)
def test_no_path_leads_out_or_through_a_link(portable: bool, place: Path, path: str) -> None:
    root = place / "memory"
    (root / "knowledge").mkdir(parents=True)
    (root / "a").mkdir()
    (root / "knowledge/db.md").write_bytes(TEXT)
    (place / "secret.md").write_bytes(b"outside")
    (root / "link.md").symlink_to("../secret.md")
    (root / "inner").symlink_to("knowledge")
    (root / "out").symlink_to("..")
    fd = fsio.open_folder(root)
    with pytest.raises(PathRefused, match="cannot open"):
        fsio.open_beneath(fd, path, os.O_RDONLY)
    os.close(fd)


def test_what_is_no_regular_file_is_refused_without_waiting(
    portable: bool, folder: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(place / "pipe.md")
    (place / "folder.md").mkdir()
    monkeypatch.chdir(place)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("door.md")
        for name in ("pipe.md", "folder.md", "door.md"):
            for flags in (os.O_RDONLY, os.O_WRONLY):
                with pytest.raises(PathRefused, match=name):
                    fsio.open_beneath(folder, name, flags)


def test_a_missing_file_is_an_answer(portable: bool, folder: int) -> None:
    with pytest.raises(FileNotFoundError):
        fsio.open_beneath(folder, "none.md", os.O_RDONLY)


def test_a_folder_is_opened_when_asked_for(portable: bool, folder: int, place: Path) -> None:
    (place / "daily").mkdir()
    for path in ("daily", "."):
        fd = fsio.open_beneath(folder, path, os.O_RDONLY | os.O_DIRECTORY)
        assert os.path.sameopenfile(fd, folder) is (path == ".")
        os.close(fd)


@pytest.mark.skipif(sys.platform != "linux", reason="the flipper needs RENAME_EXCHANGE")
def test_a_folder_that_flips_to_a_link_never_shows_the_outside(portable: bool, place: Path) -> None:
    root = place / "m"
    (root / "sub").mkdir(parents=True)
    (place / "out").mkdir()
    (root / "sub/a.md").write_bytes(b"inside")
    (place / "out/a.md").write_bytes(b"outside")
    (root / "link").symlink_to("../out")
    flips = f"""
import ctypes
call = ctypes.CDLL(None).renameat2
while True:
    call(-100, {os.fsencode(root / "sub")!r}, -100, {os.fsencode(root / "link")!r}, 2)
"""
    fd = fsio.open_folder(root)
    flipper = subprocess.Popen([sys.executable, "-c", flips])
    seen: dict[str, int] = {"inside": 0, "refused": 0}
    try:
        for _ in range(200_000):
            try:
                seen[_read(fd, "sub/a.md").decode()] += 1
            except PathRefused:
                seen["refused"] += 1
            if min(seen.values()) > 500:
                break
    finally:
        flipper.kill()
        flipper.wait()
        os.close(fd)
    assert min(seen.values()) > 0


# -- names -------------------------------------------------------------------------------------------------------


def test_rename_without_replace_leaves_what_stands(portable: bool, folder: int, place: Path) -> None:
    (place / ".new").write_bytes(b"ours")
    (place / "user.md").write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        fsio.rename_noreplace(folder, ".new", "user.md")
    assert (place / "user.md").read_bytes() == b"theirs"
    (place / "user.md").unlink()
    fsio.rename_noreplace(folder, ".new", "user.md")
    assert [p.name for p in place.iterdir()] == ["user.md"]


def test_replace_lets_two_files_change_places(portable: bool, folder: int, place: Path) -> None:
    (place / ".new").write_bytes(b"new")
    (place / "user.md").write_bytes(b"old")
    fsio.replace(folder, ".new", "user.md", ".old")
    assert {p.name: p.read_bytes() for p in place.iterdir()} == {".new": b"old", "user.md": b"new"}


def test_replace_of_a_missing_file_changes_nothing(portable: bool, folder: int, place: Path) -> None:
    (place / ".new").write_bytes(b"new")
    with pytest.raises(FileNotFoundError):
        fsio.replace(folder, ".new", "user.md", ".old")
    assert [p.name for p in place.iterdir()] == [".new"]


def test_a_save_inside_the_window_of_moving_aside_stands(
    folder: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fsio, "_portable", True)
    (place / ".new").write_bytes(b"new")
    (place / "user.md").write_bytes(b"old")
    really = fsio.rename_noreplace

    def saved_meanwhile(dir_fd: int, a: str, b: str) -> None:
        (place / "user.md").write_bytes(b"person")
        really(dir_fd, a, b)

    monkeypatch.setattr(fsio, "rename_noreplace", saved_meanwhile)
    with pytest.raises(FileExistsError):
        fsio.replace(folder, ".new", "user.md", ".old")
    assert {p.name: p.read_bytes() for p in place.iterdir()} == {
        ".new": b"new",
        ".old": b"old",
        "user.md": b"person",
    }


def test_moving_aside_puts_the_file_back_when_the_disk_fails(
    folder: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fsio, "_portable", True)
    (place / ".new").write_bytes(b"new")
    (place / "user.md").write_bytes(b"old")
    really, calls = os.link, iter([_fail_with(errno.EIO)])
    monkeypatch.setattr(os, "link", lambda *args, **named: next(calls, really)(*args, **named))
    with pytest.raises(CannotWrite, match="disk reports an error"):
        fsio.replace(folder, ".new", "user.md", ".old")
    assert {p.name: p.read_bytes() for p in place.iterdir()} == {".new": b"new", "user.md": b"old"}


def test_the_probe_for_exchange_leaves_nothing(folder: int, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fsio.can_exchange(folder) is True
    monkeypatch.setattr(fsio, "_exchanges", {})
    monkeypatch.setattr(fsio, "_rename_flagged", _fail_with(errno.EINVAL))
    assert fsio.can_exchange(folder) is False
    assert list(place.iterdir()) == []


# -- writing -----------------------------------------------------------------------------------------------------


def test_a_durable_write_is_whole_private_and_alone(place: Path, folder: int) -> None:
    fsio.write_durable(place / "user.md", TEXT)
    assert (place / "user.md").stat().st_mode & 0o777 == 0o600
    fsio.write_durable(place / "user.md", TEXT * 2, mode=0o666)  # the umask has no say
    assert [p.name for p in place.iterdir()] == ["user.md"]
    assert (place / "user.md").read_bytes() == TEXT * 2
    assert (place / "user.md").stat().st_mode & 0o777 == 0o666


def test_a_durable_write_syncs_the_file_before_its_name_and_the_folder_after(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def noted(name: str, really: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            order.append(name)
            return really(*args, **named)

        return call

    for name in ("write", "fdatasync", "rename", "fsync"):
        monkeypatch.setattr(os, name, noted(name, getattr(os, name)))
    fsio.write_durable(place / "user.md", TEXT)
    assert order == ["write", "fdatasync", "rename", "fsync"]


def test_short_writes_are_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    really = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: really(fd, data[:3]))
    fsio.write_all(writer, TEXT)
    os.close(writer)
    assert os.read(reader, 1000) == TEXT
    os.close(reader)


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (errno.ENOSPC, CannotWrite, "disk full; free space"),
        (errno.EDQUOT, CannotWrite, "quota"),
        (errno.EROFS, CannotWrite, "read-only"),
        (errno.EACCES, CannotWrite, "permission denied"),
        (errno.EIO, CannotWrite, "disk reports an error"),
        (errno.EBADF, CannotWrite, "Bad file descriptor"),
        (errno.ELOOP, PathRefused, "symbolic link"),
        (errno.ENAMETOOLONG, PathRefused, "too long"),
    ],
)
def test_an_os_error_becomes_a_sentence_and_leaves_the_old_file(
    place: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception], words: str
) -> None:
    path = place / "user.md"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "write", _fail_with(number))
    with pytest.raises(kind, match=words) as caught:
        fsio.write_durable(path, TEXT)
    assert str(caught.value).startswith("cannot write ")
    assert str(place) in str(caught.value)
    assert isinstance(caught.value.__cause__, OSError)
    assert {p.name: p.read_bytes() for p in place.iterdir()} == {"user.md": b"old"}


def test_a_full_disk_leaves_the_old_file(place: Path) -> None:
    if sys.platform != "linux" or not shutil.which("mount") or os.geteuid():
        pytest.skip("needs root on Linux to mount a small file system")
    small = place / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        fsio.write_durable(small / "user.md", b"old")
        with pytest.raises(CannotWrite, match="disk full"):
            fsio.write_durable(small / "user.md", b"x" * 200_000)
        assert {p.name: p.read_bytes() for p in small.iterdir()} == {"user.md": b"old"}
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_missing_folders_are_made_private(place: Path) -> None:
    fsio.make_dirs(place / "a/b/c")
    fsio.make_dirs(place / "a/b/c")
    assert [(place / p).stat().st_mode & 0o777 for p in ("a", "a/b", "a/b/c")] == [0o700] * 3


def test_two_writers_of_one_file_leave_one_of_their_texts(place: Path) -> None:
    texts = [letter * 5_000 for letter in (b"a", b"b")]

    def write(text: bytes) -> None:
        for _ in range(20):
            fsio.write_durable(place / "user.md", text)

    writers = [threading.Thread(target=write, args=(text,)) for text in texts]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(30)
    assert (place / "user.md").read_bytes() in texts
    assert [p.name for p in place.iterdir()] == ["user.md"]


@pytest.mark.timeout(10)
def test_a_file_that_anybody_may_have_put_there_is_opened_only_if_it_is_a_regular_one(place: Path) -> None:
    (place / "file").write_bytes(TEXT)
    (place / "link").symlink_to("file")
    os.mkfifo(place / "pipe")  # it has no writer: a plain open would wait for one

    for refused in ("link", "pipe", ".", "missing"):
        with pytest.raises(OSError, match=re.escape(str(place))):
            fsio.open_regular(place / refused)
    with pytest.raises(fsio.Irregular):
        fsio.open_regular(place / "pipe", follow=True)
    for name, follow in (("file", False), ("link", True)):
        fd = fsio.open_regular(place / name, follow=follow)
        assert os.read(fd, 100) == TEXT
        os.close(fd)

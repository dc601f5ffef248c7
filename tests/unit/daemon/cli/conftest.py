"""The command line in this process, against a daemon in another one."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

if sys.modules.get("rich", sys) is None:  # the daemon's own modules keep rich out of their process
    del sys.modules["rich"]

from memoryd.daemon.cli import app
from memoryd.daemon.cli.process import start, stop
from memoryd.ipc import places as placing


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def cli(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run one command as `memoryd ARGS` would; nobody sits at its stdin."""
    monkeypatch.setenv("COLUMNS", "160")

    def run(*args: str, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["memoryd", *args])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        status = app._run()
        out, err = capsys.readouterr()
        return Ran(status, out, err)

    return run


@dataclass(frozen=True, slots=True)
class World:
    """A daemon, and the folders that it and the commands share."""

    home: Path
    project: Path
    places: placing.Places


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One daemon for the tests of a module."""
    folder = tmp_path_factory.mktemp("world")
    names = ("HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "MEMORYD_SOCKET")
    before = {name: os.environ.pop(name, None) for name in names}
    os.environ.update(HOME=str(folder / "home"), XDG_RUNTIME_DIR=str(folder / "run"))
    for name in ("home", "run", "project"):
        (folder / name).mkdir()
    places = placing.find()
    try:
        start(places)
        yield World(home=folder / "home", project=folder / "project", places=places)
    finally:
        stop(places)
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@pytest.fixture
def world(started: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The module's daemon is the one that commands find; they run in its project."""
    monkeypatch.setenv("HOME", str(started.home))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(started.places.socket.parent.parent))
    monkeypatch.chdir(started.project)
    return started


@pytest.fixture
def shell(home: Path) -> Callable[..., "subprocess.Popen[str]"]:
    """A command in a process of its own."""

    def run(*args: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "memoryd", *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    return run

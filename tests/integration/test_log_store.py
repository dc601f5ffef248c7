"""A log store that is filled, damaged, read-only, gone or no file at all changes nothing that is remembered."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.faults_mounts import fill, tmpfs
from support.installation import Installation, installed, until

from memoryd.daemon.logstore import LogStore, Query

MARK = "zebrafish"
TALK = (f"I prefer tabs over {MARK} spaces.", "Always run make lint before you commit.", "我喜欢简洁的代码风格。")
STORE = Path(".local", "share", "memoryd", "logs.db")
Prepare = Callable[[Path], object]
Result = tuple[dict[str, str], str]  #: core files, and what a new session is told


@pytest.fixture
def home(home: Path) -> Path:
    return home / "i"


def say(one: Installation, number: int, text: str) -> None:
    for kind, data in (("user_prompt", {"text": text}), ("turn", {"last_assistant_message": f"noted {MARK}"})):
        event = {
            "id": f"{kind}{number}", "kind": kind, "host": "generic", "session_id": "s1", "turn_id": f"t{number}",
            "at": f"2026-11-30T08:0{number}:00Z", "cwd": "/", "data": data,
        }  # fmt: skip
        assert one.call("event.publish", {"event": event}).seq > 0


def remembered(home: Path, prepare: Prepare, during: Prepare) -> Result:
    """Core files and recall after a talk, in the middle of which something happens to the log store."""
    with installed(home, CONSOLIDATION__INTERVAL_TURNS="1", DAEMON__LOG_LEVEL="debug") as one:
        store = one.places.data / "logs.db"
        store.parent.mkdir(mode=0o700, parents=True)
        prepare(store)
        one.start()
        say(one, 1, TALK[0])
        one.idle()
        during(store)
        for number, text in enumerate(TALK[1:], start=2):
            say(one, number, text)
        one.idle()
        assert one.call("daemon.health").state == "ok"
        told = one.call("recall.snapshot", {}).text
        assert one.stop() == 0
        assert one.complaints() == []
        files = {path.name: path.read_text() for path in one.places.user_memory.glob("*.md")}
        return files, told.replace(str(home), "")


def nothing(store: Path) -> None:
    pass


def damage(store: Path) -> None:
    store.write_bytes(os.urandom(40_000))


@pytest.fixture(scope="module")
def healthy_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("healthy") / "i"


@pytest.fixture(scope="module")
def healthy(healthy_home: Path) -> Result:
    """What is remembered with nothing in the way."""
    found = remembered(healthy_home, nothing, nothing)
    assert MARK in found[0]["preferences.md"]
    return found


@pytest.mark.usefixtures("healthy")
def test_the_store_holds_what_happened_and_no_word_of_what_was_said(healthy_home: Path) -> None:
    store = healthy_home / STORE
    events = [line.event for line in LogStore(store).read(Query())]
    assert {"daemon.ready", "run.started", "run.succeeded", "daemon.stopped"} <= set(events)
    assert MARK.encode() not in store.read_bytes()
    assert "简洁".encode() not in store.read_bytes()


@pytest.mark.parametrize(
    ("prepare", "during", "usable"),
    [
        (damage, lambda store: store.unlink(missing_ok=True), True),
        (nothing, damage, True),
        (os.mkfifo, nothing, False),
    ],
    ids=["damaged, then deleted", "damaged meanwhile", "a FIFO"],
)
def test_a_store_in_a_bad_way_changes_no_memory(
    home: Path, healthy: Result, prepare: Prepare, during: Prepare, usable: bool
) -> None:
    assert remembered(home, prepare, during) == healthy
    if usable:
        assert "daemon.stopped" in [line.event for line in LogStore(home / STORE).read(Query())]
    else:
        assert "logs.unwritten" in (home / "log").read_text()


@pytest.mark.root
@pytest.mark.parametrize("state", ["full", "read-only"])
def test_a_store_on_a_disk_that_takes_nothing_changes_no_memory(
    home: Path, healthy: Result, tmp_path: Path, state: str
) -> None:
    with tmpfs(tmp_path, megabytes=1) as disk:
        (disk / "logs.db").touch()

        def spoil(_: Path) -> None:
            if state == "full":
                fill(disk / "filler")
            else:
                subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

        assert remembered(home, lambda store: store.symlink_to(disk / "logs.db"), spoil) == healthy
        assert "logs.unwritten" in (home / "log").read_text()


def test_the_store_is_switched_off_and_on_without_a_restart(home: Path) -> None:
    with installed(home) as one:
        config = one.places.config
        config.parent.mkdir(parents=True)
        config.write_text("[logs]\nstore = false\n")
        one.start()
        assert one.call("daemon.health").state == "ok"
        config.write_text("[logs]\nstore = true\n")
        assert not (home / STORE).exists()
        one.signal(signal.SIGHUP)
        until((home / STORE).exists)
        assert one.stop() == 0
        events = [line.event for line in LogStore(home / STORE).read(Query())]
        assert events == ["config.reloaded", "daemon.stopping", "daemon.stopped"]

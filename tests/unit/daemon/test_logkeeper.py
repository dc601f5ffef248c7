"""From the log to the store: batches, no thread at rest, nothing that the one who logs could feel."""

import ast
import asyncio
import logging
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.serving import until

from memoryd.daemon import logkeeper
from memoryd.daemon.logkeeper import CODES, FIELDS, LogKeeper, line_of
from memoryd.daemon.logstore import LogLine, LogStore, Query
from memoryd.errors import CannotWrite

SOURCE = Path(__file__).parents[3] / "src" / "memoryd"


class Batches:
    """A store that notes what it is given, and waits or fails when it is told to."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.broken = False
        self.gate = threading.Event()
        self.gate.set()

    def write(self, lines: Sequence[LogLine]) -> None:
        self.gate.wait(10)
        if self.broken:
            raise CannotWrite("no space")
        self.batches.append([line.event for line in lines])


@pytest.fixture
def store() -> Any:
    return Batches()


@pytest.fixture
def keeper(store: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LogKeeper]:
    monkeypatch.setattr(logkeeper, "BATCH_SECONDS", 0.05)
    made = LogKeeper(store)
    yield made
    store.gate.set()
    made.settle()


def record(event: str = "a.b", level: int = logging.INFO, **fields: Any) -> logging.LogRecord:
    return logging.LogRecord("daemon", level, "daemon.py", 7, {"event": event, **fields}, (), None)


async def test_few_events_are_one_batch_and_then_there_is_no_thread(keeper: LogKeeper, store: Any) -> None:
    for number in range(5):
        keeper.handle(record(f"a.{number}"))
    await until(lambda: store.batches)
    assert store.batches == [[f"a.{n}" for n in range(5)]]
    await until(lambda: "log-store" not in [thread.name for thread in threading.enumerate()])
    keeper.handle(record("a.later"))
    await until(lambda: len(store.batches) == 2)


async def test_128_events_do_not_wait(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logkeeper, "BATCH_SECONDS", 600.0)
    keeper = LogKeeper(store)
    for number in range(300):
        keeper.handle(record(f"a.{number}"))
    await until(lambda: len(store.batches) == 2)
    assert [len(batch) for batch in store.batches] == [128, 128]
    await asyncio.to_thread(keeper.settle)
    assert [event for batch in store.batches for event in batch] == [f"a.{n}" for n in range(300)]


def test_a_store_that_hangs_holds_nobody_up_and_the_oldest_are_lost(keeper: LogKeeper, store: Any) -> None:
    store.gate.clear()
    count = logkeeper.MAX_WAITING + 1000
    for number in range(count):
        keeper.handle(record(f"a.{number}"))
    store.gate.set()
    keeper.settle()
    kept = [event for batch in store.batches for event in batch]
    assert len(kept) < count
    assert kept[-1] == f"a.{count - 1}"


def test_a_store_that_fails_is_told_once_until_it_works_again(
    keeper: LogKeeper, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(logkeeper.log, "warning", lambda event, **_: told.append(event), raising=False)
    batch = [LogLine(at=line_of(record()).at, level=20, logger="t", event="a.b")]
    for broken in (True, True, False, True):
        store.broken = broken
        keeper._write(batch)
    assert told == ["logs.unwritten", "logs.unwritten"]


def test_only_ids_sizes_and_codes_are_stored() -> None:
    said = record("run.failed", run="r1", text="a prompt", exception="Traceback: a prompt", dir="/x\udcff" + "y" * 300)
    line = line_of(said)
    assert set(line.fields) == {"run", "dir"}
    assert line.fields["dir"].startswith("/x?yyy")
    assert len(line.fields["dir"]) == 200
    told = record("index.failed", error="cannot parse 'a prompt'", reason="说的话", step="look", hook="Stop")
    assert line_of(told).fields == {"step": "look", "hook": "Stop"}
    foreign = logging.LogRecord("asyncio", logging.ERROR, "base.py", 5, "lost %s", ("a prompt",), None)
    assert (line_of(foreign).event, line_of(foreign).fields) == ("foreign", {"where": "base:5"})


def test_a_secret_in_a_name_that_a_host_chose_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "gh" + "p_" + "r5T" * 12
    keeper = LogKeeper(LogStore(tmp_path / "logs.db"))
    keeper.handle(record("hook.quarantined", session=secret, hook=secret, dirs=[secret]))
    keeper.settle()
    assert secret.encode() not in (tmp_path / "logs.db").read_bytes()
    assert len(LogStore(tmp_path / "logs.db").read(Query())) == 1


def test_every_field_that_is_logged_is_one_that_may_be_stored() -> None:
    logged: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log."):
                logged |= {str(keyword.arg) for keyword in node.keywords}
    assert logged - FIELDS - CODES == {"session", "exc_info", "text"}  # the last: what an agent complains of, not kept

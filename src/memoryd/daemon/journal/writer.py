"""The one thread that writes `state.db`: group commit over all who wait, then the acknowledgements.

Exactly one connection writes and checkpoints (SQLite up to 3.51.2 can corrupt a WAL that two connections reset).
"""

import asyncio
import contextlib
import os
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Generic, TypeVar

from memoryd.errors import Busy, CannotWrite, InternalError, JournalFull, MemorydError, ShuttingDown

T = TypeVar("T")
Write = Callable[[sqlite3.Connection], T]

MAX_BATCH = 256  #: writes in one commit
MAX_WAITING = 10_000  #: writes that may wait; more are refused as busy
CHECKPOINT_PAGES = 1000
EXIT_IO_ERROR = 74

_IO_ERRORS = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def connect(path: Path) -> sqlite3.Connection:
    """Open the write connection: WAL, synchronous FULL (NORMAL loses acknowledged commits at a power cut)."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    for pragma in (
        "journal_mode = wal",
        "synchronous = full",
        "fullfsync = on",
        "checkpoint_fullfsync = on",
        f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
        "foreign_keys = on",
        "secure_delete = on",
    ):
        connection.execute(f"pragma {pragma}")
    return connection


def exit_at_once(error: sqlite3.Error) -> None:
    """After an I/O error no fsync can be trusted: nothing is acknowledged, the next start recovers."""
    with contextlib.suppress(OSError):
        os.write(2, f"memoryd: journal.failed error={error}: exiting, unacknowledged events will be resent\n".encode())
    os._exit(EXIT_IO_ERROR)


class Writer:
    """Runs writes in arrival order, many in one transaction; each in a savepoint of its own."""

    def __init__(
        self, connection: sqlite3.Connection, *, on_io_error: Callable[[sqlite3.Error], None] = exit_at_once
    ) -> None:
        self._connection = connection
        self._on_io_error = on_io_error
        self._queue: queue.SimpleQueue[_Waiting[Any] | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    def submit(self, write: Write[T]) -> Future[T]:
        """Queue a write; its future is done once the write survives a power cut.

        :raises Busy: 10 000 writes wait already
        """
        if self._closed:
            raise ShuttingDown("the journal is closed; send again after the restart")
        if self._queue.qsize() >= MAX_WAITING:
            raise Busy(f"{MAX_WAITING} appends wait for the disk; send again in a second")
        waiting = _Waiting(write, Future())
        self._queue.put(waiting)
        return waiting.future

    def run(self, write: Write[T]) -> T:
        """Blocking `submit`, for worker threads."""
        return self.submit(write).result()

    async def arun(self, write: Write[T]) -> T:
        return await asyncio.wrap_future(self.submit(write))

    def close(self) -> None:
        """Finish what waits, checkpoint and close."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        self._thread.join()
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("pragma wal_checkpoint(truncate)")
        self._connection.close()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            batch = [first]
            last = False
            while len(batch) < MAX_BATCH and not last:
                try:
                    following = self._queue.get_nowait()
                except queue.Empty:
                    break
                last = following is None
                if following is not None:
                    batch.append(following)
            self._commit(batch)
            if last:
                return

    def _commit(self, batch: list["_Waiting[Any]"]) -> None:
        try:
            self._connection.execute("begin immediate")
            for waiting in batch:
                waiting.attempt(self._connection)
            self._connection.execute("commit")
        except sqlite3.Error as error:
            self._roll_back(error)
            failure = _translate(error)
            for waiting in batch:
                waiting.fail(failure)
            return
        for waiting in batch:
            waiting.settle()

    def _roll_back(self, error: sqlite3.Error) -> None:
        if _primary(error) in _IO_ERRORS:
            self._on_io_error(error)
        if self._connection.in_transaction:
            self._connection.execute("rollback")


class _Waiting(Generic[T]):
    __slots__ = ("error", "future", "result", "write")

    def __init__(self, write: Write[T], future: Future[T]) -> None:
        self.write, self.future = write, future
        self.result: T | None = None
        self.error: Exception | None = None

    def attempt(self, connection: sqlite3.Connection) -> None:
        """Run the write in a savepoint: an error of its own undoes it alone; an error of the disk ends the batch."""
        connection.execute("savepoint one")
        try:
            self.result = self.write(connection)
        except sqlite3.OperationalError:
            raise
        except Exception as error:
            self.error = error
            connection.execute("rollback to one")
        connection.execute("release one")

    def settle(self) -> None:
        if self.error is not None:
            self.fail(self.error)
        elif self.future.set_running_or_notify_cancel():
            self.future.set_result(self.result)  # type: ignore[arg-type]

    def fail(self, error: Exception) -> None:
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


def _primary(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _translate(error: sqlite3.Error) -> MemorydError:
    if _primary(error) == sqlite3.SQLITE_FULL:
        failure: MemorydError = JournalFull("cannot append: the disk is full; free space and send again")
    elif _primary(error) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        failure = CannotWrite(f"cannot write the journal: {error}; see that its directory is writable")
    else:
        failure = InternalError(f"the journal refused a write: {error}")
    failure.__cause__ = error
    return failure

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
CLOSED = "the journal is closed; send again after the restart"
MAX_WAITING = 10_000  #: writes that may wait; more are refused as busy
CHECKPOINT_PAGES = 1000
CACHE_KIB = 1024  #: of pages; what a large transaction needs beyond goes to the WAL early
EXIT_IO_ERROR = 74

_IO_ERRORS = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def connect(path: Path) -> sqlite3.Connection:
    """Open the write connection: WAL, synchronous FULL (NORMAL loses acknowledged commits at a power cut)."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    try:
        _set_up(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection) -> None:
    for pragma in (
        "journal_mode = wal",
        "synchronous = full",
        "fullfsync = on",
        "checkpoint_fullfsync = on",
        f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
        "foreign_keys = on",
        "secure_delete = fast",
        f"cache_size = -{CACHE_KIB}",
    ):
        connection.execute(f"pragma {pragma}")


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
        self._gate = threading.Lock()  #: nothing is queued behind the end
        self.full = False  #: the last commit found no space
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    def submit(self, write: Write[T]) -> Future[T]:
        """Queue a write; its future is done once the write survives a power cut.

        :raises Busy: 10 000 writes wait already
        """
        future: Future[T] = Future()
        self._put(_Waiting(write, future, None))
        return future

    def _put(self, waiting: "_Waiting[Any]") -> None:
        with self._gate:
            if self._closed:
                raise ShuttingDown(CLOSED)
            if self._queue.qsize() >= MAX_WAITING:
                raise Busy(f"{MAX_WAITING} appends wait for the disk; send again in a second")
            self._queue.put(waiting)

    def run(self, write: Write[T]) -> T:
        """Blocking `submit`, for worker threads."""
        return self.submit(write).result()

    def alone(self, write: Write[T]) -> T:
        """Run outside of any transaction, between two commits: for VACUUM and checkpoints. Blocking."""
        future: Future[T] = Future()
        self._put(_Alone(write, future, None))
        return future.result()

    async def arun(self, write: Write[T]) -> T:
        """`submit` for the event loop: a commit wakes the loop once for all who waited there."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._put(_Waiting(write, future, loop))
        return await future

    def close(self) -> None:
        """Finish what waits, checkpoint and close."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("pragma wal_checkpoint(truncate)")
        self._connection.close()

    def _run(self) -> None:
        waiting = self._queue.get()
        while waiting is not None:
            if isinstance(waiting, _Alone):
                waiting.attempt_alone(self._connection)
                after: list[_Waiting[Any] | None] = []
            else:
                batch, after = self._gather(waiting)
                self._commit(batch)
            waiting = after[0] if after else self._queue.get()

    def _gather(self, first: "_Waiting[Any]") -> "tuple[list[_Waiting[Any]], list[_Waiting[Any] | None]]":
        """What goes into one commit, and what was taken from the queue behind it: the end, or a write for itself."""
        batch = [first]
        while len(batch) < MAX_BATCH:
            try:
                following = self._queue.get_nowait()
            except queue.Empty:
                break
            if following is None or isinstance(following, _Alone):
                return batch, [following]
            batch.append(following)
        return batch, []

    def _commit(self, batch: list["_Waiting[Any]"]) -> None:
        try:
            self._connection.execute("begin immediate")
            for waiting in batch:
                waiting.attempt(self._connection)
            self._connection.execute("commit")
        except sqlite3.Error as error:
            self._roll_back(error)
            failure = translate(error)
            self.full = isinstance(failure, JournalFull)
            for waiting in batch:
                waiting.error = failure
        else:
            self.full = False
        _settle(batch)

    def _roll_back(self, error: sqlite3.Error) -> None:
        if _primary(error) in _IO_ERRORS:
            self._on_io_error(error)
        if self._connection.in_transaction:
            self._connection.execute("rollback")


class _Waiting(Generic[T]):
    __slots__ = ("error", "future", "loop", "result", "write")

    def __init__(
        self, write: Write[T], future: "Future[T] | asyncio.Future[T]", loop: asyncio.AbstractEventLoop | None
    ) -> None:
        self.write, self.future, self.loop = write, future, loop
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
        """Tell the one who waits; on the loop, if it waits there."""
        if isinstance(self.future, Future) and not self.future.set_running_or_notify_cancel():
            return
        if isinstance(self.future, asyncio.Future) and self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)  # type: ignore[arg-type]


class _Alone(_Waiting[T]):
    """A write that no transaction may surround."""

    __slots__ = ()

    def attempt_alone(self, connection: sqlite3.Connection) -> None:
        try:
            self.result = self.write(connection)
        except sqlite3.Error as error:
            self.error = translate(error)
        except Exception as error:
            self.error = error
        self.settle()


def _settle(batch: list[_Waiting[Any]]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[_Waiting[Any]]] = {}
    for waiting in batch:
        if waiting.loop is None:
            waiting.settle()
        else:
            by_loop.setdefault(waiting.loop, []).append(waiting)
    for loop, group in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits there any more
            loop.call_soon_threadsafe(_settle_all, group)


def _settle_all(group: list[_Waiting[Any]]) -> None:
    for waiting in group:
        waiting.settle()


def _primary(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def translate(error: sqlite3.Error) -> MemorydError:
    """The error of ours for an error of SQLite, its cause kept."""
    if _primary(error) == sqlite3.SQLITE_FULL:
        failure: MemorydError = JournalFull("cannot append: the disk is full; free space and send again")
    elif _primary(error) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        failure = CannotWrite(f"cannot open or write the journal: {error}; see that its directory is writable")
    elif _primary(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        failure = damaged(str(error))
    else:
        failure = InternalError(f"the journal failed: {error}; `memoryd doctor` looks it over")
    failure.__cause__ = error
    return failure


def damaged(reason: str) -> InternalError:
    return InternalError(
        f"the journal is damaged ({reason}): stop memoryd, move state.db, state.db-wal and state.db-shm away or put"
        " a backup in their place, and start again; the Markdown memory stays, its history starts anew"
    )

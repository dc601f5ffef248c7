"""The database: one writer thread, read-only connections for everyone else."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from memoryd.clock import Clock, utc_now
from memoryd.daemon.journal.writer import CLOSED, Writer, translate
from memoryd.errors import Busy, ShuttingDown

T = TypeVar("T")
Row = dict[str, Any]  #: a column's name -> its value

_CHECKPOINT_TRIES, _CHECKPOINT_PAUSE_SECONDS = 100, 0.05
READER_CACHE_KIB = 256  #: of each connection; the system keeps the pages anyway
READER_STATEMENTS = 64  #: that a connection keeps prepared; each takes some kilobytes


@dataclass(slots=True)
class Store:
    """`state.db`, as every part of this folder sees it."""

    path: Path
    writer: Writer
    clock: Clock = utc_now
    _opened: list["_Reader"] = field(default_factory=list)
    _free: list["_Reader"] = field(default_factory=list)  #: the one that was used last is used next
    _gate: threading.Lock = field(default_factory=threading.Lock)  #: of the three beside it
    _closed: bool = False

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a query on a read-only connection; one for each query at a time. Blocking: call it from a worker thread.

        :raises ShuttingDown: the store is closed
        :raises MemorydError: the database cannot be read
        """
        try:
            reader = self._taken()
            try:
                with reader.lock:
                    if self._closed:
                        raise ShuttingDown(CLOSED)
                    return query(reader.connection)
            finally:
                self._free.append(reader)
        except sqlite3.Error as error:
            raise translate(error) from error

    def rows(self, sql: str, *values: object) -> list[Row]:
        """The rows of one query. Blocking, and raises, as `read`."""
        return self.read(lambda connection: [dict(row) for row in connection.execute(sql, values)])

    def _taken(self) -> "_Reader":
        """A connection for one query: as many are open as there were ever queries at once, not one a thread."""
        with self._gate:
            if self._closed:
                raise ShuttingDown(CLOSED)
            if self._free:
                return self._free.pop()
            self._opened.append(reader := _Reader(self.path))
        return reader

    async def aread(self, query: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self.read, query)

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run a change in the writer thread; returns once it is durable. Blocking: call it from a worker thread."""
        return self.writer.run(change)

    def execute(self, sql: str, *values: object) -> int:
        """Write one statement durably; returns how many rows it changed. Blocking: call it from a worker thread."""
        return self.write(lambda connection: connection.execute(sql, values).rowcount)

    def vacuum(self) -> None:
        """Write the database anew, without what was removed from it, and empty its WAL. Appends wait. Blocking.

        :raises JournalFull: no space for a second copy; nothing changed
        """
        self.writer.alone(lambda connection: connection.execute("vacuum") and None)
        for _ in range(_CHECKPOINT_TRIES):  # a reader in the middle of a query keeps the WAL as it is
            busy = self.writer.alone(lambda c: int(c.execute("pragma wal_checkpoint(truncate)").fetchone()[0]))
            if not busy:
                return
            time.sleep(_CHECKPOINT_PAUSE_SECONDS)
        raise Busy("the journal is being read all the time and its WAL could not be emptied; try again")

    def close(self) -> None:
        """Finish what is being written and close every connection, each after the query that it runs.

        A cancelled task does not end its thread, and a connection closed under a query ends the process.
        """
        self.writer.close()
        with self._gate:
            self._closed = True
        for reader in self._opened:
            with reader.lock:
                reader.connection.close()


class _Reader:
    """A read-only connection, and the lock that is held while a query runs."""

    def __init__(self, path: Path) -> None:
        self.lock = threading.RLock()
        self.connection = sqlite3.connect(
            f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False,
            cached_statements=READER_STATEMENTS,
        )  # fmt: skip
        self.connection.row_factory = sqlite3.Row
        self.connection.execute(f"pragma cache_size = -{READER_CACHE_KIB}")

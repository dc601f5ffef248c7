"""The database: one writer thread, read-only connections for everyone else."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from memoryd.clock import Clock, utc_now
from memoryd.daemon.journal.writer import Writer

T = TypeVar("T")

READER_CACHE_KIB = 256  #: of each thread's connection; the system keeps the pages anyway


@dataclass(slots=True)
class Store:
    """`state.db`, as every part of this folder sees it."""

    path: Path
    writer: Writer
    clock: Clock = utc_now
    _readers: threading.local = field(default_factory=threading.local)
    _opened: list["_Reader"] = field(default_factory=list)

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a query on this thread's read-only connection. Blocking: call it from a worker thread.

        :raises sqlite3.ProgrammingError: the store is closed
        """
        reader: _Reader | None = getattr(self._readers, "reader", None)
        if reader is None:
            reader = self._readers.reader = _Reader(self.path)
            self._opened.append(reader)
        with reader.lock:
            return query(reader.connection)

    async def aread(self, query: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self.read, query)

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run a change in the writer thread; returns once it is durable. Blocking: call it from a worker thread."""
        return self.writer.run(change)

    def close(self) -> None:
        """Finish what is being written and close every connection, each after the query that it runs.

        A cancelled task does not end its thread, and a connection closed under a query ends the process.
        """
        self.writer.close()
        for reader in self._opened:
            with reader.lock:
                reader.connection.close()


class _Reader:
    """A thread's read-only connection, and the lock that is held while a query runs."""

    def __init__(self, path: Path) -> None:
        self.lock = threading.RLock()
        self.connection = sqlite3.connect(
            f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
        )
        self.connection.row_factory = sqlite3.Row
        self.connection.execute(f"pragma cache_size = -{READER_CACHE_KIB}")

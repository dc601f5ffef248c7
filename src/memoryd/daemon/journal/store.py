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
    _opened: list[sqlite3.Connection] = field(default_factory=list)

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a query on this thread's read-only connection. Blocking: call it from a worker thread."""
        connection: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                f"{self.path.as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
            )
            self._opened.append(connection)
            connection.row_factory = sqlite3.Row
            connection.execute(f"pragma cache_size = -{READER_CACHE_KIB}")
            self._readers.connection = connection
        return query(connection)

    async def aread(self, query: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self.read, query)

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run a change in the writer thread; returns once it is durable. Blocking: call it from a worker thread."""
        return self.writer.run(change)

    def close(self) -> None:
        """Finish what is being written and close every connection. Nobody reads any more."""
        self.writer.close()
        for connection in self._opened:
            connection.close()

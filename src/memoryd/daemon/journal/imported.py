"""Which files an import has taken in whole, as they were: the same file again is not read. Blocking."""

from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Store

MIGRATION = """
    create table imported (
        path text primary key, dev integer not null, ino integer not null, size integer not null,
        mtime_ns integer not null, at text not null
    ) without rowid;
"""

FileStamp = tuple[int, int, int, int]  #: dev, ino, size, mtime_ns


@dataclass(frozen=True, slots=True)
class ImportedFiles:
    journal: Store

    def holds(self, path: Path, stamp: FileStamp) -> bool:
        """Whether this very file was taken in already."""
        rows = self.journal.rows("select dev, ino, size, mtime_ns from imported where path = ?", str(path))
        return bool(rows) and tuple(rows[0].values()) == stamp

    def add(self, path: Path, stamp: FileStamp) -> None:
        self.journal.execute(
            "insert or replace into imported (path, dev, ino, size, mtime_ns, at) values (?,?,?,?,?,?)",
            str(path), *stamp, rfc3339(self.journal.clock()),
        )  # fmt: skip

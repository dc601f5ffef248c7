"""What a person has looked at in a repository's team memory, file by file. Blocking.

It is kept here and not in the repository: whoever can write there must not be able to vouch for themselves.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Store

MIGRATION = """
    create table trusted (
        project text not null, path text not null,   -- path: below .memoryd/memory, `/`-separated
        digest text not null,                        -- of the file as it was looked at
        text text not null, at text not null,        -- text: without secrets, to compare with what comes later
        primary key (project, path)
    ) without rowid;
"""


@dataclass(frozen=True, slots=True)
class Looked:
    """A file as a person saw it."""

    digest: str
    text: str


@dataclass(frozen=True, slots=True)
class Trusts:
    """By a project's key."""

    journal: Store

    def of(self, project: str) -> dict[str, Looked]:
        rows = self.journal.rows("select path, digest, text from trusted where project = ?", project)
        return {row["path"]: Looked(row["digest"], row["text"]) for row in rows}

    def put(self, project: str, files: Mapping[str, Looked]) -> None:
        """From now on these are trusted, and nothing else of the project."""
        at = rfc3339(self.journal.clock())
        rows = [(project, path, one.digest, one.text, at) for path, one in files.items()]

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("delete from trusted where project = ?", (project,))
            connection.executemany("insert into trusted values (?,?,?,?,?)", rows)

        self.journal.write(write)

"""Rows of projects: the key that a repository keeps when it is moved."""

import sqlite3
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Store
from memoryd.daemon.projects import Project


@dataclass(frozen=True, slots=True)
class Projects:
    """Blocking."""

    journal: Store

    def key_of(self, project: Project) -> str:
        """Return the project's key: the one that it adopted, else by its path, else by device, inode and a mark when
        the recorded path is gone."""
        adopted = self.journal.read(
            lambda c: c.execute("select key from adoptions where path = ?", (str(project.root),)).fetchone()
        )
        if adopted is not None:
            return str(adopted["key"])
        row = self.journal.read(
            lambda c: c.execute(
                "select key, root_commit, remote from projects where path = ?", (str(project.root),)
            ).fetchone()
        )
        if row is None:
            return self.journal.write(lambda c: self._adopt(c, project))
        if (row["root_commit"], row["remote"]) != (project.root_commit, project.remote):
            self.journal.write(lambda c: c.execute(*_marked(row["key"], project)))
        return str(row["key"])

    def roots_of(self, key: str) -> list[str]:
        """The roots of the project of a key: its own, then those of copies that adopted it."""
        sql = "select path from projects where key = ?1 union all select path from adoptions where key = ?1"
        return self.journal.read(lambda c: [str(row["path"]) for row in c.execute(sql, (key,))])

    def _adopt(self, connection: sqlite3.Connection, project: Project) -> str:
        rows = connection.execute(
            "select key, path from projects where dev = ? and ino = ? and (root_commit = ? or remote = ?)",
            (project.dev, project.ino, project.root_commit, project.remote),
        ).fetchall()
        key = next((key for key, path in rows if not Path(path).exists()), None)
        if key is None:
            key = _free(connection, project.key)
            connection.execute(
                "insert into projects (key, path, created_at) values (?,?,?)",
                (key, str(project.root), rfc3339(self.journal.clock())),
            )
        connection.execute(*_marked(key, project))
        return str(key)


def _free(connection: sqlite3.Connection, key: str) -> str:
    """The key, or one like it: the repository that had it may have moved away."""
    taken = {row[0] for row in connection.execute("select key from projects where key glob ?", (f"{key}*",))}
    return next(name for name in chain((key,), (f"{key}-{n}" for n in count(2))) if name not in taken)


def _marked(key: str, project: Project) -> tuple[str, tuple[object, ...]]:
    """The statement that gives a row the place and the marks that the project has now."""
    return (
        "update projects set path = ?, dev = ?, ino = ?, root_commit = ?, remote = ? where key = ?",
        (str(project.root), project.dev, project.ino, project.root_commit, project.remote, key),
    )

"""Rows of projects: the key that a repository keeps when it is moved."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Store
from memoryd.daemon.projects import Project


@dataclass(frozen=True, slots=True)
class Projects:
    """Blocking."""

    journal: Store

    def key_of(self, project: Project) -> str:
        """Return the project's key: by its path, else by device and inode when the recorded path is gone."""
        row = self.journal.read(
            lambda c: c.execute("select key from projects where path = ?", (str(project.root),)).fetchone()
        )
        return str(row["key"]) if row else self.journal.write(lambda c: self._adopt(c, project))

    def root_of(self, memory: Path) -> str | None:
        """The root of the project whose memory directory this is, None for any other directory."""
        row = self.journal.read(
            lambda c: c.execute("select path from projects where key = ?", (memory.parent.name,)).fetchone()
        )
        return str(row["path"]) if row else None

    def _adopt(self, connection: sqlite3.Connection, project: Project) -> str:
        rows = connection.execute(
            "select key, path from projects where dev = ? and ino = ?", (project.dev, project.ino)
        ).fetchall()
        moved = next((key for key, path in rows if not Path(path).exists()), None)
        if moved is not None:
            connection.execute("update projects set path = ? where key = ?", (str(project.root), moved))
            return str(moved)
        now = rfc3339(self.journal.clock())
        connection.execute(
            "insert or ignore into projects (key, path, dev, ino, created_at) values (?,?,?,?,?)",
            (project.key, str(project.root), project.dev, project.ino, now),
        )
        return project.key

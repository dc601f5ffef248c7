"""Rows of adoptions: a project's path that shares the memory of another one, which it is a copy of.

A repository that was cloned, or moved to another disk, is a project of its own until a person says that it is the same:
by itself nobody's memory is shown elsewhere. No file is copied, so taking it back leaves both as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Row, Store
from memoryd.daemon.projects import Project, digest_of
from memoryd.ipc.methods.scopes import Likeness

MIGRATION = """
    create table adoptions (
        path text primary key, key text not null,    -- of the project whose memory the path has
        at text not null
    ) without rowid;
"""


_KNOWN = """
    select 'project' as kind, projects.key, projects.path, root_commit, remote, dirs.path as dir,
        count(sessions.id) as sessions, max(sessions.last_at) as last_at
    from projects left join dirs on dirs.project = projects.key left join sessions on sessions.dir = dirs.path
    group by projects.key order by last_at is null, last_at desc, projects.path
"""
_OTHERS = """
    select kind, dirs.path as dir, count(sessions.id) as sessions, max(sessions.last_at) as last_at
    from dirs left join sessions on sessions.dir = dirs.path where kind <> 'project'
    group by dirs.path order by kind desc, dirs.path
"""


@dataclass(frozen=True, slots=True)
class Adoptions:
    """Blocking."""

    journal: Store

    def projects(self) -> list[Row]:
        """Every project that was ever seen, the latest used first; `dir` is null until a session was recorded."""
        return self.journal.rows(_KNOWN)

    def others(self) -> list[Row]:
        """The user's memory and directories that events named."""
        return self.journal.rows(_OTHERS)

    def by_path(self) -> dict[str, str]:
        """Path -> key of the project that it adopted."""
        return self.journal.read(lambda c: {row["path"]: row["key"] for row in c.execute("select * from adoptions")})

    def adopt(self, project: Project, key: str) -> None:
        """From now on the project's path has the memory of `key`."""
        row = (str(project.root), key, rfc3339(self.journal.clock()))
        self.journal.write(lambda c: c.execute("insert or replace into adoptions (path, key, at) values (?,?,?)", row))

    def release(self, project: Project) -> bool:
        """The path has a memory of its own again; False: it had."""
        path = (str(project.root),)
        return bool(self.journal.write(lambda c: c.execute("delete from adoptions where path = ?", path).rowcount))

    def like(self, project: Project) -> Iterator[tuple[Row, Likeness]]:
        """The other projects that this one is a copy of by some mark, the latest used first."""
        for row in self.projects():
            if row["path"] != str(project.root) and (mark := likeness_of(project, row)):
                yield row, mark


def likeness_of(project: Project, row: Row) -> Likeness | None:
    """What says that a known project is the same repository."""
    if project.root_commit and project.root_commit == row["root_commit"]:
        return "commit"
    if project.remote and project.remote == row["remote"]:
        return "origin"
    cloned = project.remote == digest_of(row["path"]) or row["remote"] == digest_of(str(project.root))
    return "clone" if cloned else None

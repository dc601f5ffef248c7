"""Whose memory there is, and which one a project shares."""

import asyncio
from pathlib import Path

from memoryd.clock import parse_rfc3339
from memoryd.daemon import projects
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.journal.adoptions import Adoptions, likeness_of
from memoryd.daemon.journal.store import Row
from memoryd.daemon.projects import Project
from memoryd.errors import Conflict, NotFound, UsageError
from memoryd.ipc.methods import scopes as m


class Scopes(Handlers):
    async def scope_list(self, params: m.ScopeListParams) -> m.ScopeList:
        here = await self.binding(params.cwd) if params.cwd else None
        return m.ScopeList(items=await asyncio.to_thread(self._listed, params.cwd, here))

    async def scope_adopt(self, params: m.ScopeAdoptParams) -> m.ScopeAdopted:
        before = await self.binding(params.cwd)
        return await asyncio.to_thread(self._adopt, params, before)

    async def scope_release(self, params: m.ScopeReleaseParams) -> m.ScopeAdopted:
        before, project = await self.binding(params.cwd), await asyncio.to_thread(_project, params.cwd)
        if not await asyncio.to_thread(self._table.release, project):
            raise NotFound(f"{project.root} shares no other project's memory; `memoryd scopes` shows which do")
        now = await self.binding(params.cwd)
        return m.ScopeAdopted(path=str(project.root), key=now.parent.name, memory_dir=str(now), before=str(before))

    @property
    def _table(self) -> Adoptions:
        return Adoptions(self.daemon.journal)

    def _memory_of(self, row: Row) -> Path:
        return Path(self.daemon.places.data, "projects", row["key"], "memory")

    def _listed(self, cwd: str | None, here: Path | None) -> tuple[m.ScopeInfo, ...]:
        project = projects.find(cwd) if cwd else None
        adopted = self._table.by_path()
        shares = project is not None and str(project.root) in adopted
        found = [_other(row, here) for row in self._table.others()]
        for row in self._table.projects():
            memory, path = self._memory_of(row), Path(row["path"])
            elsewhere = project is not None and not shares and row["path"] != str(project.root)
            found.append(
                m.ScopeInfo(
                    kind="project", key=row["key"], path=row["path"], memory_dir=str(memory), exists=path.is_dir(),
                    here=memory == here, shared_with=tuple(p for p, key in adopted.items() if key == row["key"]),
                    like_here=likeness_of(project, row) if project and elsewhere and memory.is_dir() else None,
                    **_use(row),
                )
            )  # fmt: skip
        return tuple(found)

    def _adopt(self, params: m.ScopeAdoptParams, before: Path) -> m.ScopeAdopted:
        project = _project(params.cwd)
        row, mark = self._named(project, params.name) if params.name else self._only_like(project)
        memory = self._memory_of(row)
        if memory == before:
            raise UsageError(f"{project.root} has the memory of {row['path']} already")
        if not params.dry_run:
            self._table.adopt(project, row["key"])
        return m.ScopeAdopted(
            path=str(project.root), key=row["key"], memory_dir=str(memory), before=str(before), mark=mark,
            dry_run=params.dry_run,
        )  # fmt: skip

    def _named(self, project: Project, name: str) -> tuple[Row, m.Likeness | None]:
        found = [row for row in self._table.projects() if name in (row["key"], row["path"], row["path"] + "/")]
        if not found:
            raise NotFound(f"no project {name!r} is known; `memoryd scopes` lists them with their keys")
        if found[0]["path"] == str(project.root):
            raise UsageError(f"{name} is this project itself; name another one")
        return found[0], likeness_of(project, found[0])

    def _only_like(self, project: Project) -> tuple[Row, m.Likeness]:
        """The one other project that this is a copy of; of several the one whose path is gone, as it has moved."""
        found = [(row, mark) for row, mark in self._table.like(project) if self._memory_of(row).is_dir()]
        moved = [(row, mark) for row, mark in found if not Path(row["path"]).is_dir()]
        chosen = found if len(found) == 1 else moved
        if not found:
            raise NotFound(
                f"no known project has the first commit or the origin of {project.root};"
                " `memoryd scopes` lists them, `memoryd scopes adopt KEY` names one"
            )
        if len(chosen) != 1:
            keys = ", ".join(f"{row['key']} ({row['path']})" for row, _ in found[:10])
            raise Conflict(f"{len(found)} projects could be the same as {project.root}; name one: {keys}")
        return chosen[0]


def _project(cwd: str) -> Project:
    project = projects.find(cwd)
    if project is None:
        raise UsageError(f"{cwd} is no project: what is learned there is the user's; go into a repository, or name one")
    return project


def _other(row: Row, here: Path | None) -> m.ScopeInfo:
    return m.ScopeInfo(
        kind=row["kind"], key="", path="", memory_dir=row["dir"], exists=Path(row["dir"]).is_dir(),
        here=Path(row["dir"]) == here, **_use(row),
    )  # fmt: skip


def _use(row: Row) -> dict[str, object]:
    return {"sessions": row["sessions"], "last_at": parse_rfc3339(row["last_at"]) if row["last_at"] else None}

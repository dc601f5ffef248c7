"""Archives. What they need is imported at the first one: an import never gives its memory back."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.methods import archive as m

if TYPE_CHECKING:
    from memoryd.daemon.archive.archives import Archives as Parts
    from memoryd.daemon.archive.exporting import Written


class Archives(Handlers):
    async def archive_export(self, params: m.ArchiveWriteParams) -> m.ArchiveWritten:
        return _written(await (await self._parts()).export(Path(params.file), force=params.force))

    async def archive_backup(self, params: m.ArchiveWriteParams) -> m.ArchiveWritten:
        return _written(await (await self._parts()).back_up(Path(params.file), force=params.force))

    async def archive_git(self, params: m.GitParams) -> m.GitExported:
        told = await (await self._parts()).export_git(Path(params.dir))
        return m.GitExported(dir=params.dir, commits=told.commits, head=told.head)

    async def archive_import(self, params: m.ArchiveParams) -> m.ArchiveImported:
        done = await (await self._parts()).take_in(Path(params.file))
        return m.ArchiveImported(
            run=done.run, events=done.events, duplicates=done.duplicates, sessions=done.sessions,
            versions=done.versions, files=done.files, left=done.left,
        )  # fmt: skip

    async def _parts(self) -> "Parts":
        def make() -> "Parts":
            from memoryd.daemon.archive.wiring import archives_of

            return archives_of(self.daemon)

        return await asyncio.to_thread(make)


def _written(done: "Written") -> m.ArchiveWritten:
    return m.ArchiveWritten(file=str(done.path), size=done.size, sha256=done.sha256, members=done.members)

"""Archives."""

from pathlib import Path

from memoryd.daemon.archive.exporting import Written
from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.methods import archive as m


class Archives(Handlers):
    async def archive_export(self, params: m.ArchiveParams) -> m.ArchiveWritten:
        return _written(await self.daemon.archives.export(Path(params.file)))

    async def archive_backup(self, params: m.ArchiveParams) -> m.ArchiveWritten:
        return _written(await self.daemon.archives.back_up(Path(params.file)))

    async def archive_git(self, params: m.GitParams) -> m.GitExported:
        told = await self.daemon.archives.export_git(Path(params.dir))
        return m.GitExported(dir=params.dir, commits=told.commits, head=told.head)

    async def archive_import(self, params: m.ArchiveParams) -> m.ArchiveImported:
        done = await self.daemon.archives.take_in(Path(params.file))
        return m.ArchiveImported(
            run=done.run, events=done.events, duplicates=done.duplicates, sessions=done.sessions,
            versions=done.versions, files=done.files, left=done.left,
        )  # fmt: skip


def _written(done: Written) -> m.ArchiveWritten:
    return m.ArchiveWritten(file=str(done.path), size=done.size, sha256=done.sha256, members=done.members)

"""The commands on archives, under the locks of every memory directory: no run writes meanwhile, appends go on."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.archive import importing
from memoryd.daemon.archive.contents import Contents, Reader
from memoryd.daemon.archive.exporting import Exporter, Written
from memoryd.daemon.archive.git import GitHistory, Told
from memoryd.daemon.archive.importing import Imported, Importer
from memoryd.errors import Conflict
from memoryd.memory.shelf import Shelf

MAX_ROUNDS = 3  #: how often an import is tried again when somebody saved meanwhile

AfterImport = Callable[[list[Path], str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Archives:
    """Each call is one archive."""

    shelf: Shelf
    exporter: Exporter
    reader: Reader
    importer: Importer
    git: GitHistory
    after_import: AfterImport  #: directories whose files changed, and the run

    async def export(self, target: Path, *, force: bool = False) -> Written:
        """:raises PathRefused: inside the data directory
        :raises Conflict: a file stands there; `force` replaces it"""
        paths = await asyncio.to_thread(self.exporter.paths)
        async with self.shelf.locked_paths(paths):
            return await asyncio.to_thread(self.exporter.export, target, paths, force=force)

    async def back_up(self, target: Path, *, force: bool = False) -> Written:
        """:raises PathRefused: inside the data directory
        :raises Conflict: a file stands there; `force` replaces it"""
        paths = await asyncio.to_thread(self.exporter.paths)
        async with self.shelf.locked_paths(paths):
            return await asyncio.to_thread(self.exporter.back_up, target, paths, force=force)

    async def export_git(self, target: Path) -> Told:
        """:raises PathRefused: inside the data directory, or the folder holds something else"""
        paths = await asyncio.to_thread(self.exporter.paths)
        await self.shelf.refresh(paths)
        names = await asyncio.to_thread(self.exporter.names)
        return await asyncio.to_thread(self.git.export, target, names)

    async def take_in(self, source: Path) -> Imported:
        """Import an export.

        :raises BadEvent: no export, or a checksum is wrong: nothing was changed
        :raises Conflict: files were saved three times meanwhile
        """
        contents = await asyncio.to_thread(self._read, source)
        paths = await asyncio.to_thread(self.exporter.paths)
        paths = list(dict.fromkeys([*paths, *sorted(contents.roots.values())]))
        for _ in range(MAX_ROUNDS):
            async with self.shelf.locked_paths(paths):
                done = await asyncio.to_thread(self.importer.load, contents)
            if done is not None:
                break
        else:
            raise Conflict(f"files were saved by someone else {MAX_ROUNDS} times during the import; import again")
        if done.run is not None:
            self.after_import(paths, done.run)
            await self.shelf.refresh(paths)
        return done

    def _read(self, source: Path) -> Contents:
        with importing.opened(source) as archive:
            return self.reader.read(archive)

"""What the families of methods share: the daemon, and which memory a working directory stands for."""

from collections.abc import Mapping
from pathlib import Path

from memoryd.daemon import answers
from memoryd.daemon.daemon import Daemon
from memoryd.ipc.methods.memory import MemoryQuery
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import Root


class Handlers:
    """One method of the socket a function, the dot as an underscore."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon

    async def binding(self, cwd: str | None) -> Path:
        return (await self.daemon.ingest.binding_of(cwd)).dir

    async def roots(self, cwd: str | None) -> Mapping[Root, Path]:
        directory = await self.binding(cwd)
        if directory == self.daemon.places.user_memory:
            return {Root.USER: directory}
        return {Root.USER: self.daemon.places.user_memory, Root.PROJECT: directory}

    async def catalogue(self, params: MemoryQuery) -> Catalogue:
        roots = answers.only(await self.roots(params.cwd), params.scopes)
        await self.daemon.shelf.refresh_existing(roots)
        return self.daemon.shelf.joined(roots)

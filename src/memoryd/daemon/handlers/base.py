"""What the families of methods share: the daemon, and which memory a working directory stands for."""

import asyncio
import os
import uuid
from collections.abc import Collection, Mapping
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon import answers, teaming
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.handlers.given import Given
from memoryd.daemon.journal import redactions
from memoryd.errors import NotFound
from memoryd.ipc.events import MemoryWritten, MemoryWrittenData
from memoryd.ipc.methods.events import EventPublish
from memoryd.ipc.methods.memory import MemoryQuery
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import Root


class Handlers:
    """One method of the socket a function, the dot as an underscore."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon

    async def told(self, given: Given) -> tuple[str, ...]:
        """Count what was replaced in what was given and kept, for `privacy.get`; returns what its giver is told."""
        if given.replaced:
            now = rfc3339(self.daemon.clock())
            await asyncio.to_thread(
                self.daemon.journal.write, lambda connection: redactions.count(connection, given.replaced, now)
            )
        return given.warnings

    async def tell_written(self, host: str | None, session_id: str, name: str, cwd: str | None) -> None:
        """A save that carried its session is a `memory_written` event of that session; one nobody knows is passed over.

        :param host: None: the one host that has a session of that id
        """
        if host is None:
            hosts = await asyncio.to_thread(self.daemon.recorded.hosts_of, session_id)
            if len(hosts) != 1:
                return
            host = hosts[0]
        event = MemoryWritten(
            id=uuid.uuid4().hex, host=host, session_id=session_id, cwd=cwd, at=self.daemon.clock(),
            data=MemoryWrittenData(names=(name,)),
        )  # fmt: skip
        await self.daemon.ingest.publish(EventPublish(event=event))

    async def binding(self, cwd: str | None) -> Path:
        """:raises NotFound: there is no such directory: its memory would be another's"""
        if cwd is not None and not await asyncio.to_thread(os.path.isdir, cwd):
            raise NotFound(f"there is no directory {cwd}; name one that exists")
        return (await self.daemon.binder.of_folder(cwd)).dir

    async def roots(self, cwd: str | None, memory_dir: str | None = None) -> Mapping[Root, Path]:
        """:raises NotFound: no session was ever bound to this `memory_dir`"""
        if memory_dir is not None:
            if not await asyncio.to_thread(self.daemon.history.knows, Path(memory_dir)):
                raise NotFound(f"no event ever named the memory directory {memory_dir}; `memoryd stats` lists them")
            return await asyncio.to_thread(self.daemon.runs.roots_of, Path(memory_dir))
        directory = await self.binding(cwd)
        if directory == self.daemon.places.user_memory:
            return {Root.USER: directory}
        return {Root.USER: self.daemon.places.user_memory, Root.PROJECT: directory}

    async def catalogue(self, params: MemoryQuery) -> Catalogue:
        every = await self.roots(params.cwd, params.memory_dir)
        roots = answers.only(every, params.scopes)
        await self.daemon.shelf.refresh_existing(roots)
        return self.daemon.shelf.joined(roots).joined(await self.team(every, params.scopes))

    async def team(self, roots: Mapping[Root, Path], scopes: Collection[str] = ()) -> Catalogue:
        """What may be shown of the team's memory of a place, if it is asked for; nothing where it has none."""
        if Root.PROJECT not in roots or (scopes and "team" not in scopes):
            return Catalogue()
        await asyncio.to_thread(self.daemon.teams.look, teaming.key_of(roots))
        return self.daemon.teams.shown(roots)

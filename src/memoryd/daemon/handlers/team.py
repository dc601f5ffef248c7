"""Team memory."""

import asyncio

from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.teaming import TeamFile, key_of
from memoryd.errors import NotFound, UsageError
from memoryd.ipc.methods import team as m
from memoryd.memory import team


class Team(Handlers):
    async def memory_trust(self, params: m.MemoryTrustParams) -> m.MemoryTrusted:
        key = key_of(await self.roots(params.cwd))
        if not key:
            raise UsageError(f"{params.cwd} is no project; go into the repository whose team memory you mean")
        return await asyncio.to_thread(self._trust, key, params)

    def _trust(self, key: str, params: m.MemoryTrustParams) -> m.MemoryTrusted:
        teams = self.daemon.teams
        if params.revoke:
            return m.MemoryTrusted(revoked=teams.revoke(key))
        folder = teams.folder(key)
        if folder is None and not teams.files(key):
            raise NotFound(f"this repository has no team memory; it would lie in {team.FOLDER} at its root")
        if params.seen is not None:
            teams.trust(key, params.seen)
        return m.MemoryTrusted(folder=folder and str(folder), items=tuple(map(_info, teams.files(key))))


def _info(file: TeamFile) -> m.TeamFileInfo:
    return m.TeamFileInfo(
        path=file.path, state=file.state, digest=file.digest, diff=file.diff(), flags=file.flags,
    )  # fmt: skip

"""What a session is given."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.recalling import Asker
from memoryd.ipc.methods import recall as m
from memoryd.memory.model import Root


class Recall(Handlers):
    async def recall_snapshot(self, params: m.RecallParams) -> m.Recalled:
        roots, asker = await self._roots_of(params), _asker(params)
        recaller = self.daemon.recaller
        if asker.session and not (params.scopes or params.query or params.budget_tokens):
            return answers.recalled(await recaller.snapshot_of_session(roots, asker))
        recalled = await recaller.snapshot(
            roots, budget_tokens=params.budget_tokens, query=params.query or "", asker=asker
        )  # fmt: skip
        return answers.recalled(recalled)

    async def recall_prefetch(self, params: m.RecallParams) -> m.Recalled:
        roots = await self._roots_of(params)
        recalled = await self.daemon.recaller.prefetch(
            roots, params.query or "", budget_tokens=params.budget_tokens, asker=_asker(params)
        )
        return answers.recalled(recalled)

    async def _roots_of(self, params: m.RecallParams) -> Mapping[Root, Path]:
        """The memory that was named, else the one that the session is bound to, else that of the project."""
        session = _asker(params).session
        bound = await asyncio.to_thread(self.daemon.journal.binding_of, *session) if session else None
        if bound is None or params.memory_dir is not None:
            return answers.only(await self.roots(params.cwd, params.memory_dir), params.scopes)
        return answers.only(await asyncio.to_thread(self.daemon.runs.roots_of, bound.dir), params.scopes)


def _asker(params: m.RecallParams) -> Asker:
    return Asker(host=params.host, session_id=params.session_id, cwd=params.cwd)

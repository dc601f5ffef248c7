"""What a session is given."""

from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.recalling import Asker
from memoryd.ipc.methods import recall as m


class Recall(Handlers):
    async def recall_snapshot(self, params: m.RecallParams) -> m.Recalled:
        roots = answers.only(await self.roots(params.cwd), params.scopes)
        recalled = await self.daemon.recaller.snapshot(
            roots, budget_tokens=params.budget_tokens, query=params.query or "",
            asker=Asker(host=params.host, session_id=params.session_id, cwd=params.cwd),
        )  # fmt: skip
        return answers.recalled(recalled)

    async def recall_prefetch(self, params: m.RecallParams) -> m.Recalled:
        roots = answers.only(await self.roots(params.cwd), params.scopes)
        recalled = await self.daemon.recaller.prefetch(roots, params.query or "", budget_tokens=params.budget_tokens)
        return answers.recalled(recalled)

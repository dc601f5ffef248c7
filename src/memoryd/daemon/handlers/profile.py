"""The user model."""

import asyncio

from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.handlers.given import Given
from memoryd.ipc.methods import profile as m
from memoryd.ipc.methods.base import Where
from memoryd.memory.profile import Belief
from memoryd.memory.recall import clean


class Profile(Handlers):
    async def profile_get(self, params: Where) -> m.Believed:
        roots = await self.roots(params.cwd, params.memory_dir)
        return m.Believed(items=tuple(map(_info, await self.daemon.profile.beliefs(roots))))

    async def profile_correct(self, params: m.ProfileCorrectParams) -> m.ProfileCorrected:
        given = Given()
        text = await asyncio.to_thread(given.line, params.text) if params.text is not None else None
        roots = await self.roots(params.cwd, params.memory_dir)
        belief, run = await self.daemon.profile.correct(roots, params.id, text)
        return m.ProfileCorrected(was=clean(belief.text), run=run, warnings=await self.told(given))


def _info(belief: Belief) -> m.BeliefInfo:
    key = belief.key
    place = f"{key.root}/{key.path}{f':{belief.line}' if belief.line else ''}" if key else ""
    return m.BeliefInfo(
        id=belief.id, area=belief.area.value, text=clean(belief.text), when=clean(belief.when),
        confidence=belief.confidence, turns=belief.turns, source="memory" if key else "counted",
        scope=key.root.value if key else "user", place=place,
    )  # fmt: skip

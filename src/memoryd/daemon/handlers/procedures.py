"""Procedures."""

from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.events import Tier
from memoryd.ipc.methods import procedures as m
from memoryd.ipc.methods.base import Where
from memoryd.memory.catalogue import Known
from memoryd.memory.procedures import steps_of


class Procedures(Handlers):
    async def procedure_list(self, params: Where) -> m.ProcedureList:
        roots = await self.roots(params.cwd, params.memory_dir)
        await self.daemon.shelf.refresh_existing(roots)
        known = [one for one in self.daemon.shelf.joined(roots).procedures if one.entry.active]
        known.sort(key=lambda one: (-(one.entry.confidence or 1.0), -one.entry.uses, one.key))
        return m.ProcedureList(items=tuple(map(_info, known)))


def _info(known: Known) -> m.ProcedureInfo:
    entry = known.entry
    return m.ProcedureInfo(
        slug=entry.slug, scope=known.key.root.value, path=known.key.path, name=entry.name,
        description=entry.description, steps=steps_of(known), source="work" if entry.tier is Tier.TOOL else "user",
        confidence=entry.confidence, uses=entry.uses, sources=entry.sources, updated_at=entry.updated_at,
    )  # fmt: skip

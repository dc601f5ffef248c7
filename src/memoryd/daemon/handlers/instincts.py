"""Instincts."""

from memoryd.daemon.evolving import Evolved
from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.methods import instincts as m
from memoryd.memory.catalogue import Known
from memoryd.memory.instincts import action_of, triggers_of
from memoryd.memory.model import Root
from memoryd.memory.recall import clean


class Instincts(Handlers):
    async def instinct_evolve(self, params: m.EvolveParams) -> m.Evolved:
        roots = await self.roots(params.cwd, params.memory_dir)
        await self.daemon.shelf.refresh_existing(roots)
        known = [one for one in self.daemon.shelf.joined(roots).instincts if one.entry.active and action_of(one)]
        known.sort(key=lambda one: (-(one.entry.confidence or 1.0), one.key))
        made = await self.daemon.evolver.evolve(roots, dry=params.dry)
        return m.Evolved(instincts=tuple(map(_info, known)), proposals=tuple(map(_evolved, made)))


def _info(known: Known) -> m.InstinctInfo:
    entry = known.entry
    return m.InstinctInfo(
        slug=entry.slug, scope=known.key.root.value, path=known.key.path, when=tuple(map(clean, triggers_of(known))),
        then=clean(action_of(known)), source="work" if entry.dated else "correction", confidence=entry.confidence,
        uses=entry.uses, updated_at=entry.updated_at,
    )  # fmt: skip


def _evolved(one: Evolved) -> m.EvolvedInfo:
    return m.EvolvedInfo.model_validate(
        {"slug": one.proposal.slug, "scope": str(one.proposal.root or Root.USER), "text": clean(one.proposal.content),
         "tier": one.cluster.tier, "confidence": one.cluster.confidence, "turns": one.cluster.turns,
         "status": one.status}
    )  # fmt: skip

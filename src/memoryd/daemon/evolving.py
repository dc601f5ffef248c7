"""Instincts put before a person: what belongs together waits in the review inbox, each proposal once."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.reviews import Reviews
from memoryd.daemon.maturing import Maturer
from memoryd.memory import evolving, matured
from memoryd.memory.evolving import Cluster
from memoryd.memory.model import Root
from memoryd.memory.proposals import Save

REASON = "your work shows it again and again; accepted, it is told to every session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolved:
    cluster: Cluster
    proposal: Save
    status: str  #: new, open, accepted, rejected; '' when it was only looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolver:
    maturer: Maturer
    reviews: Reviews

    async def evolve(self, roots: Mapping[Root, Path], *, dry: bool) -> list[Evolved]:
        """Propose what the instincts of these roots make together; what was proposed before is not proposed again."""
        catalogue = self.maturer.shelf.joined(roots)
        held = [line.words for line in catalogue.lines]
        held += [known.words for known in catalogue.entries if known.entry.active and not known.entry.dated]
        found = [await asyncio.to_thread(self._evolve, path, held, dry) for path in roots.values()]
        return [one for of_root in found for one in of_root]

    def _evolve(self, path: Path, held: Sequence[frozenset[str]], dry: bool) -> list[Evolved]:
        (root,) = self.maturer.roots_of(path)
        persons = self.maturer.runs.versions.persons(path)
        found = [one for one in self.maturer.candidates(path) if matured.path_of(one) not in persons]
        made = [(one, evolving.proposal(one, root)) for one in evolving.clusters(found, held)]
        return [
            Evolved(cluster=one, proposal=wish, status="" if dry else self._put(path, one, wish)) for one, wish in made
        ]

    def _put(self, path: Path, one: Cluster, wish: Save) -> str:
        return self.reviews.propose(path, wish, reason=REASON, tier=one.tier)

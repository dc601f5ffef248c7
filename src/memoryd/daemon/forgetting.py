"""Forgetting, once a day: what nobody wants any more, and what contradicts itself, is asked about; what names things
that are gone is flagged. What expires is archived. Nothing is deleted; each archive is a run that `memoryd undo` takes
back.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import structlog

from memoryd.daemon.expiring import Expiry
from memoryd.daemon.journal import contradictions as questions
from memoryd.daemon.journal import recalled
from memoryd.daemon.journal.reviews import Reviews
from memoryd.daemon.maturing import Maturer
from memoryd.ipc.events import Tier
from memoryd.memory import contradictions, references
from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.contradictions import Contradiction, Side
from memoryd.memory.labels import age_days
from memoryd.memory.model import Root
from memoryd.memory.proposals import Archive
from memoryd.memory.ranking import slowed
from memoryd.memory.text import bare

OLD_DAYS = 180  #: after which an entry that nothing wanted is asked about; uses slow the days down
KEPT_IMPORTANCE = 0.6  #: a stated preference, and what weighs more, is never asked about for its age
MAX_ASKED = 5  #: entries of a directory that are asked about at once
_WRITTEN = 2**62  #: a line that a person wrote counts as said last

log = structlog.get_logger("forgetting")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetter:
    maturer: Maturer
    expiry: Expiry

    async def forget(self, path: Path) -> None:
        """Go over one directory; it makes no run of its own. Done again it changes nothing, and asks nothing again."""
        roots = await asyncio.to_thread(self.maturer.runs.roots_of, path)
        await self.expiry.archive()
        self.maturer.shelf.look_afresh()  # how entries have worn is part of what is read
        await self.maturer.shelf.refresh_existing(roots)
        await asyncio.to_thread(self._ask_about_old, path)
        catalogue = self.maturer.shelf.joined(roots)
        await asyncio.to_thread(self._ask, path, roots, catalogue)
        await asyncio.to_thread(self._look, path, catalogue)
        oldest = self.maturer.clock() - timedelta(days=recalled.KEPT_DAYS)
        await asyncio.to_thread(recalled.expire, self.maturer.journal, oldest)
        self.maturer.shelf.look_afresh()  # what the journal knows of entries is another now

    # what nobody wants

    def _old(self, path: Path) -> list[Known]:
        """The entries that may go, the least wanted first: none that a person wrote, changed or put back."""
        persons = self.maturer.runs.versions.persons(path)
        now = self.maturer.clock()
        aged = [
            (slowed(age_days(moment, now), known.entry.uses), known)
            for known in self.maturer.shelf.joined({Root.PROJECT: path}).entries
            if known.entry.active and not known.entry.dated and known.entry.importance < KEPT_IMPORTANCE
            and known.key.path not in persons and (moment := known.entry.updated_at or known.entry.created_at)
        ]  # fmt: skip
        old = sorted(((days, k) for days, k in aged if days >= OLD_DAYS), key=lambda pair: (-pair[0], pair[1].key))
        return [known for _, known in old if self._is_ours(path, known)]

    def _ask_about_old(self, path: Path) -> None:
        """What the user said stays until they say otherwise: each is asked about once, the least wanted first."""
        (root,), reviews, old = self.maturer.roots_of(path), Reviews(self.maturer.journal), self._old(path)
        room = MAX_ASKED - reviews.asked(path, "archive", [known.entry.slug for known in old])
        for known in old:
            if room <= 0:
                break
            said = known.entry.updated_at or known.entry.created_at
            reason = f"nothing has wanted this since {said:%Y-%m-%d}: shall it leave memory?"
            wish = Archive(root=root, slug=known.entry.slug, reason="old, and nothing wanted it")
            room -= reviews.propose(path, wish, reason=reason, tier=known.entry.tier or Tier.USER) == "new"

    def _is_ours(self, path: Path, known: Known) -> bool:
        rows = [bare(row) for row in known.entry.body.split("\n") if bare(row)]
        return all(self.maturer.runs.ours(path, known.key.path, row) is not None for row in rows)

    # what cannot both hold

    def _ask(self, path: Path, roots: Mapping[Root, Path], catalogue: Catalogue) -> None:
        """Put each contradiction into the review inbox, once for good; one that is none any more is taken out."""
        from memoryd.worker.agents.rules.contradicting import difference  # an idle daemon holds no patterns

        found = contradictions.find(catalogue, difference, lambda one, two: self._is_newer(roots, one, two))
        journal, asked = self.maturer.journal, set[str]()
        for one in found:
            users = one.first.root is one.second.root is Root.USER  # asked once, whatever the project
            scope, place = (Root.USER, roots.get(Root.USER, path)) if users else (Root.PROJECT, path)
            digest = questions.digest(place, one.key)
            asked.add(digest)
            reason = f"these two contradict each other ({one.difference}): which one holds?"
            questions.ask(journal, digest, place, str(scope), one.detail(self._cites(roots, one)), reason)
        questions.drop_others(journal, {path, *roots.values()}, asked)

    def _is_newer(self, roots: Mapping[Root, Path], one: Side, other: Side) -> bool:
        return self._last_said(roots, one) >= self._last_said(roots, other)

    def _last_said(self, roots: Mapping[Root, Path], side: Side) -> int:
        return max(self.maturer.runs.ours(roots[side.root], side.path, side.text) or [_WRITTEN])

    def _cites(self, roots: Mapping[Root, Path], one: Contradiction) -> list[int]:
        sides = (one.first, one.second)
        return [seq for s in sides for seq in self.maturer.runs.ours(roots[s.root], s.path, s.text) or ()]

    # what is gone

    def _look(self, path: Path, catalogue: Catalogue) -> None:
        """Note which names of a project's entries its repository holds."""
        places = (Path(one) for one in self.maturer.journal.projects.roots_of(path.parent.name))
        repository = next((place for place in places if place.is_dir()), None)
        if repository is None:
            return
        own = [known for known in catalogue.entries if known.key.root is Root.PROJECT and known.entry.active]
        named = {(known.key.path, name): name for known in own for name in references.names_in(known)}
        there = references.present(repository, named.values())
        found = {key: there[name] for key, name in named.items()}
        gone = recalled.look(self.maturer.journal, str(path), found, self.maturer.clock())
        if gone:
            log.info("reference.gone", dir=str(path), names=len(gone))

"""The user model: what is believed of the user, with its evidence, and a person's word on it as a run of theirs."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from memoryd.clock import Clock
from memoryd.daemon.commands import Commands
from memoryd.daemon.journal import worked
from memoryd.daemon.journal.history import History
from memoryd.errors import NotFound, UsageError
from memoryd.ipc.events import Tier
from memoryd.memory import lines, profile
from memoryd.memory.changes import decode, encode
from memoryd.memory.maturing import MORE, SURE, TOLD
from memoryd.memory.model import CORE_FILES, INSTINCT_DIR, PROCEDURE_DIR, FileKey, Root
from memoryd.memory.ports import Rejected
from memoryd.memory.profile import Area, Belief
from memoryd.memory.proposals import Lines, Save
from memoryd.memory.shelf import Shelf
from memoryd.worker.ports import Applied
from memoryd.worker.run import Plan, Planner

DAYS = 100  #: of turns that are counted
USER_FILE = "user.md"

Roots = Mapping[Root, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    shelf: Shelf
    history: History
    commands: Commands
    clock: Clock

    async def beliefs(self, roots: Roots) -> list[Belief]:
        """What is believed, area by area, the surest first."""
        await self.shelf.refresh_existing(roots)
        return await asyncio.to_thread(self._beliefs, roots)

    async def correct(self, roots: Roots, ident: str, text: str | None) -> tuple[Belief, str | None]:
        """Take a belief back, or put a person's words in its place; returns it and the run.

        What was taken back needs a later word of the user to be learned again.

        :param text: one line; None: nothing holds instead
        :raises NotFound: nothing is believed under that id
        :raises UsageError: a procedure has no line to replace
        """
        found = [one for one in await self.beliefs(roots) if one.id == ident]
        if not found:
            raise NotFound(f"nothing is believed under {ident[:20]!r}; `memoryd profile` shows the ids")
        belief, *_ = found
        if belief.key is None:
            return belief, await self._recount(roots, belief, text)
        if belief.key.path in CORE_FILES:
            return belief, await self._replace_line(roots, belief, belief.key, text)
        if text is None:
            return belief, (await self.commands.forget(roots, belief.entry, [belief.key.root]))[0]
        return belief, await self._rewrite(roots, belief, belief.key, text)

    def _beliefs(self, roots: Roots) -> list[Belief]:
        """Blocking."""
        catalogue = self.shelf.joined(roots)
        held = [self._weighed(roots, one) for one in profile.of_memory(catalogue)]
        works = worked.everywhere(self.history.journal, self.clock() - timedelta(days=DAYS))
        mine = self.shelf.place(roots[Root.USER]).directory.read_all().get(USER_FILE, b"")
        counted = profile.counted(works, profile.not_counted(decode(mine)))
        areas = list(Area)
        return sorted([*held, *counted], key=lambda one: (areas.index(one.area), -one.confidence, -one.turns, one.text))

    def _weighed(self, roots: Roots, belief: Belief) -> Belief:
        """A belief with the turns that it rests on; words of a person that rest on none are sure."""
        assert belief.key is not None
        line = belief.text if belief.line else None
        rows = self.history.citations(roots[belief.key.root], (belief.key.path,), line)
        said = {(row["session"], text) for row in rows for _, tier, text in row["texts"] if tier is Tier.USER}
        turns = len(said)
        if belief.area is Area.WAY or not turns:
            return replace(belief, turns=turns)
        return replace(belief, turns=turns, confidence=round(min(SURE, TOLD + MORE * (turns - 1)), 2))

    async def _recount(self, roots: Roots, belief: Belief, text: str | None) -> str | None:
        """Let user.md say what holds, and that this is counted no more."""
        key = FileKey(Root.USER, USER_FILE)

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            old = base.get(key)
            said = lines.add(decode(old or b""), text) if text else decode(old or b"")
            return Plan(changes={key: (old, encode(profile.without(said, belief)))})

        return await self._carry_out({Root.USER: roots[Root.USER]}, plan)

    async def _replace_line(self, roots: Roots, belief: Belief, key: FileKey, text: str | None) -> str | None:
        if text is None:
            return (await self.commands.forget(roots, belief.text, [key.root]))[0]
        newest = await asyncio.to_thread(self.history.newest_seq)
        taken = (Rejected(root=roots[key.root], fact=belief.text, after_seq=newest),)
        change = Lines(root=key.root, file=key.path, replace=((belief.text, text),))
        run, outcome, _ = await self.commands.change(roots, "profile", (change,), taken)
        return run.id if isinstance(outcome, Applied) else None

    async def _rewrite(self, roots: Roots, belief: Belief, key: FileKey, text: str) -> str | None:
        """Put a person's words into a file; it is theirs from then on."""
        if key.path.startswith(f"{PROCEDURE_DIR}/"):
            raise UsageError(f"a procedure has several steps: edit {roots[key.root] / key.path}, it is yours then")
        if not key.path.startswith(f"{INSTINCT_DIR}/"):
            entry = next(one.entry for one in self.shelf.joined(roots).entries if one.key == key)
            saved = Save(root=key.root, slug=entry.slug, name=entry.name, type=entry.type, content=text)
            return (await self.commands.save(roots, saved)).run

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            old = base.get(key)
            return Plan(changes={key: (old, encode(profile.as_said(decode(old), text)))} if old else {})

        return await self._carry_out(roots, plan)

    async def _carry_out(self, roots: Roots, plan: Planner) -> str | None:
        run, outcome, _ = await self.commands.carry_out(roots, "profile", plan)
        return run.id if isinstance(outcome, Applied) else None

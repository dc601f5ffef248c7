"""What people ask for: save, forget, undo, diff. Each change is a run with a person as its author."""

import asyncio
import contextlib
import difflib
import re
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.runlog import RunLog
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.store import Row
from memoryd.errors import (
    Conflict,
    InternalError,
    LimitExceeded,
    MemorydError,
    NotFound,
    PathRefused,
    RestartNeeded,
    ScanRejected,
    UsageError,
)
from memoryd.memory import acceptance, entries, quality, undoing
from memoryd.memory.catalogue import Known
from memoryd.memory.changes import readable
from memoryd.memory.model import INDEX_FILE, CoreLine, Entry, EntryType, FileKey, MemoryView, Root, directory_of
from memoryd.memory.ports import Author, Rejected
from memoryd.memory.proposals import Archive, Lines, Proposal, Save
from memoryd.memory.text import bare, fold
from memoryd.memory.undoing import Past
from memoryd.worker.ports import Applied, NoChange, Outcome, Rejection, Run
from memoryd.worker.run import Plan, Planner, Runner

_ERRORS: Mapping[str, type[MemorydError]] = {kind.code: kind for kind in (PathRefused, LimitExceeded)}

Roots = Mapping[Root, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    status: str  #: saved, updated or unchanged
    slug: str
    run: str | None
    warnings: tuple[str, ...]
    duplicate_of: str | None
    totals: Mapping[EntryType, quality.Total]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    run: str
    files: tuple[str, ...]
    conflicts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """The commands that change memory, through the same gates and the same commit as a consolidation run."""

    runner: Runner
    runs: JournalRuns
    history: History
    runlog: RunLog

    async def save(
        self, roots: Roots, proposal: Save, author: Author = Author.PERSON, *, about: str | None = None
    ) -> Saved:
        """Save an entry.

        :param about: the decision that it carries out (`carry_out`)
        :raises LimitExceeded: its type is full; the sentence names what to merge
        :raises ScanRejected: it holds a secret or hidden text
        :raises PathRefused: its name is none for a file of memory
        """
        known = [entry for _, entry in (await self.runner.shelf.view(roots)).entries]
        others = [e for e in known if e.slug != proposal.slug]
        totals = quality.totals([*others, _as_entry(proposal)], self.runner.bounds().type_totals)
        if totals[proposal.type].over:
            raise LimitExceeded(_what_to_merge(proposal.type, totals[proposal.type], others))
        existed = any(e.active and e.slug == proposal.slug for e in known)
        run, outcome, _ = await self.change(roots, "save", (proposal,), author=author, about=about)
        if isinstance(outcome, Rejection):
            raise ScanRejected(outcome.reason)
        applied = isinstance(outcome, Applied)
        return Saved(
            status="unchanged" if not applied else "updated" if existed else "saved",
            slug=proposal.slug,
            run=run.id if applied else None,
            warnings=_warnings(proposal),
            duplicate_of=quality.duplicate_of(proposal.content, others),
            totals=totals,
        )

    async def forget(
        self, roots: Roots, name: str, scopes: Collection[str] = (), *, every: bool = False,
        author: Author = Author.PERSON,
        permit: Callable[[Sequence[Proposal], MemoryView], None] = lambda proposals, view: None,
    ) -> tuple[str, tuple[str, ...]]:  # fmt: skip
        """Archive an entry, or remove the core line that holds these words; later evidence alone can bring it back.

        A procedure or an instinct is taken away as a file, for good.

        :param scopes: look only in these roots; empty: in all
        :param every: all lines that hold them; else there must be one
        :param permit: raises when the author may not do this. In a thread
        :return: the run and what was forgotten, as `<root>/<path>: <text>`
        :raises NotFound: nothing of that name
        :raises Conflict: several lines hold the words; the sentence names them
        """
        view = await self.runner.shelf.view(roots)
        wanted = scopes or roots
        if learned := self._learned(roots, name, wanted):
            return await self._take_away(roots, learned, author)
        named = ((r, e) for r, e in view.entries if r in wanted and e.active and name in (e.slug, e.name))
        entry = next(named, None)
        proposals: tuple[Proposal, ...]
        if entry is not None:
            root, found = entry
            proposals = (Archive(root=root, slug=found.slug, reason="forgotten by a person"),)
            facts = [(root, f"{found.name}"), *((root, bare(row)) for row in found.body.splitlines() if bare(row))]
            said: tuple[str, ...] = (f"{root}/{entries.path_of(found.slug)}: {found.name}",)
        else:
            held = _holding([line for line in view.core if line.key.root in wanted], name, every=every)
            proposals = tuple(Lines(root=i.key.root, file=i.key.path, remove=(i.text,)) for i in held)
            facts = [(line.key.root, line.text) for line in held]
            said = tuple(f"{line.key.root}/{line.key.path}: {line.text}" for line in held)
        await asyncio.to_thread(permit, proposals, view)
        newest = await asyncio.to_thread(self.history.newest_seq)
        taken = tuple(Rejected(root=roots[root], fact=fact, after_seq=newest) for root, fact in facts)
        run, outcome, plan = await self.change(roots, "forget", proposals, taken, author=author)
        _must_have_applied(outcome, plan)
        return run.id, said

    def _learned(self, roots: Roots, name: str, wanted: Collection[str]) -> Known | None:
        """The procedure or instinct of that name, slug or path."""
        catalogue = self.runner.shelf.joined(roots)
        learned = (one for one in (*catalogue.procedures, *catalogue.instincts) if one.key.root in wanted)
        return next((one for one in learned if name in (one.entry.slug, one.entry.name, one.key.path)), None)

    async def _take_away(self, roots: Roots, one: Known, author: Author) -> tuple[str, tuple[str, ...]]:
        """Remove a file; as a person's it does not come back by itself.

        :raises ScanRejected: an agent asks for it
        """
        if author is not Author.PERSON:
            raise ScanRejected("refused: what was learned of your work is the user's to forget; ask them")

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            return Plan(changes={one.key: (base[one.key], None)} if one.key in base else {})

        run, outcome, planned = await self.carry_out(roots, "forget", plan)
        _must_have_applied(outcome, planned)
        return run.id, (f"{one.key.root}/{one.key.path}: {one.entry.name}",)

    async def undo(self, run_id: str | None, dirs: Collection[Path] | None = None) -> Undone:
        """Take a run back. What was changed since stays: its lines are taken out and put back one by one.

        :param run_id: `v<N>`: what a host or an editor wrote; None: the newest run of `dirs`
        :raises NotFound: no such run
        :raises Conflict: it was taken back already
        :raises UsageError: a purge, or a change of MEMORY.md alone
        """
        row = await asyncio.to_thread(self.runlog.find, run_id, dirs)
        if row["action"] == "purge":
            raise UsageError("a purge cannot be taken back: what it removed is kept nowhere")
        if await asyncio.to_thread(self.runlog.undone, row["id"]):
            raise Conflict(f"run {row['id'][:8]} was taken back already; undo that undo to have it again")
        if all(path == INDEX_FILE for path in row["files"]) and row["action"] == "seen":
            raise UsageError(f"{INDEX_FILE} follows from the entries; change what stands outside its markers by hand")
        roots = await asyncio.to_thread(self._roots_changed, row)
        newest = await asyncio.to_thread(self.history.newest_seq)
        conflicts: list[str] = []

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            back = undoing.reverse(self._past(row["id"], roots), base)
            conflicts[:] = back.conflicts
            taken = (Rejected(root=roots[root], fact=fact, after_seq=newest) for root, fact in back.facts)
            return Plan(changes=back.changes, rejected=tuple(taken))

        run, outcome, _ = await self.carry_out(roots, "undo", plan, about=row["id"])
        files = outcome.files if isinstance(outcome, Applied) else ()
        return Undone(run=run.id, files=files, conflicts=tuple(conflicts))

    def _roots_changed(self, row: Row) -> Roots:
        """The roots that a run has changed: those of its directory, or (an import) those of the one that it changed.

        :raises UsageError: it changed several projects
        """
        changed = {Path(change["root"]) for change in self.runlog.changes(row["id"])}
        for directory in (Path(row["dir"]), *sorted(changed)):
            roots = self.runs.roots_of(directory)
            if changed <= set(roots.values()):
                return roots
        raise UsageError(f"run {row['id'][:8]} changed several projects and cannot be undone as one; restore a backup")

    def _past(self, run_id: str, roots: Roots) -> list[Past]:
        """What a run did, read under the directories' locks: a purge may rewrite it at any other time."""
        names = {str(path): root for root, path in roots.items()}
        return [
            Past(
                key=FileKey(names[row["root"]], row["path"]),
                before=self._content(row["before"]), after=self._content(row["after"]),
            )
            for row in self.runlog.changes(run_id)
        ]  # fmt: skip

    def _content(self, digest: str | None) -> bytes | None:
        content = self.runs.versions.content(digest) if digest else None
        if digest and content is None:
            raise InternalError(f"version {digest[:8]} is not in the journal; restore a backup to undo this run")
        return content

    def diff(self, run_id: str | None, dirs: Collection[Path] | None = None) -> tuple[str, list[tuple[str, str]]]:
        """A run and its unified diffs, `(path, diff)`. Blocking."""
        row = self.runlog.find(run_id, dirs)
        roots = {str(path): name for name, path in self.runs.roots_of(Path(row["dir"])).items()}
        found = []
        for change in self.runlog.changes(row["id"]):
            name = f"{roots.get(change['root'], 'project')}/{change['path']}"
            old, new = (self._text(change[side]).splitlines(keepends=True) for side in ("before", "after"))
            diff = "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))
            found.append((name, diff))
        return row["id"], found

    def _text(self, digest: str | None) -> str:
        return readable(self._content(digest) or b"")

    async def change(
        self, roots: Roots, action: str, proposals: tuple[Proposal, ...], taken: tuple[Rejected, ...] = (),
        *, author: Author = Author.PERSON, about: str | None = None,
    ) -> tuple[Run, Outcome, Plan]:  # fmt: skip
        """Carry out proposals as a run of this author.

        :param about: see `carry_out`
        :raises PathRefused, LimitExceeded, ScanRejected: one of them was refused
        """
        run = _run(roots, action, author)
        return await self.carry_out(roots, action, self.runner.propose(run, proposals, taken), run, about=about)

    async def carry_out(
        self, roots: Roots, action: str, plan: Planner, run: Run | None = None, *, about: str | None = None
    ) -> tuple[Run, Outcome, Plan]:
        """Carry out a plan as a run of a person, or as `run`.

        :param about: of an undo the run that it takes back, of a review the decision that it carries out
        :raises PathRefused, LimitExceeded, ScanRejected: part of it was refused
        """
        run = run or _run(roots, action)
        outcome, planned = await self.attempt(run, plan, about=about)
        if planned.refused:
            first = planned.refused[0]
            raise _ERRORS.get(first.code, ScanRejected)(f"refused ({first.code}): {first.reason}")
        return run, outcome, planned

    async def attempt(self, run: Run, plan: Planner, *, about: str | None = None) -> tuple[Outcome, Plan]:
        """Carry out a plan, refused in part or not; a run that changes nothing ends with its reason."""
        await asyncio.to_thread(self.runs.start, run, about)
        try:
            outcome, planned = await self.runner.change(run, plan)
        except RestartNeeded:
            raise  # the next start puts the files back and ends the run
        except MemorydError as error:
            with contextlib.suppress(MemorydError):  # what went wrong first is what the person should read
                await asyncio.to_thread(self.runs.end, run, "failed", str(error))
            raise
        if not isinstance(outcome, Applied):
            reason = getattr(outcome, "reason", None) or (planned.refused[0].reason if planned.refused else None)
            await asyncio.to_thread(
                self.runs.end, run, "no_change" if isinstance(outcome, NoChange) else "rejected", reason
            )
        return outcome, planned


def _holding(known: Sequence[CoreLine], name: str, *, every: bool) -> list[CoreLine]:
    """The line that says just this, else those that hold the words.

    :raises NotFound: none
    :raises Conflict: several, and not every one is wanted
    """
    words = re.compile(rf"(?<![a-z0-9_]){re.escape(fold(name.strip()))}(?![a-z0-9_])")
    held = [line for line in known if fold(line.text) == fold(name.strip())]
    held = held or [line for line in known if words.search(fold(line.text))]
    if not held or not name.strip():
        raise NotFound(f"no entry or line {name!r}; `memoryd list` shows what there is")
    if len(held) > 1 and not every:
        told = "; ".join(f"{line.key.root}/{line.key.path}: {line.text[:80]!r}" for line in held[:10])
        raise Conflict(
            f"{len(held)} lines hold {name!r}: say more of the one that is meant, or forget every one (`every`): {told}"
        )
    return held


def _run(roots: Roots, action: str, author: Author = Author.PERSON) -> Run:
    return Run(
        id=uuid.uuid4().hex, dir=directory_of(roots), roots=roots, author=author, action=action, agent=str(author)
    )


def _as_entry(proposal: Save) -> Entry:
    return Entry(
        slug=proposal.slug, name=proposal.name, description=proposal.description, type=proposal.type,
        body=proposal.content,
    )  # fmt: skip


def _warnings(proposal: Save) -> tuple[str, ...]:
    """What the person should look at again; it is saved all the same."""
    flags = (
        f"{flag}: it reads like an attempt at that; it is kept because you said it"
        for flag in acceptance.flags([proposal])
    )
    return (*flags, *(f"{sign.flag}: {sign.found}" for sign in quality.lint(_as_entry(proposal))))


def _what_to_merge(kind: EntryType, total: quality.Total, known: list[Entry]) -> str:
    longest = sorted((e for e in known if e.active and e.type is kind), key=lambda e: -len(e.body))[:3]
    names = ", ".join(e.slug for e in longest)
    return f"entries of type {kind} would hold {total.used} of {total.limit} characters; merge or forget some: {names}"


def _must_have_applied(outcome: Outcome, plan: Plan) -> None:
    if isinstance(outcome, Rejection):
        raise Conflict(outcome.reason)
    if not isinstance(outcome, Applied):
        raise UsageError(f"nothing changed: {', '.join(plan.notes) or 'it is so already'}")

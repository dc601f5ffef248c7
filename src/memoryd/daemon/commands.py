"""What people ask for: save, forget, undo, why, diff. Each change is a run with a person as its author."""

import asyncio
import contextlib
import difflib
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.history import History, Row
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.errors import (
    Conflict,
    LimitExceeded,
    MemorydError,
    NotFound,
    PathRefused,
    RestartNeeded,
    ScanRejected,
    UsageError,
)
from memoryd.memory import acceptance, entries, frontmatter, lines, quality
from memoryd.memory.changes import decode, encode, readable
from memoryd.memory.model import CORE_FILES, INDEX_FILE, Entry, EntryType, FileKey, MemoryView, Root
from memoryd.memory.ports import Author, Rejected
from memoryd.memory.proposals import Archive, Lines, Proposal, Save
from memoryd.memory.text import bare, fold, nearest_sentence
from memoryd.worker.ports import Applied, NoChange, Outcome, Rejection, Run
from memoryd.worker.run import Plan, Planner, Runner

MAX_QUOTE_CHARS = 300

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

    async def save(self, roots: Roots, proposal: Save, author: Author = Author.PERSON) -> Saved:
        """Save an entry.

        :raises LimitExceeded: its type is full; the sentence names what to merge
        :raises ScanRejected: it holds a secret or hidden text
        :raises PathRefused: its name is none for a file of memory
        """
        known = [entry for _, entry in (await self.runner.shelf.view(roots)).entries]
        others = [e for e in known if e.slug != proposal.slug]
        totals = quality.totals([*others, _as_entry(proposal)])
        if totals[proposal.type].over:
            raise LimitExceeded(_what_to_merge(proposal.type, totals[proposal.type], others))
        existed = any(e.active and e.slug == proposal.slug for e in known)
        run, outcome, _ = await self.change(roots, "save", (proposal,), author=author)
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
        self, roots: Roots, name: str, scopes: Collection[str] = (), *, author: Author = Author.PERSON,
        permit: Callable[[Sequence[Proposal], MemoryView], None] = lambda proposals, view: None,
    ) -> tuple[str, tuple[str, ...]]:  # fmt: skip
        """Archive an entry, or remove the core lines that hold `name`; later evidence alone can bring it back.

        :param scopes: look only in these roots; empty: in all
        :param permit: raises when the author may not do this. In a thread
        :return: the run and what was forgotten, as `<root>/<path>: <text>`
        :raises NotFound: nothing of that name
        """
        view = await self.runner.shelf.view(roots)
        wanted = scopes or roots
        named = ((r, e) for r, e in view.entries if r in wanted and e.active and name in (e.slug, e.name))
        entry = next(named, None)
        proposals: tuple[Proposal, ...]
        if entry is not None:
            root, found = entry
            proposals = (Archive(root=root, slug=found.slug, reason="forgotten by a person"),)
            facts = [(root, f"{found.name}"), *((root, bare(row)) for row in found.body.splitlines() if bare(row))]
            said: tuple[str, ...] = (f"{root}/{entries.path_of(found.slug)}: {found.name}",)
        else:
            held = [i for i in view.core if i.key.root in wanted and fold(name) in fold(i.text)]
            if not held:
                raise NotFound(f"no entry or line {name!r}; `memoryd list` shows what there is")
            proposals = tuple(Lines(root=i.key.root, file=i.key.path, remove=(i.text,)) for i in held)
            facts = [(line.key.root, line.text) for line in held]
            said = tuple(f"{line.key.root}/{line.key.path}: {line.text}" for line in held)
        await asyncio.to_thread(permit, proposals, view)
        newest = await asyncio.to_thread(self.history.newest_seq)
        taken = tuple(Rejected(root=roots[root], fact=fact, after_seq=newest) for root, fact in facts)
        run, outcome, plan = await self.change(roots, "forget", proposals, taken, author=author)
        _must_have_applied(outcome, plan)
        return run.id, said

    async def undo(self, run_id: str | None) -> Undone:
        """Take a run back. What was changed since stays: its lines are taken out and put back one by one.

        :raises NotFound: no such run
        :raises Conflict: it was taken back already
        """
        row = await asyncio.to_thread(self.history.run, run_id)
        if await asyncio.to_thread(self.history.undone, row["id"]):
            raise Conflict(f"run {row['id'][:8]} was taken back already; undo that undo to have it again")
        changes = await asyncio.to_thread(self.history.changes, row["id"])
        roots = await asyncio.to_thread(self.runs.roots_of, Path(row["dir"]))
        newest = await asyncio.to_thread(self.history.newest_seq)
        conflicts: list[str] = []

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            conflicts.clear()
            undo = _Undo(self.runs, roots, base, newest)
            for change in changes:
                undo.take(change)
            conflicts.extend(undo.conflicts)
            return Plan(changes=undo.changes, rejected=tuple(undo.rejected))

        run, outcome, _ = await self.carry_out(roots, "undo", plan)
        files = outcome.files if isinstance(outcome, Applied) else ()
        if isinstance(outcome, Applied):
            await asyncio.to_thread(self.runs.explain, run, row["id"])
        return Undone(run=run.id, files=files, conflicts=tuple(conflicts))

    def diff(self, run_id: str | None) -> tuple[str, list[tuple[str, str]]]:
        """A run and its unified diffs, `(path, diff)`. Blocking."""
        row = self.history.run(run_id)
        roots = {str(path): name for name, path in self.runs.roots_of(Path(row["dir"])).items()}
        found = []
        for change in self.history.changes(row["id"]):
            name = f"{roots.get(change['root'], 'user')}/{change['path']}"
            old, new = (_text(self.runs, change[side]).splitlines(keepends=True) for side in ("before", "after"))
            diff = "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))
            found.append((name, diff))
        return row["id"], found

    def why(self, roots: Roots, name: str, line: int | None) -> list[Row]:
        """The turns that the lines of an entry or core file came from, with a quote of each. Blocking.

        :param name: a slug or a core file, `user/` or `project/` before it when both scopes have one
        :param line: a line of the file, from 1; None: all of them
        :raises NotFound: no such entry or file, or no such line
        """
        found: list[Row] = []
        files = self._files(roots, name)
        longest = max(len(text.splitlines()) for _, text in files)
        if line is not None and line > longest:
            raise NotFound(f"{name} has {longest} lines; `memoryd show {name}` numbers them")
        for key, text in files:
            rows = text.splitlines() if line is None else text.splitlines()[line - 1 : line]
            found += [row for text_line in rows if bare(text_line) for row in self._cited(roots, key, text_line)]
        return found

    def _cited(self, roots: Roots, key: FileKey, text_line: str) -> list[Row]:
        line = bare(text_line)
        rows = self.history.citations(roots[key.root], key.path, text_line)
        return [{**row, "line": line, "quote": nearest_sentence(row["text"], line, MAX_QUOTE_CHARS)} for row in rows]

    def _files(self, roots: Roots, name: str) -> list[tuple[FileKey, str]]:
        """The files of that name, the project's first."""
        scope, slash, rest = name.partition("/")
        named = slash and scope in tuple(Root)
        wanted = [
            form for base in ([rest] if named else [name]) for form in (base, f"{base}.md", entries.path_of(base))
        ]
        found = []
        for root in sorted(roots):
            files = self.runner.shelf.place(roots[root], root).directory.read_all()
            known = [path for path in wanted if path in files and (path in CORE_FILES or entries.slug_of(path))]
            if known and (not named or scope == root):
                found.append((FileKey(root, known[0]), readable(files[known[0]])))
        if not found:
            raise NotFound(f"no entry or core file {name!r}; `memoryd list` shows what there is")
        return found

    async def change(
        self, roots: Roots, action: str, proposals: tuple[Proposal, ...], taken: tuple[Rejected, ...] = (),
        *, author: Author = Author.PERSON,
    ) -> tuple[Run, Outcome, Plan]:  # fmt: skip
        """Carry out proposals as a run of this author.

        :raises PathRefused, LimitExceeded, ScanRejected: one of them was refused
        """
        run = _run(roots, action, author)
        return await self.carry_out(roots, action, self.runner.propose(run, proposals, taken), run)

    async def carry_out(
        self, roots: Roots, action: str, plan: Planner, run: Run | None = None
    ) -> tuple[Run, Outcome, Plan]:
        """Carry out a plan as a run of a person, or as `run`; a run that changes nothing ends with its reason."""
        run = run or _run(roots, action)
        await asyncio.to_thread(self.runs.start, run)
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
        if planned.refused:
            first = planned.refused[0]
            raise _ERRORS.get(first.code, ScanRejected)(f"refused ({first.code}): {first.reason}")
        return run, outcome, planned


def _run(roots: Roots, action: str, author: Author = Author.PERSON) -> Run:
    directory = roots.get(Root.PROJECT, roots[Root.USER])
    return Run(id=uuid.uuid4().hex, dir=directory, roots=roots, author=author, action=action, agent=str(author))


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


def _text(runs: JournalRuns, digest: str | None) -> str:
    return readable(runs.versions.content(digest) or b"") if digest else ""


class _Undo:
    """The reverse of a run on the bytes of now."""

    def __init__(self, runs: JournalRuns, roots: Roots, base: Mapping[FileKey, bytes], newest: int) -> None:
        self.changes: dict[FileKey, tuple[bytes | None, bytes | None]] = {}
        self.rejected: list[Rejected] = []
        self.conflicts: list[str] = []
        self._runs, self._base, self._newest = runs, base, newest
        self._names = {str(path): root for root, path in roots.items()}

    def take(self, change: Row) -> None:
        if change["path"] == INDEX_FILE:
            return  # it follows from the entries
        key = FileKey(self._names[change["root"]], change["path"])
        before, after = self._bytes(change["before"]), self._bytes(change["after"])
        now = self._base.get(key)
        if now == after:
            self._put(key, before)
        elif now is None or before is None or after is None:
            self.conflicts.append(f"{key.root}/{key.path}: changed since; left as it is")
        else:
            self._put(key, encode(_merge(decode(before), decode(after), decode(now))))
        added = _rows(after) - _rows(before)
        root = Path(change["root"])
        self.rejected += [Rejected(root=root, fact=fact, after_seq=self._newest) for fact in sorted(added)]

    def _put(self, key: FileKey, content: bytes | None) -> None:
        if self._base.get(key) != content:
            self.changes[key] = (self._base.get(key), content)

    def _bytes(self, digest: str | None) -> bytes | None:
        return self._runs.versions.content(digest) if digest else None


def _rows(content: bytes | None) -> set[str]:
    """The facts of a file: its list items and the lines of an entry's body."""
    body = frontmatter.split(decode(content or b""))[1]
    return {bare(row) for row in [*body.splitlines(), *lines.texts(body)] if bare(row) and not row.startswith("#")}


def _merge(before: str, after: str, now: str) -> str:
    """Apply the change `after` -> `before` to `now`: lines that the run added go, lines that it took come back."""
    rows = now.splitlines(keepends=True)
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, new, old, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        at = _where(rows, new[i1:i2], new[max(0, i1 - 1) : i1])
        for row in new[i1:i2]:
            if row in rows:
                rows.remove(row)
        rows[at:at] = old[j1:j2]
    return "".join(rows)


def _where(rows: list[str], gone: list[str], context: list[str]) -> int:
    """Where lines come back: where the ones that replaced them stood, else after the line before, else at the end."""
    for row in gone:
        if row in rows:
            return rows.index(row)
    return rows.index(context[0]) + 1 if context and context[0] in rows else len(rows)

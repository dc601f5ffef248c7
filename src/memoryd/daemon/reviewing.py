"""The review inbox: what waits, with the words it rests on, and a person's decision as a run through the gates."""

import asyncio
import difflib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from memoryd.daemon.commands import Commands, Roots
from memoryd.daemon.journal.reviews import Reviews
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.store import Row
from memoryd.errors import Conflict, UsageError
from memoryd.memory.changes import readable
from memoryd.memory.model import FileKey, Root
from memoryd.memory.ports import Rejected
from memoryd.memory.proposal_rules import new_texts
from memoryd.memory.proposals import Archive, Lines, Proposal, Save
from memoryd.memory.text import bare, nearest_sentence
from memoryd.worker.ports import Applied
from memoryd.worker.run import Plan

MAX_QUOTES = 5
MAX_QUOTE_CHARS = 300
MAX_DIFF_ROWS = 40

_PROPOSAL: TypeAdapter[Proposal] = TypeAdapter(Proposal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One row of the inbox as a person reads it."""

    row: Row
    text: str  #: what would be written or taken away; of an outside write its diff
    quotes: tuple[str, ...]  #: the cited words nearest to it, with who said them


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """Lists and decides."""

    reviews: Reviews
    runs: JournalRuns
    commands: Commands

    def list(self, dirs: Collection[Path] | None, *, limit: int, offset: int = 0) -> list[Waiting]:
        """What is open in these directories. Blocking."""
        rows = self.reviews.open(dirs, limit=limit, offset=offset)
        return [Waiting(row=row, text=self._text(row), quotes=self._quotes(row)) for row in rows]

    async def decide(self, ident: str, *, accept: bool, text: str | None = None) -> tuple[str | None, tuple[str, ...]]:
        """Carry a wish out, or put it away; returns the run that wrote memory, if one did, and its files.

        Accepting is a run by the person: no evidence is asked for, names, limits and scans are. The row is settled
        after it, so a crash between the two leaves it open, and accepting again changes nothing.

        :param text: what to write instead of the proposed words
        :raises NotFound: nothing of that id waits
        :raises Conflict: it was decided already, or the file changed since
        :raises ScanRejected: a gate refuses it; it stays open
        """
        row = await asyncio.to_thread(self.reviews.get, ident)
        run, files, rejected = await self._carry_out(row, accept, text)
        await asyncio.to_thread(self.reviews.settle, row["id"], "accepted" if accept else "rejected", rejected)
        return run, files

    async def _carry_out(
        self, row: Row, accept: bool, text: str | None
    ) -> tuple[str | None, tuple[str, ...], tuple[Rejected, ...]]:
        match row["kind"], accept:
            case "draft", True:
                raise UsageError("a refused draft is shown, not kept; `memoryd jobs retry` runs its range again")
            case "outside", False:
                run, files = await self._restore(row)
                return run, files, ()
            case (("draft" | "outside"), _):
                return None, (), ()
            case _, True:
                run, files = await self._write(row, text)
                return run, files, ()
            case _:
                return None, (), await asyncio.to_thread(self._rejected, row)

    async def _write(self, row: Row, text: str | None) -> tuple[str | None, tuple[str, ...]]:
        roots = await asyncio.to_thread(self._roots, row)
        proposal = _reworded(_PROPOSAL.validate_json(row["detail"]), text)
        if isinstance(proposal, Save):
            saved = await self.commands.save(roots, proposal)
            return saved.run, (saved.slug,)
        run, outcome, _ = await self.commands.change(roots, "review", (proposal,))
        return (run.id, outcome.files) if isinstance(outcome, Applied) else (None, ())

    async def _restore(self, row: Row) -> tuple[str | None, tuple[str, ...]]:
        """Put back what a write outside memoryd changed, if nobody has changed it since."""
        roots = await asyncio.to_thread(self._roots, row)
        detail = json.loads(row["detail"])
        before, after = await asyncio.to_thread(lambda: (self._bytes(detail["before"]), self._bytes(detail["after"])))
        key = FileKey(Root(row["scope"]), detail["path"])

        def plan(base: Mapping[FileKey, bytes]) -> Plan:
            if base.get(key) != after:
                raise Conflict(f"{key.path} changed since; edit it by hand, then accept what stands there")
            return Plan(changes={key: (after, before)} if before != after else {})

        run, outcome, _ = await self.commands.carry_out(roots, "review", plan)
        return (run.id, outcome.files) if isinstance(outcome, Applied) else (None, ())

    def _rejected(self, row: Row) -> tuple[Rejected, ...]:
        proposal = _PROPOSAL.validate_json(row["detail"])
        newest = self.commands.history.newest_seq()
        facts = [bare(line) for text in new_texts(proposal) for line in text.split("\n") if bare(line)]
        roots = self._roots(row).values()
        return tuple(Rejected(root=root, fact=fact, after_seq=newest) for root in roots for fact in facts)

    def _roots(self, row: Row) -> Roots:
        directory = Path(row["dir"])
        if directory == self.runs.user_memory:
            return {Root.USER: directory}
        return self.runs.roots_of(directory)

    def _text(self, row: Row) -> str:
        if row["kind"] == "draft":
            return row["reason"]  # type: ignore[no-any-return]
        if row["kind"] == "outside":
            return self._diff(json.loads(row["detail"]))
        return _shown(_PROPOSAL.validate_json(row["detail"]))

    def _diff(self, detail: Mapping[str, str]) -> str:
        old, new = (readable(self._bytes(detail[side]) or b"").splitlines() for side in ("before", "after"))
        rows = list(difflib.unified_diff(old, new, detail["path"], detail["path"], lineterm="", n=0))
        return "\n".join([*rows[:MAX_DIFF_ROWS], *(["…"] if len(rows) > MAX_DIFF_ROWS else [])])

    def _quotes(self, row: Row) -> tuple[str, ...]:
        if row["kind"] in ("draft", "outside"):
            return ()
        proposal = _PROPOSAL.validate_json(row["detail"])
        spans = self.runs.evidence.spans(proposal.cites).values()
        near = (nearest_sentence(span.text, _shown(proposal), MAX_QUOTE_CHARS) for span in spans)
        return tuple(f"{span.tier}: {quote}" for span, quote in zip(spans, near, strict=True) if quote)[:MAX_QUOTES]

    def _bytes(self, digest: str | None) -> bytes | None:
        return self.runs.versions.content(digest) if digest else None


def _shown(proposal: Proposal) -> str:
    """A wish as a person reads it: where to, and what is added, replaced or taken away."""
    match proposal:
        case Lines():
            rows = [f"+ {line}" for line in proposal.add] + [f"- {line}" for line in proposal.remove]
            rows += [f"- {old}\n+ {new}" for old, new in proposal.replace]
            return "\n".join([f"{proposal.file}:", *rows])
        case Save():
            return f"{proposal.slug} ({proposal.type}): {proposal.content}"
        case Archive():
            return f"archive {proposal.slug}"
        case _:
            return proposal.content


def _reworded(proposal: Proposal, text: str | None) -> Proposal:
    """The wish with a person's words in place of the proposed ones."""
    if text is None:
        return proposal
    match proposal:
        case Save():
            return proposal.model_copy(update={"content": text})
        case Lines() if proposal.add:
            return proposal.model_copy(update={"add": (text,)})
        case Lines() if proposal.replace:
            return proposal.model_copy(update={"replace": tuple((old, text) for old, _ in proposal.replace)})
        case _:
            raise UsageError("this takes something away; it has no words to replace")

"""The review inbox: what waits, with the words it rests on, and a person's decision as a run through the gates."""

import asyncio
import difflib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from memoryd.daemon.commands import Commands, Roots, Undone
from memoryd.daemon.journal.reviews import PROPOSALS, Reviews, decision
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.store import Row
from memoryd.errors import Conflict, UsageError
from memoryd.memory.changes import readable
from memoryd.memory.contradictions import Contradiction, Keep
from memoryd.memory.entries import path_of
from memoryd.memory.frontmatter import split
from memoryd.memory.model import FileKey, Root
from memoryd.memory.ports import Rejected
from memoryd.memory.proposal_rules import new_texts
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Supersede
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
    words: str | None  #: what an edit starts from; None: nothing of it can be worded otherwise
    quotes: tuple[str, ...]  #: the cited words nearest to it, with who said them
    sources: tuple[str, ...]  #: `host/session#seq` of each quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """Lists and decides."""

    reviews: Reviews
    runs: JournalRuns
    commands: Commands
    _deciding: asyncio.Lock = field(default_factory=asyncio.Lock)  #: one decision at a time: a row has one answer

    def list(self, dirs: Collection[Path] | None, *, limit: int, offset: int = 0) -> list[Waiting]:
        """What is open in these directories. Blocking."""
        rows = self.reviews.open(dirs, limit=limit, offset=offset)
        return list(map(self._waiting, rows))

    def _waiting(self, row: Row) -> Waiting:
        text = self.text_of(row)
        quoted = self._quoted(row, text)
        return Waiting(
            row=row, text=text, words=_words_of(row),
            quotes=tuple(quote for _, quote in quoted), sources=tuple(source for source, _ in quoted),
        )  # fmt: skip

    async def decide(
        self, ident: str, *, accept: bool, text: str | None = None, keep: Keep | None = None
    ) -> tuple[str | None, tuple[str, ...]]:
        """Carry a wish out, or put it away; returns the run that wrote memory, if one did, and its files.

        Accepting is a run by the person: no evidence is asked for, names, limits and scans are. Its commit settles the
        row, so that a crash leaves both done or neither.

        :param text: what to write instead of the proposed words
        :param keep: of a contradiction what stays: accepted without it the first, which is the newer
        :raises NotFound: nothing of that id waits
        :raises Conflict: it was decided already, or the file changed since
        :raises ScanRejected: a gate refuses it; it stays open
        """
        async with self._deciding:
            return await self._decide(ident, accept, text, keep)

    async def _decide(
        self, ident: str, accept: bool, text: str | None, keep: Keep | None
    ) -> tuple[str | None, tuple[str, ...]]:
        row = await asyncio.to_thread(self.reviews.get, ident)
        if keep is not None and (row["kind"] != "contradiction" or not accept):
            raise UsageError("`keep` answers a contradiction, with accept; to let both stand, reject it")
        run, files, rejected = await self._carry_out(row, accept, text, keep or "first")
        if run is None:
            await asyncio.to_thread(self.reviews.settle, row["id"], "accepted" if accept else "rejected", rejected)
        return run, files

    async def take_back(self, ident: str) -> Undone | None:
        """Take a decision back: what it changed in memory is undone, and the wish waits again.

        The row is opened last, so a crash before that leaves it decided, and taking it back again goes on.

        :raises NotFound: nothing of that id, or purged since
        :raises Conflict: it still waits
        """
        async with self._deciding:
            row = await asyncio.to_thread(self.reviews.decided, ident)
            run = row["decided_run"]
            undone = None
            if run and not await asyncio.to_thread(self.commands.runlog.undone, run):
                undone = await self.commands.undo(run)
            await asyncio.to_thread(self.reviews.reopen, row["id"])
            return undone

    async def _carry_out(
        self, row: Row, accept: bool, text: str | None, keep: Keep
    ) -> tuple[str | None, tuple[str, ...], tuple[Rejected, ...]]:
        match row["kind"], accept:
            case "draft", True:
                raise UsageError("a refused draft is shown, not kept; `memoryd jobs retry` runs its range again")
            case "outside", False:
                run, files = await self._restore(row)
                return run, files, ()
            case ("draft" | "outside", _) | ("contradiction", False):
                return None, (), ()
            case _, True:
                run, files = await self._write(row, text, keep)
                return run, files, ()
            case _:
                return None, (), await asyncio.to_thread(self._rejected, row)

    async def _write(self, row: Row, text: str | None, keep: Keep) -> tuple[str | None, tuple[str, ...]]:
        roots = await asyncio.to_thread(self._roots, row)
        wished, about = _answered(row, text, keep), decision(row["id"], "accepted")
        if len(wished) == 1 and isinstance(wished[0], Save):
            saved = await self.commands.save(roots, wished[0], about=about)
            return saved.run, (saved.slug,)
        if not wished:
            return None, ()
        run, outcome, _ = await self.commands.change(roots, "review", wished, about=about)
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

        about = decision(row["id"], "rejected")
        run, outcome, _ = await self.commands.carry_out(roots, "review", plan, about=about)
        return (run.id, outcome.files) if isinstance(outcome, Applied) else (None, ())

    def _rejected(self, row: Row) -> tuple[Rejected, ...]:
        texts = [text for proposal in _proposals(row) for text in new_texts(proposal)]
        newest = self.commands.history.newest_seq()
        facts = [bare(line) for text in texts for line in text.split("\n") if bare(line)]
        roots = self._roots(row).values()
        return tuple(Rejected(root=root, fact=fact, after_seq=newest) for root in roots for fact in facts)

    def _roots(self, row: Row) -> Roots:
        directory = Path(row["dir"])
        if directory == self.runs.user_memory:
            return {Root.USER: directory}
        return self.runs.roots_of(directory)

    def text_of(self, row: Row) -> str:
        """What would be written or taken away, as a person reads it. Blocking."""
        match row["kind"]:
            case "outside":
                return self._diff(json.loads(row["detail"]))
            case "contradiction":
                return Contradiction.of(json.loads(row["detail"])).text
            case "draft":
                return str(row["reason"])
            case _:
                return "\n".join(self._shown(row, proposal) for proposal in _proposals(row))

    def _shown(self, row: Row, proposal: Proposal) -> str:
        return _shown(proposal, self._standing(row, proposal) if isinstance(proposal, Save | Archive) else "")

    def _standing(self, row: Row, proposal: Save | Archive) -> str:
        """The words of the entry that a wish would put away, '' for a new one."""
        root = self._roots(row).get(Root(row["scope"]))
        path = path_of(proposal.old if isinstance(proposal, Supersede) else proposal.slug)
        content = self._bytes(self.runs.versions.newest(root).get(path)) if root else None
        return split(readable(content))[1].strip() if content else ""

    def _diff(self, detail: Mapping[str, str]) -> str:
        old, new = (readable(self._bytes(detail[side]) or b"").splitlines() for side in ("before", "after"))
        rows = list(difflib.unified_diff(old, new, detail["path"], detail["path"], lineterm="", n=0))
        return "\n".join([*rows[:MAX_DIFF_ROWS], *(["…"] if len(rows) > MAX_DIFF_ROWS else [])])

    def _quoted(self, row: Row, text: str) -> tuple[tuple[str, str], ...]:
        """Where it was said and the words, for the first cited events that are still there."""
        spans = self.runs.evidence.spans(json.loads(row["detail"]).get("cites", ())).values()
        near = [(span, nearest_sentence(span.text, text, MAX_QUOTE_CHARS)) for span in spans]
        said = ((f"{s.host}/{s.session_id}#{s.seq}", f"{s.tier}: {quote}") for s, quote in near if quote)
        return tuple(said)[:MAX_QUOTES]

    def _bytes(self, digest: str | None) -> bytes | None:
        return self.runs.versions.content(digest) if digest else None


def _proposals(row: Row) -> tuple[Proposal, ...]:
    """What a row wishes for; a dream may wish for several changes together, a write or a question for none."""
    detail = json.loads(row["detail"])
    wished = detail["proposals"] if row["kind"] == "dream" else [detail] if row["kind"] in PROPOSALS else []
    return tuple(_PROPOSAL.validate_python(one) for one in wished)


def _answered(row: Row, text: str | None, keep: Keep) -> tuple[Proposal, ...]:
    """What a row that is accepted asks for, with a person's words in the place of its own."""
    if row["kind"] == "contradiction":
        return Contradiction.of(json.loads(row["detail"])).answered(keep, text)
    first, *rest = _proposals(row)
    return (_reworded(first, text), *(rest if text is None else ()))


def _words_of(row: Row) -> str | None:
    """What an edit starts from."""
    if row["kind"] == "contradiction":
        return Contradiction.of(json.loads(row["detail"])).first.text
    return next(map(_words, _proposals(row)), None)


def _shown(proposal: Proposal, old: str = "") -> str:
    """A wish as a person reads it: where to, and what is added, replaced or taken away; `old`: what it puts away."""
    match proposal:
        case Lines():
            rows = [f"+ {line}" for line in proposal.add] + [f"- {line}" for line in proposal.remove]
            rows += [f"- {old}\n+ {new}" for old, new in proposal.replace]
            return "\n".join([f"{proposal.file}:", *rows])
        case Save():
            rows = [f"- {line}" for line in old.splitlines()] + [f"+ {line}" for line in proposal.content.splitlines()]
            return "\n".join([f"{proposal.slug} ({proposal.type}):", *rows])
        case Archive():
            rows = [f"- {line}" for line in old.splitlines()]
            return "\n".join([f"archive {proposal.slug}{':' if rows else ''}", *rows])
        case _:
            return proposal.content


def _words(proposal: Proposal) -> str | None:
    match proposal:
        case Save():
            return proposal.content
        case Lines() if proposal.add:
            return "\n".join(proposal.add)
        case Lines() if len(proposal.replace) == 1:
            return proposal.replace[0][1]
        case _:
            return None


def _reworded(proposal: Proposal, text: str | None) -> Proposal:
    """The wish with a person's words in place of the proposed ones."""
    if text is None:
        return proposal
    match proposal:
        case Save():
            return proposal.model_copy(update={"content": text})
        case Lines() if proposal.add:
            return proposal.model_copy(update={"add": tuple(filter(str.strip, text.splitlines()))})
        case Lines() if len(proposal.replace) == 1:
            return proposal.model_copy(update={"replace": ((proposal.replace[0][0], text),)})
        case _:
            raise UsageError("this takes something away or changes several lines; accept or reject it as it is")

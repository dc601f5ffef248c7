"""The desk on which a draft is written: the files of both roots as text, changed proposal by proposal."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import assert_never

from memoryd.ipc.events import Tier
from memoryd.memory import daily, entries, frontmatter, lines
from memoryd.memory.changes import Draft, Dropped, Moved, Ours, Sources, encode
from memoryd.memory.earlier import Earlier
from memoryd.memory.model import CORE_FILES, SESSION_DIR, Entry, FileKey, Root
from memoryd.memory.papers import Papers
from memoryd.memory.proposal_rules import DATE
from memoryd.memory.proposals import Archive, Dated, Lines, Proposal, Save, Summary, Supersede
from memoryd.memory.routing import root_of
from memoryd.memory.text import bare, fold

DATED_DAYS = 30  #: how long a fact that no user said is kept


def session_path(host: str, session_id: str, date: str) -> str:
    """Return the path of a session's summary."""
    return f"{SESSION_DIR}/{date}-{session_ending(host, session_id)}"


def session_ending(host: str, session_id: str) -> str:
    """Return how that path ends: a readable start of the id and a hash that tells sessions apart."""
    start = "".join(c for c in session_id.lower() if c.isascii() and c.isalnum())[:8]
    digest = hashlib.sha256(f"{host}\0{session_id}".encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{start + '-' if start else ''}{digest}.md"


class Desk:
    """The files while they are being written."""

    def __init__(
        self, base: Mapping[FileKey, bytes], *, now: datetime, has_project: bool, sources: Sources, ours: Ours
    ) -> None:
        self.papers = Papers(base, ours)
        self.files = self.papers.files
        self._now = entries.stamp(now)
        self._expires_at = entries.stamp(now + timedelta(days=DATED_DAYS))
        self._has_project = has_project
        self._sources = sources
        self.earlier = Earlier(self.papers, now=self._now, sources=sources, save=self._save)
        self._dropped: list[Dropped] = []
        self._unchanged: list[Proposal] = []
        self._moved: list[Moved] = []
        self._replaced: list[tuple[FileKey, str]] = []

    def take(self, proposal: Proposal) -> None:
        match proposal:
            case Supersede():
                self._supersede(proposal)
            case Save():
                self._save(proposal)
            case Lines():
                self._change_lines(proposal)
            case Archive():
                self._archive(proposal)
            case Summary():
                self._summarise(proposal)
            case _:
                assert_never(proposal)

    def draft(self) -> Draft:
        changes = {}
        for key in dict.fromkeys([*self.papers.base, *self.files]):
            old = self.papers.base.get(key)
            new = encode(self.files[key]) if key in self.files else None
            if new != old:
                changes[key] = (old, new)
        return Draft(
            changes=changes,
            citations=self.papers.citations(),
            dropped=tuple(self._dropped),
            unchanged=tuple(self._unchanged),
            archived=tuple(self._moved),
            replaced=tuple(self._replaced),
        )

    # entries

    def may_retire(self, key: FileKey) -> bool:
        """Whether nobody touched an entry in this run and no person wrote a line of it."""
        body = entries.parse("", self.files[key]).body
        rows = [bare(row) for row in body.split("\n") if bare(row)]
        return self.papers.before(key) == self.files[key] and all(
            self.papers.seqs_of(key, row) is not None for row in rows
        )

    def retire(self, key: FileKey) -> None:
        self._make_historical(key, successor=None, for_room=True)

    def _save(self, proposal: Save) -> None:
        key = self._entry_key(proposal, proposal.slug)
        twin = self.papers.twin(key)
        if twin:
            self._drop(proposal, f"the name differs only in case from {twin}")
            return
        text = self.files.get(key)
        if text is not None and _says_the_same(entries.parse(proposal.slug, text), proposal):
            self._unchanged.append(proposal)
            return
        if text is not None:
            self._make_historical(key, successor=proposal.slug)
        self._write_entry(key, proposal, text)

    def _supersede(self, proposal: Supersede) -> None:
        old = self._entry_key(proposal, proposal.old)
        if proposal.old == proposal.slug:
            self._save(proposal)
        elif not self.papers.is_active(old):
            self._drop(proposal, f"{old.path} is gone or no longer active; the person's edit stands")
        elif twin := self.papers.twin(self._entry_key(proposal, proposal.slug)):
            self._drop(proposal, f"the name differs only in case from {twin}")
        else:
            self._make_historical(old, successor=proposal.slug)
            self._save(proposal)

    def _archive(self, proposal: Archive) -> None:
        key = self._entry_key(proposal, proposal.slug)
        if self.papers.is_active(key):
            self._make_historical(key, successor=None)
        else:
            self._unchanged.append(proposal)

    def _write_entry(self, key: FileKey, proposal: Save, old: str | None) -> None:
        fields: dict[str, object] = {
            "name": proposal.name,
            "description": proposal.description or None,
            "type": str(proposal.type),
            "memory_type": None,
            "status": "active",
            "superseded_by": None,
            "created_at": self._now,
            "updated_at": self._now,
            "sources": list(self._sources(proposal.cites)) or None,
            "tier": str(proposal.tier if isinstance(proposal, Dated) else Tier.USER),
            "expires_at": self._expires_at if isinstance(proposal, Dated) else None,
            "importance": proposal.importance,
            "tags": list(proposal.tags) or None,
        }
        if old is None:
            self.files[key] = entries.render(fields, proposal.content)
        else:
            if entries.parse(proposal.slug, old).created_at is not None:
                del fields["created_at"]  # the memory is as old as its first version
            if not proposal.tags:
                del fields["tags"]
            self.files[key] = entries.revise(old, fields, proposal.content)
        self.papers.cite_body(key, proposal.content, proposal.cites)

    def _make_historical(self, key: FileKey, *, successor: str | None, for_room: bool = False) -> None:
        slug = entries.slug_of(key.path) or key.path
        taken = {
            (entries.slug_of(k.path) or "").casefold() for k in [*self.files, *self.papers.base] if k.root is key.root
        }
        version = FileKey(key.root, entries.path_of(entries.version_slug(slug, taken)))
        fields: dict[str, object] = {"status": "historical"}
        if successor is not None:
            fields["superseded_by"] = successor
        self.files[version] = frontmatter.splice(self.files.pop(key), fields)
        self._moved.append(Moved(old=key, new=version, successor=successor, for_room=for_room))

    # lines

    def _change_lines(self, proposal: Lines) -> None:
        key = self._lines_key(proposal)
        if daily.day_of(key.path):
            text = self.files.get(key, "")
            self.files[key] = daily.edit(key.path, text, add=proposal.add, remove=proposal.remove)
            return
        is_entry = key.path not in CORE_FILES
        if is_entry and not self.papers.is_active(key):
            self._drop(proposal, f"{key.path} is gone or no longer active; the person's edit stands")
            return
        head, body = frontmatter.split(self.files.get(key, "")) if is_entry else ("", self.files.get(key, ""))
        changed = self._edit(key, body, proposal)
        if changed == body:
            return
        self.files[key] = head + changed
        if is_entry:
            self.files[key] = frontmatter.splice(self.files[key], {"updated_at": self._now})

    def _edit(self, key: FileKey, text: str, proposal: Lines) -> str:
        for old, new in proposal.replace:
            text = self._replace_line(key, text, old, new, proposal)
        for old in proposal.remove:
            item = lines.find(text, old)
            text = lines.remove(text, item) if item else text
            if item is None:
                self._unchanged.append(_only(proposal, remove=(old,)))
        for new in proposal.add:
            if lines.find(text, new) or self.earlier.holds(key, new):
                self._unchanged.append(_only(proposal, add=(new,)))
                continue
            text = lines.add(text, new)
            self.papers.cite(key, new, proposal.cites)
        return text

    def _replace_line(self, key: FileKey, text: str, old: str, new: str, proposal: Lines) -> str:
        item = lines.find(text, old)
        if item is None:
            self._drop(_only(proposal, replace=((old, new),)), "the line is gone; the person's edit stands")
            return text
        if fold(old) == fold(new):
            self._unchanged.append(_only(proposal, replace=((old, new),)))
            return text
        self._replaced.append((key, item.text))
        if lines.find(text, new):
            return lines.remove(text, item)
        self.papers.cite(key, new, proposal.cites)
        return lines.replace(text, item, new)

    # sessions

    def _summarise(self, proposal: Summary) -> None:
        if not DATE.match(proposal.date):
            self._drop(proposal, f"{proposal.date!r} is no date")
            return
        root = root_of(proposal, has_project=self._has_project)
        key = FileKey(root, session_path(proposal.host, proposal.session_id, proposal.date))
        kept = self._persons_lines(key, proposal.content)
        text = f"{proposal.content.strip()}\n" + "".join(f"{row}\n" for row in ["", *kept] if kept)
        if self.files.get(key) == text:
            self._unchanged.append(proposal)
            return
        fresh = self._fresh_lines(key, proposal.content)
        self.files[key] = text
        rests = {fold(line): seqs for line, seqs in proposal.rests if {*seqs} <= {*proposal.cites}}
        for row in fresh:
            self.papers.cite(key, row, rests.get(fold(bare(row)), proposal.cites))

    def _fresh_lines(self, key: FileKey, content: str) -> list[str]:
        """Return the lines that this run adds: one that stands and was cited rests on what it was first made of.

        A summary is written anew at each run; citing all of it each time would grow with the square of the session.
        """
        stands = {fold(bare(row)) for row in self.files.get(key, "").split("\n")}
        rows = (row for row in content.split("\n") if bare(row))
        return [row for row in rows if fold(bare(row)) not in stands or self.papers.seqs_of(key, bare(row)) is None]

    def _persons_lines(self, key: FileKey, content: str) -> list[str]:
        """Return the lines of the old text that neither memoryd wrote nor the new text holds."""
        new = {fold(bare(row)) for row in content.split("\n")}
        rows = [row.rstrip("\r") for row in self.files.get(key, "").split("\n")]
        return [
            row
            for row in rows
            if bare(row) and self.papers.seqs_of(key, bare(row)) is None and fold(bare(row)) not in new
        ]

    # what is where

    def _entry_key(self, proposal: Save | Archive, slug: str) -> FileKey:
        """Return the active entry of that name, in the root the proposal belongs to first; else where it would go."""
        routed = FileKey(root_of(proposal, has_project=self._has_project), entries.path_of(slug))
        other = FileKey(Root.USER if routed.root is Root.PROJECT else Root.PROJECT, routed.path)
        elsewhere = proposal.root is None and not self.papers.is_active(routed) and self.papers.is_active(other)
        return other if elsewhere else routed

    def _lines_key(self, proposal: Lines) -> FileKey:
        """Return the file that holds the lines to change, in the root the proposal belongs to first."""
        routed = FileKey(root_of(proposal, has_project=self._has_project), proposal.file)
        other = FileKey(Root.USER if routed.root is Root.PROJECT else Root.PROJECT, routed.path)
        wanted = [old for old, _ in proposal.replace] + list(proposal.remove)
        if proposal.root is not None or other not in self.files:
            return routed
        if wanted:
            holds = [any(lines.find(self.files.get(key, ""), old) for old in wanted) for key in (routed, other)]
            return other if holds == [False, True] else routed
        return other if routed.path not in CORE_FILES and routed not in self.files else routed

    def _drop(self, proposal: Proposal, reason: str) -> None:
        self._dropped.append(Dropped(proposal=proposal, reason=reason))


def _only(proposal: Lines, **part: object) -> Lines:
    return proposal.model_copy(update={"add": (), "replace": (), "remove": (), **part})


def _says_the_same(entry: Entry, proposal: Save) -> bool:
    same = fold(entry.name) == fold(proposal.name) and fold(entry.body) == fold(proposal.content)
    return entry.active and same and entry.dated == isinstance(proposal, Dated)  # said by the user now: theirs

"""In: an archive, verified whole, joined with what is here. Nothing is changed before all of it was read."""

import contextlib
import uuid
from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import Clock
from memoryd.daemon.archive import container
from memoryd.daemon.archive.container import Archive
from memoryd.daemon.archive.contents import Contents
from memoryd.daemon.journal import load
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.load import Load, Loaded
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.errors import MemorydError, RestartNeeded
from memoryd.ipc.places import Places
from memoryd.ipc.redaction import redact
from memoryd.memory import merging
from memoryd.memory.apply import Raced, apply
from memoryd.memory.changes import readable
from memoryd.memory.model import FileKey, Root
from memoryd.memory.ports import Author, FileChange
from memoryd.memory.shelf import Shelf
from memoryd.memory.text import bare, fold
from memoryd.worker.ports import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    run: str | None  #: None: there was nothing new
    events: int
    duplicates: int  #: known here, or purged here
    sessions: int
    versions: int
    files: tuple[str, ...]
    left: tuple[str, ...]  #: files that differ and stay as they are here


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """Joins what was read from an archive with what is here. In a thread, under the locks of its directories."""

    places: Places
    runs: JournalRuns
    history: History
    shelf: Shelf
    clock: Clock

    def load(self, contents: Contents) -> Imported | None:
        """Join it with what is here, in one apply and one transaction; None: somebody saved meanwhile."""
        plan, left, stands = self._plan(contents)
        user = self.places.user_memory
        run = Run(id=uuid.uuid4().hex, dir=user, roots={Root.USER: user}, author=Author.PERSON, action="import",
                  agent="person")  # fmt: skip
        tables = contents.tables
        incoming = Load(
            run=run, projects=tables["projects"], dirs=contents.dirs, sessions=tables["sessions"],
            events=contents.events, turns=tables["turns"], runs=tables["runs"], run_dirs=tables["run_dirs"],
            versions=contents.versions,
            citations=tables["citations"], copies=tables["copies"],
            rejected=tables["rejected"], rules=tables["purges"],
            spawns=tables["spawns"], goals=[{**row, "text": redact(row["text"])} for row in tables["goals"]],
            notes=tables["notes"],
            marks={name: [row["digest"] for row in tables[name]] for name in ("tombstones", "purged")},
            changes=tuple(plan), stands=stands,
        )  # fmt: skip
        self.runs.start(run)
        done = self._apply(incoming)
        if done is None:
            return None
        new = not done.nothing or bool(plan)
        return Imported(
            run=run.id if new else None, events=done.events, duplicates=done.duplicates, sessions=done.sessions,
            versions=done.versions, files=tuple(sorted(f"{self._scope(c.root)}/{c.path}" for c in plan)), left=left,
        )  # fmt: skip

    def _apply(self, incoming: Load) -> Loaded | None:
        run, done = incoming.run, list[Loaded]()
        try:
            outcome = apply(
                incoming.changes,
                run_id=run.id,
                begin=lambda: self.runs.begin(run, incoming.changes),
                commit=lambda: done.append(self.history.journal.write(lambda c: load.load(c, incoming, self.clock()))),
                clock=self.clock,
            )
        except RestartNeeded:
            raise
        except MemorydError as error:
            with contextlib.suppress(MemorydError):
                self.runs.abandon(run.id)
                self.runs.end(run, "failed", str(error))
            raise
        if isinstance(outcome, Raced):
            self.runs.abandon(run.id)
            self.runs.versions.record(outcome.found)
            self.runs.end(run, "conflict", None)
            return None
        return done[0]

    def _plan(self, contents: Contents) -> tuple[list[FileChange], tuple[str, ...], dict[tuple[str, str], bytes]]:
        """The changes to the files, those that are left, and what every file holds afterwards."""
        changes: list[FileChange] = []
        left: list[str] = []
        stands: dict[tuple[str, str], bytes] = {}
        for root, theirs in contents.files.items():
            self.shelf.seed(root)
            ours = self.shelf.observed(root)
            merged = merging.merge(ours, theirs, seeds=set(self.shelf.seeds().values()), past=self._past(root))
            left += [f"{self._scope(root)}/{path}" for path in merged.left]
            wanted: dict[FileKey, tuple[bytes | None, bytes | None]] = {
                FileKey(Root.USER, path): (ours.get(path), new) for path, new in merged.files.items()
            }
            wanted.update(self.shelf.index_changes({Root.USER: root}, wanted))
            made = [
                FileChange(root=root, path=k.path, base=old, new=new) for k, (old, new) in wanted.items() if old != new
            ]
            changes += made
            after = {**ours, **{change.path: change.new for change in made}}
            stands.update({(str(root), path): content for path, content in after.items() if content is not None})
        return changes, tuple(left), stands

    def _past(self, root: Path) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for path, rows in self.history.versions_by_path(root).items():
            texts = (readable(self.runs.versions.content(row["digest"]) or b"") for row in rows if row["digest"])
            found[path] = {fold(bare(line)) for text in texts for line in text.splitlines()}
        return found

    def _scope(self, root: Path) -> str:
        return "user" if root == self.places.user_memory else "project"


def opened(path: Path) -> "contextlib.AbstractContextManager[Archive]":
    """:raises BadEvent: not an export, or a checksum is wrong"""
    return container.opened(path, "export")

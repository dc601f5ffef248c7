"""What a purge does to memory: every file and every version without the lines that rest on what is selected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memoryd.daemon.journal import selection as selecting
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.purge import Rewrite
from memoryd.daemon.journal.runs import line_digest
from memoryd.daemon.journal.selection import Found, Selection
from memoryd.ipc.places import Places
from memoryd.memory import entries, purging
from memoryd.memory.changes import decode, encode
from memoryd.memory.model import INDEX_FILE, FileKey, Root
from memoryd.memory.ports import FileChange
from memoryd.memory.shelf import Shelf


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a purge does to the memory files as they are now."""

    found: Found
    changes: tuple[FileChange, ...]
    lines: tuple[tuple[str, str], ...]
    rewrite: Rewrite
    seeds: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """In a thread, under the locks of all directories."""

    places: Places
    history: History
    shelf: Shelf

    def paths(self) -> list[Path]:
        """Every memory directory, the user's first."""
        rows = {Path(row["path"]) for row in self.history.directories()}
        on_disk = set(self.places.data.glob("projects/*/memory"))
        return [self.places.user_memory, *sorted((rows | on_disk) - {self.places.user_memory})]

    def plan(self, selection: Selection, paths: Sequence[Path]) -> Plan:
        found = self.history.journal.read(lambda c: selecting.find(c, selection))
        rewrite = Rewriting(found)
        seeds = dict(self.shelf.seeds()) if selection.everything else {}
        changes: list[FileChange] = []
        lines: list[tuple[str, str]] = []
        for path in paths:
            files = self.shelf.observed(path)
            wanted = self._wanted(path, files, rewrite, seeds if selection.everything else None)
            scope = Root.USER if path == self.places.user_memory else Root.PROJECT
            for name, new in wanted.items():
                if new != files.get(name):
                    changes.append(FileChange(root=path, path=name, base=files.get(name), new=new))
                    lines += [(f"{scope}/{name}", row) for row in _lost(name, files.get(name), new)]
        return Plan(found=found, changes=tuple(changes), lines=tuple(lines), rewrite=rewrite, seeds=seeds)

    def _wanted(
        self, root: Path, files: Mapping[str, bytes], rewrite: "Rewriting", seeds: Mapping[str, bytes] | None
    ) -> dict[str, bytes | None]:
        """The files of a directory that shall change, as they shall be."""
        if seeds is not None and root.is_relative_to(self.places.data):
            kept = seeds if root == self.places.user_memory else {}
            return {name: kept.get(name) for name in {*files, *kept}}
        wanted: dict[str, bytes | None] = {}
        for name, content in files.items():
            text = rewrite(str(root), name, decode(content)) if name != INDEX_FILE else decode(content)
            wanted[name] = None if text is None else encode(text)
        changed = {name: new for name, new in wanted.items() if new != files[name]}
        keys = {FileKey(Root.USER, name): (files[name], new) for name, new in changed.items()}
        index = self.shelf.index_changes({Root.USER: root}, keys)
        return changed | {key.path: new for key, (_, new) in index.items()}


class Rewriting:
    """The files and versions of every directory without the lines that rest on what is purged."""

    def __init__(self, found: Found) -> None:
        self._sources = found.sources
        self._gone: dict[tuple[str, str], frozenset[str]] = dict(found.gone)
        self._entries: dict[str, set[str]] = {}
        for root, path in found.gone:
            if entries.slug_of(path):
                self._entries.setdefault(root, set()).add(path)

    def __call__(self, root: str, path: str, text: str) -> str | None:
        if path == INDEX_FILE:
            listed = self._entries.get(root)
            return purging.without_entries(text, listed) if listed else text
        lines = frozenset().union(*(self._gone.get((root, name), ()) for name in entries.names_of(path)))
        if not lines:
            return text
        return purging.without(path, text, lambda row: line_digest(row) in lines, self._sources)


def _lost(path: str, old: bytes | None, new: bytes | None) -> list[str]:
    """The lines that a file loses."""
    if path == INDEX_FILE or old is None:
        return []
    kept = set(purging.said(decode(new or b"")))
    body = purging.body_of(decode(old))
    return [row for row in purging.said(body) if row not in kept]

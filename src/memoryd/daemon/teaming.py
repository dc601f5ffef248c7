"""Team memory of the projects: what of it is trusted, what waits for a look, what recall may show."""

import difflib
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.trusts import Looked, Trusts
from memoryd.daemon.projects import real_path
from memoryd.errors import Conflict
from memoryd.ipc.methods.team import TeamState
from memoryd.ipc.sanitise import sanitise
from memoryd.memory import team
from memoryd.memory.aside import digest
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.changes import readable
from memoryd.memory.directory import MemoryDirectory
from memoryd.memory.model import Root
from memoryd.memory.scan import threats


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamFile:
    """A file of a team memory beside what a person saw of it."""

    path: str
    state: TeamState
    digest: str  #: of the file as it is now, '' when it is gone
    before: str  #: as it was looked at, '' for a new one
    now: str  #: '' when it is gone; both without secrets
    flags: tuple[str, ...] = ()  #: signs of an attack: never shown to an agent

    def diff(self) -> str:
        old, new = self.before.splitlines(), self.now.splitlines()
        return "\n".join(difflib.unified_diff(old, new, self.path, self.path, n=2, lineterm=""))


@dataclass(slots=True, kw_only=True)
class Teams:
    """Reads the files at a look, never writes them. Blocking but for `shown`."""

    journal: Journal
    _directories: dict[Path, MemoryDirectory] = field(default_factory=dict)
    _shown: dict[str, tuple[dict[str, str], Catalogue]] = field(default_factory=dict)  #: by key, with its digests
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def folder(self, key: str) -> Path | None:
        """Where the team memory of a project is; None: it has none. A link leads to what is not of this repository."""
        roots = (Path(real_path(root)) for root in self.journal.projects.roots_of(key))
        places = (root / team.FOLDER for root in roots)
        return next((place for place in places if os.path.isdir(place) and real_path(str(place)) == str(place)), None)

    def look(self, key: str) -> None:
        """Read the files, and let what may be shown follow them. Where nothing is trusted nothing is read."""
        with self._lock:
            known = Trusts(self.journal).of(key)
            present = self._present(key) if known else {}
            trusted = {
                path: one for path, one in present.items() if path in known and known[path].digest == digest(one)
            }
            digests = {path: known[path].digest for path in trusted}
            if self._shown.get(key, ({}, None))[0] != digests:
                self._shown[key] = (digests, team.catalogue(trusted))

    def files(self, key: str) -> tuple[TeamFile, ...]:
        """The files as they are, beside what a person saw of them."""
        with self._lock:
            return tuple(_compared(Trusts(self.journal).of(key), self._present(key)))

    def shown(self, roots: Mapping[Root, Path]) -> Catalogue:
        """What the last look left to be shown; no file is read."""
        key = key_of(roots)
        return self._shown[key][1] if key in self._shown else Catalogue()

    def trust(self, key: str, seen: Mapping[str, str]) -> None:
        """Trust the files as they were seen, by path and digest; one that is gone is forgotten.

        :raises Conflict: one changed since, or came; nothing is trusted
        """
        present = self._present(key)
        if seen != {path: digest(content) for path, content in present.items()}:
            raise Conflict("the team memory changed while you looked; run `memoryd trust` again")
        Trusts(self.journal).put(
            key, {path: Looked(seen[path], sanitise(readable(content))) for path, content in present.items()}
        )
        self.look(key)

    def revoke(self, key: str) -> int:
        """Trust nothing of it any more; returns how many files were, those that are never shown not counted."""
        trusted = sum(file.state == "trusted" and not file.flags for file in self.files(key))
        Trusts(self.journal).put(key, {})
        self.look(key)
        return trusted

    def _present(self, key: str) -> dict[str, bytes]:
        folder = self.folder(key)
        if folder is None:
            return {}
        directory = self._directories.setdefault(folder, MemoryDirectory(folder))
        return team.facts(directory.read_all())


def key_of(roots: Mapping[Root, Path]) -> str:
    """The project's key of its memory directory, '' for other places."""
    return roots[Root.PROJECT].parent.name if Root.PROJECT in roots else ""


def _compared(known: Mapping[str, Looked], present: Mapping[str, bytes]) -> Iterator[TeamFile]:
    for path in sorted({*known, *present}):
        before, content = known.get(path), present.get(path)
        held = digest(content) if content is not None else ""
        now = sanitise(readable(content)) if content is not None else ""
        yield TeamFile(
            path=path, state=_state(before, held), digest=held, before=before.text if before else "", now=now,
            flags=tuple(sorted(threats(readable(content or b"")))),
        )  # fmt: skip


def _state(before: Looked | None, held: str) -> TeamState:
    if not held:
        return "gone"
    if before is None:
        return "new"
    return "trusted" if before.digest == held else "changed"

"""The open memory directories of this process: one lock, one reader and one catalogue each.

Recall reads catalogues and never waits; runs hold the locks while they read and write files.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from pathlib import Path

import structlog

from memoryd import fsio
from memoryd.clock import Clock, mono, utc_now
from memoryd.errors import MemorydError, PathRefused
from memoryd.memory import entries, index
from memoryd.memory.apply import apply
from memoryd.memory.catalogue import Catalogue, Wear
from memoryd.memory.changes import decode, encode
from memoryd.memory.directory import MemoryDirectory
from memoryd.memory.model import INDEX_FILE, SKILL_FILE, FileKey, MemoryView, Root
from memoryd.memory.ports import Author, FileChange, Version, Versions
from memoryd.memory.recovery import settle
from memoryd.memory.sight import Sight

LOOK_SECONDS = 2.0  #: a look holds so long for what no folder and no stat of a shown file tells: an edit in place
SETTLE_SECONDS = 10.0  #: after an apply, what was moved aside is looked at once more

log = structlog.get_logger("memory")

Seeds = Callable[[], Mapping[str, bytes]]
Changes = Mapping[FileKey, tuple[bytes | None, bytes | None]]


@dataclass(slots=True)
class _Place:
    directory: MemoryDirectory
    role: Root  #: which root its files are shown as
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    catalogue: Catalogue | None = None  #: None: nobody has read it yet
    generation: int = 0
    seen: Sight | None = None  #: what the last look has recorded and read; None: look again


@dataclass(slots=True, kw_only=True)
class Shelf:
    """Opens directories at their first use."""

    versions: Versions
    seeds: Seeds
    upgrade: Callable[[bytes], bytes | None] = lambda skill: None  #: the SKILL.md to put in place of one we shipped
    clock: Clock = utc_now
    author_of: Callable[[Path, str], Author] = lambda root, path: Author.OUTSIDE
    #: files whose newest version is not memoryd's, and when it was seen: their age counts from then
    changed_outside: Callable[[Path], Mapping[str, datetime]] = lambda root: {}
    wear: Callable[[Path], Mapping[str, Wear]] = lambda root: {}
    _places: dict[Path, _Place] = field(default_factory=dict)

    def place(self, path: Path, role: Root | None = None) -> _Place:
        if path not in self._places:
            self._places[path] = _Place(MemoryDirectory(path), role or Root.PROJECT)
        return self._places[path]

    @asynccontextmanager
    async def locked(self, roots: Mapping[Root, Path]) -> AsyncIterator[None]:
        """Hold the directories' locks, the user's first."""
        for root in roots:
            self.place(roots[root], root)
        async with self.locked_paths([roots[root] for root in Root if root in roots]):
            yield

    @asynccontextmanager
    async def locked_paths(self, paths: Iterable[Path]) -> AsyncIterator[None]:
        """Hold the locks of any directories, in the order given: the user's first, as runs take them."""
        async with AsyncExitStack() as stack:
            for path in paths:
                await stack.enter_async_context(self.place(path).lock)
            yield

    def observed(self, path: Path) -> dict[str, bytes]:
        """The files of a directory as they are now, others' changes recorded. In a thread, under its lock."""
        self._observe(path)
        return self.place(path).directory.read_all()

    def sweep_aside(self, path: Path) -> None:
        """Remove now, not some seconds later, what runs had moved aside. In a thread, under the lock."""
        settle(path, self.versions, clock=self.clock)

    def read(self, roots: Mapping[Root, Path]) -> dict[FileKey, bytes]:
        """The bytes of now; whoever changed them since the last look is recorded first. In a thread, under the locks.

        A directory that does not exist yet is made and seeded: only runs come here.
        """
        for path in roots.values():
            self.seed(path)
            self._observe(path)
        return {
            FileKey(root, name): content
            for root, path in roots.items()
            for name, content in self.place(path).directory.read_all().items()
        }

    def check_plain(self, roots: Mapping[Root, Path], keys: Iterable[FileKey]) -> None:
        """Accept files that may be written, by the last reading.

        :raises PathRefused: a link, a hard link, a pipe or a device stands there
        """
        skipped = {
            (root, skip.path): skip for root, path in roots.items() for skip in self.place(path).directory.skipped
        }
        for key in keys:
            if skip := skipped.get((key.root, key.path)):
                raise PathRefused(f"cannot write {skip.path!r}: {skip.reason}")

    def seed(self, root: Path) -> None:
        """Make a directory and the files it starts with; what exists is left alone. In a thread, under the lock.

        SKILL.md is written last: a directory that has none was not seeded to its end. One that we shipped and nobody
        changed is replaced by the one of this release.
        """
        skill = root / SKILL_FILE
        if skill.exists():
            return self._upgrade_skill(root)
        self.place(root).directory.create()
        wanted = self.seeds()
        for path in sorted(wanted, key=lambda path: path == SKILL_FILE):
            if not (root / path).exists():
                fsio.write_durable(root / path, wanted[path])
                self.versions.record([self._version(root, path, wanted[path])])
        return None

    def _upgrade_skill(self, root: Path) -> None:
        current = self.place(root).directory.read_all().get(SKILL_FILE)
        newest = self.upgrade(current) if current is not None else None
        if newest is not None:
            change = FileChange(root=root, path=SKILL_FILE, base=current, new=newest)
            version = self._version(root, SKILL_FILE, newest)
            apply([change], run_id="upgrade", begin=lambda: None, commit=lambda: self.versions.record([version]))
            settle(root, self.versions, run_id="upgrade", clock=self.clock)

    def _version(self, root: Path, path: str, content: bytes) -> Version:
        return Version(root=root, path=path, content=content, author=Author.RUN, run_id=None, at=self.clock())

    async def view(self, roots: Mapping[Root, Path]) -> MemoryView:
        """What a memory agent may see: observed, parsed, redacted."""
        async with self.locked(roots):
            await asyncio.to_thread(self.read, roots)
            for path in roots.values():
                await asyncio.to_thread(self._load, path)
        return self.joined(roots).view(has_project=Root.PROJECT in roots)

    async def refresh(self, paths: Iterable[Path]) -> None:
        """Look at directories again: record what others changed, swap the catalogues."""
        for path in paths:
            if await asyncio.to_thread(self.as_seen, path):
                continue  # no run is waited for where there is nothing to read
            async with self.place(path).lock:
                await asyncio.to_thread(self._refresh, path)

    async def refresh_existing(self, roots: Mapping[Root, Path]) -> None:
        """`refresh` before recall; an error leaves the catalogues as they are."""
        for role, path in roots.items():
            self.place(path, role)
        try:
            await self.refresh(roots.values())
        except MemorydError as error:
            log.warning("memory.unread", code=error.code, dirs=[str(path) for path in roots.values()])

    def as_seen(self, path: Path) -> bool:
        """Whether all files of a directory are what the last look saw and its catalogue says. Blocking; no lock."""
        began, place = mono(), self._places.get(path)
        seen = place.seen if place else None
        if place is None or seen is None or not seen.holds(seen.files):
            return False
        if place.seen is seen:
            place.seen = replace(seen, at_mono=began)
        return True

    def sights(self, roots: Mapping[Root, Path]) -> Mapping[Root, Sight] | None:
        """What the last look at each root saw, its catalogue is of that or newer; None: there is to be a look first."""
        seen = {root: place.seen for root, path in roots.items() if (place := self._places.get(path)) and place.seen}
        recent = mono() - LOOK_SECONDS
        return seen if len(seen) == len(roots) and all(one.at_mono > recent for one in seen.values()) else None

    async def recover(self, path: Path) -> None:
        """At start: keep what editors wrote into files that a run had moved aside."""
        async with self.place(path).lock:
            await asyncio.to_thread(settle, path, self.versions, clock=self.clock)

    async def settle_later(self, paths: Iterable[Path], run_id: str, *, seconds: float = SETTLE_SECONDS) -> None:
        """Some seconds after a run: keep edits to what it moved aside, remove the rest."""
        waiting = list(paths)
        while waiting:
            await asyncio.sleep(seconds)
            waiting = [path for path in waiting if await self._settle(path, run_id)]

    async def _settle(self, path: Path, run_id: str) -> bool:
        """Whether edits came back on top: what they replaced is aside now and looked at later."""
        async with self.place(path).lock:
            edits = await asyncio.to_thread(settle, path, self.versions, run_id=run_id, clock=self.clock)
            if edits:
                log.info("memory.rescued", dir=str(path), run=run_id)
                await asyncio.to_thread(self._load, path)
            return bool(edits)

    def joined(self, roots: Mapping[Root, Path]) -> Catalogue:
        """The catalogue of these roots, as last loaded; empty for a directory that nobody has read yet."""
        parts = [self.place(path, role).catalogue or Catalogue() for role, path in roots.items()]
        return reduce(Catalogue.joined, parts) if parts else Catalogue()

    def parts(self, roots: Mapping[Root, Path]) -> dict[Path, Catalogue]:
        """The catalogue of each root by itself, as last loaded."""
        return {path: self.place(path, role).catalogue or Catalogue() for role, path in roots.items()}

    def loaded(self, roots: Mapping[Root, Path]) -> bool:
        return all(self.place(path, role).catalogue is not None for role, path in roots.items())

    def expired(self, now: datetime) -> Iterator[tuple[Path, tuple[str, ...]]]:
        """The loaded directories that hold dated facts whose time is over, and their slugs; what matured goes daily."""
        for path, place in tuple(self._places.items()):
            known = place.catalogue.entries if place.catalogue else ()
            over = (k.entry for k in known if k.entry.active and k.entry.dated and k.entry.expired(now))
            slugs = tuple(entry.slug for entry in over if not entry.matured)
            if slugs:
                yield path, slugs

    def index_changes(self, roots: Mapping[Root, Path], changes: Changes) -> Changes:
        """MEMORY.md of every root whose entries change, as it follows from the changes. In a thread."""
        found: dict[FileKey, tuple[bytes | None, bytes | None]] = {}
        for root in {key.root for key in changes if entries.slug_of(key.path)}:
            before = self.place(roots[root]).directory.read_all()
            after = {k.path: new for k, (_, new) in changes.items() if k.root is root}
            files = {path: content for path, content in {**before, **after}.items() if content is not None}
            found[FileKey(root, INDEX_FILE)] = (before.get(INDEX_FILE), _index(files))
        return found

    def _observe(self, root: Path) -> list[Version]:
        found = self.place(root).directory.observe(self.versions, self.clock(), lambda path: self.author_of(root, path))
        if found:
            log.info("memory.observed", dir=str(root), files=len(found))
        return found

    def _refresh(self, root: Path) -> None:
        """Record and read what is another than at the last look."""
        place = self.place(root)
        present = place.directory.look()
        if place.seen is None or place.seen.digests != present.digests:
            self._observe(root)
            self._load(root)
        place.seen = present

    def look_afresh(self) -> None:
        """Let the next look read everything again: what is shown of a file depends on the settings too."""
        for place in self._places.values():
            place.seen = None

    def _load(self, root: Path) -> None:
        """Parse the directory and swap its catalogue whole."""
        place = self.place(root)
        place.seen = None
        place.generation += 1
        place.catalogue = Catalogue.build(
            {FileKey(place.role, path): content for path, content in place.directory.read_all().items()},
            {FileKey(place.role, path): at for path, at in self.changed_outside(root).items()},
            wear={FileKey(place.role, path): wear for path, wear in self.wear(root).items()},
            generation=place.generation,
            previous=place.catalogue,
        )


def _index(files: Mapping[str, bytes]) -> bytes:
    known = [entries.parse(slug, decode(content)) for path, content in files.items() if (slug := entries.slug_of(path))]
    return encode(index.render(known, decode(files.get(INDEX_FILE, b""))))

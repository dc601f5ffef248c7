"""Out: `export` as one archive that any installation can take in, `backup` as the data directory itself."""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd import fsio
from memoryd.clock import Clock, rfc3339
from memoryd.daemon import placeholder_key
from memoryd.daemon.archive import container
from memoryd.daemon.journal import dump
from memoryd.daemon.journal.history import History
from memoryd.ipc.places import Places
from memoryd.memory.shelf import Shelf

_SPOOLED_BYTES = 8 * 1024 * 1024  #: of a table's rows held in memory while they are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    path: Path
    size: int  #: bytes
    sha256: str
    members: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Directories by names that mean the same on another machine."""

    user_memory: Path
    kinds: Mapping[str, tuple[str, str | None]]  #: path -> (kind, project)

    def of(self, path: str) -> str:
        """`user`, `projects/<key>`, or `explicit/<hash>` for a directory that an event named."""
        kind, project = self.kinds.get(path, ("explicit", None))
        if path == str(self.user_memory):
            return "user"
        return (
            f"projects/{project}" if kind == "project" else f"explicit/{hashlib.sha256(path.encode()).hexdigest()[:16]}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """Writes archives. The directories are locked meanwhile: files and journal are of one moment; appends go on."""

    places: Places
    history: History
    shelf: Shelf
    clock: Clock

    def paths(self) -> list[Path]:
        """Every memory directory, the user's first."""
        rows = sorted(Path(row["path"]) for row in self.history.directories())
        return [self.places.user_memory, *(path for path in rows if path != self.places.user_memory)]

    def names(self) -> Names:
        kinds = {row["path"]: (row["kind"], row["project"]) for row in self.history.directories()}
        return Names(user_memory=self.places.user_memory, kinds=kinds)

    def export(self, target: Path, paths: Sequence[Path], *, force: bool) -> Written:
        """Memory files, the journal's rows and every version. In a thread, under the locks of `paths`.

        :raises PathRefused: `target` is inside the data directory
        :raises Conflict: it is there already
        """
        names = self.names()
        roots = [
            {"name": names.of(str(p)), "path": str(p), "kind": names.kinds.get(str(p), ("user", None))[0]}
            for p in paths
        ]
        head = {"kind": "export", "created_at": rfc3339(self.clock()), "roots": roots}
        with container.writing(target, self.places.data, head, force=force) as archive:
            for path in paths:
                for name, content in self.shelf.observed(path).items():
                    archive.add(f"memory/{names.of(str(path))}/{name}", content)
            self.history.journal.read(lambda connection: _add_journal(connection, archive, names))
        return _written(target, archive)

    def back_up(self, target: Path, paths: Sequence[Path], *, force: bool) -> Written:
        """The journal, the key of the placeholders and the memory files, laid out as the data directory is.

        In a thread, under the locks.

        :raises PathRefused: `target` is inside the data directory
        :raises Conflict: it is there already
        :raises CannotWrite: its folder cannot be written
        """
        container.check_target(target, self.places.data, force=force)
        outside = [str(path) for path in paths if not path.is_relative_to(self.places.data)]
        head = {
            "kind": "backup", "created_at": rfc3339(self.clock()), "data": str(self.places.data), "outside": outside,
        }  # fmt: skip
        with fsio.translated("write", None, target):
            beside = tempfile.TemporaryDirectory(prefix=".memoryd-", dir=target.parent)
        with beside as folder:
            copy = Path(folder) / "state.db"
            with container.writing(target, self.places.data, head, force=force) as archive:
                _add_files(archive, {self._place(path): self.shelf.observed(path) for path in paths})
                archive.add(placeholder_key.NAME, placeholder_key.load(self.places.data))
                self.history.journal.read(lambda connection: dump.copy_to(connection, copy))
                with copy.open("rb") as file:
                    archive.add_file("state.db", file, os.fstat(file.fileno()).st_size)
        return _written(target, archive)

    def _place(self, path: Path) -> str:
        """Where a memory directory stands in a backup."""
        inside = path.is_relative_to(self.places.data)
        return str(path.relative_to(self.places.data)) if inside else self.names().of(str(path))


def _add_files(archive: container.Writer, directories: Mapping[str, Mapping[str, bytes]]) -> None:
    names = {f"{place}/{name}": content for place, files in directories.items() for name, content in files.items()}
    folders = {parent for name in (*names, *(f"{place}/_" for place in directories)) for parent in Path(name).parents}
    for folder in sorted(folders - {Path(".")}):
        archive.add_folder(str(folder))
    for name, content in names.items():
        archive.add(name, content)


def _add_journal(connection: dump.Connection, archive: container.Writer, names: Names) -> None:
    with dump.frozen(connection):
        for table in dump.tables(connection):
            with tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES) as file:
                for row in dump.rows(connection, table, names.of):
                    file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
                size = file.tell()
                file.seek(0)
                archive.add_file(f"journal/{table}.jsonl", file, size)  # type: ignore[arg-type]
        for digest, content in dump.blobs(connection):
            archive.add(f"versions/{digest}", content)


def _written(target: Path, archive: container.Writer) -> Written:
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Written(path=target, size=os.fstat(file.fileno()).st_size, sha256=digest, members=archive.members)

"""What the kernel, the disk and the journal say about the daemon at one moment (Linux)."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from support.installation import Installation, reading

from bench.process import memory, switches

PARTS = ("state.db", "state.db-wal", "index", "logs.db", "spool", "memory")
#: bytes that the journal was given to keep: what stands beside them is its own
_KEPT = (
    "select coalesce(sum(length(cast(data as blob)) + length(id)), 0), coalesce(max(seq), ?1) from events"
    " where seq > ?1",
    "select coalesce(sum(length(content)), 0) from blobs",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Bytes, counts, and seconds since the beginning. `life` is the number of starts before it."""

    at: float
    life: int
    rss: int
    private: int
    threads: int
    descriptors: int
    wakes: int  #: context switches of the threads that live
    disk: dict[str, int]
    kept: int  #: text of events and contents of versions in the journal
    events: int  #: newest seq

    @property
    def on_disk(self) -> int:
        return sum(self.disk.values())


@dataclass(slots=True)
class Gauge:
    """Takes samples; events are summed once, so that a look stays cheap."""

    served: Installation
    life: int = 0
    samples: list[Sample] = field(default_factory=list)
    _seq: int = 0
    _bytes: int = 0

    def look(self, at: float) -> None:
        pid = self.served.pid
        now, turned = memory(pid), switches(pid)
        kept = self._kept()
        self.samples.append(
            Sample(
                at=at, life=self.life, rss=now.rss, private=now.private, threads=turned.threads,
                descriptors=len(list(Path(f"/proc/{pid}/fd").iterdir())), wakes=turned.voluntary + turned.involuntary,
                disk=dict(_parts(self.served.places.data)), kept=kept, events=self._seq,
            )
        )  # fmt: skip

    def of_life(self, life: int) -> list[Sample]:
        return [one for one in self.samples if one.life == life]

    def _kept(self) -> int:
        with reading(self.served.database) as connection:
            added, self._seq = _row(connection, _KEPT[0], self._seq)
            (blobs,) = _row(connection, _KEPT[1])
        self._bytes += added
        return self._bytes + int(blobs)


def _row(connection: sqlite3.Connection, sql: str, *values: object) -> tuple[int, ...]:
    found: tuple[int, ...] = connection.execute(sql, values).fetchone()
    return found


def _parts(data: Path) -> Iterator[tuple[str, int]]:
    """Each of PARTS and the bytes that its files take."""
    for part in PARTS[:-1]:
        yield part, _bytes(data / part)
    yield "memory", _bytes(data / "user") + _bytes(data / "projects")


def _bytes(path: Path) -> int:
    """Of a file, or of all files below a folder; files that go away meanwhile count nothing."""
    files = path.rglob("*") if path.is_dir() else [path]
    total = 0
    for one in files:
        try:
            total += one.lstat().st_size
        except FileNotFoundError:
            continue
    return total

"""The history of memory files: content-addressed blobs, and who wrote which."""

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.reviews import put_outside
from memoryd.daemon.journal.store import Store
from memoryd.memory.ports import Version


@dataclass(frozen=True, slots=True)
class JournalVersions:
    """`memory.ports.Versions` on the journal's tables."""

    journal: Store

    def newest(self, root: Path) -> Mapping[str, str | None]:
        rows = self.journal.read(
            lambda connection: connection.execute(
                "select path, digest from versions"
                " where id in (select max(id) from versions where root = ? group by path)",
                (str(root),),
            ).fetchall()
        )
        return {row["path"]: row["digest"] for row in rows}

    def content(self, digest: str) -> bytes | None:
        row = self.journal.read(
            lambda connection: connection.execute("select content from blobs where digest = ?", (digest,)).fetchone()
        )
        return bytes(row["content"]) if row else None

    def changed_outside(self, root: Path) -> dict[str, datetime]:
        """Files whose newest version is not memoryd's, and when that was seen."""
        rows = self.journal.read(
            lambda connection: connection.execute(
                "select path, at from versions where id in (select max(id) from versions where root = ? group by path)"
                " and author in ('outside', 'host')",
                (str(root),),
            ).fetchall()
        )
        return {row["path"]: parse_rfc3339(row["at"]) for row in rows}

    def persons(self, root: Path) -> frozenset[str]:
        """Paths that memoryd was not the last to write or remove by itself: what a person undid or forgot is theirs."""
        rows = self.journal.rows(
            "select path from versions left join runs on runs.id = run_id where versions.id in"
            " (select max(id) from versions where root = ? group by path)"
            " and versions.author != 'run' and coalesce(action, '') != 'purge'", str(root),
        )  # fmt: skip
        return frozenset(row["path"] for row in rows)

    def record(self, versions: Sequence[Version]) -> None:
        if not versions:
            return

        def write(connection: sqlite3.Connection) -> None:
            for v in versions:
                digest = put_blob(connection, v.content)
                put_outside(connection, v, digest, rfc3339(v.at))
                put_version(connection, v.root, v.path, v.content, v.author, v.run_id, rfc3339(v.at))

        self.journal.write(write)


def put_blob(connection: sqlite3.Connection, content: bytes | None) -> str | None:
    """Keep a content once; returns its sha256 in hex, None for no file."""
    if content is None:
        return None
    digest = hashlib.sha256(content).hexdigest()
    connection.execute("insert or ignore into blobs (digest, content) values (?,?)", (digest, content))
    return digest


def put_version(
    connection: sqlite3.Connection,
    root: Path,
    path: str,
    content: bytes | None,
    author: str,
    run_id: str | None,
    at: str,
) -> None:
    connection.execute(
        "insert into versions (root, path, digest, author, run_id, at) values (?,?,?,?,?,?)",
        (str(root), path, put_blob(connection, content), author, run_id, at),
    )

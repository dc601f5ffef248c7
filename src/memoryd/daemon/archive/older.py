"""What of an archive is older than the last purge of everything here: it stays out, whatever it rests on.

`emptied` is when that was, '' when it never was; then nothing is older.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from memoryd.daemon.archive.container import Archive
from memoryd.daemon.journal.runs import line_digest
from memoryd.memory import lines, purging
from memoryd.memory.changes import decode
from memoryd.memory.ports import Author

Lines = Mapping[tuple[str, str], frozenset[str]]  #: (directory, path) -> digests of lines

#: when a row became true; events have rules of their own
_TIMES = {
    "sessions": "last_at",
    "runs": "started_at",
    "versions": "at",
    "goals": "created_at",
    "notes": "created_at",
    "spawns": "opened_at",
}


def lines_of(archive: Archive, versions: Sequence[Mapping[str, Any]], emptied: str) -> Lines:
    """Every line of every version that is older than the last purge of everything here, whoever wrote it; no seeds."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    for row in versions:
        if row["digest"] and row["at"] < emptied and (row["author"] != Author.RUN or row["run_id"]):
            text = purging.body_of(decode(archive.read(f"versions/{row['digest']}")))
            digests = frozenset(map(line_digest, (*purging.said(text), *lines.texts(text))))
            key = row["root"], row["path"]
            found[key] = found.get(key, frozenset()) | digests
    return found


def unchanged(versions: Sequence[Mapping[str, Any]], emptied: str) -> set[tuple[str, str]]:
    """The files that are as they were before everything was purged here."""
    newest = {(row["root"], row["path"]): row["at"] for row in sorted(versions, key=lambda row: int(row["id"]))}
    return {file for file, at in newest.items() if at < emptied}


def leave_out(tables: Mapping[str, list[dict[str, Any]]], emptied: str) -> None:
    """Nothing that was here before everything was purged: its names and times would tell of it."""
    if not emptied:
        return
    for name, column in _TIMES.items():
        tables[name][:] = [row for row in tables[name] if row[column] >= emptied]
    runs = {row["id"] for row in tables["runs"]}
    for name in ("rejected", "run_dirs"):
        tables[name][:] = [row for row in tables[name] if row["run_id"] in runs]
    named = directories(tables)
    tables["projects"][:] = [row for row in tables["projects"] if any(f"/{row['key']}/" in path for path in named)]


def directories(tables: Mapping[str, list[dict[str, Any]]]) -> set[str]:
    """The directories that sessions, runs, versions, goals or notes are about."""
    about = [row for name in ("sessions", "runs", "versions", "goals", "notes") for row in tables[name]]
    return {row.get("dir") or row["root"] for row in about}

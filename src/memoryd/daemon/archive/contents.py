"""What an archive holds: checked row by row, cleaned like anything that arrives, without what was purged here."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memoryd.clock import rfc3339
from memoryd.daemon.archive import notes, older
from memoryd.daemon.archive.container import Archive
from memoryd.daemon.archive.older import Lines
from memoryd.daemon.cleaning import clean
from memoryd.daemon.journal import load, tombstones
from memoryd.daemon.journal.dump import Connection
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import data_json
from memoryd.daemon.journal.load import Incoming
from memoryd.daemon.journal.runs import line_digest
from memoryd.errors import BadEvent
from memoryd.ipc.events import Event, EventAdapter
from memoryd.ipc.faults import explain
from memoryd.ipc.places import Places
from memoryd.ipc.redaction import redact
from memoryd.memory import entries, purging
from memoryd.memory.changes import decode, encode
from memoryd.memory.model import INDEX_FILE
from memoryd.memory.path_rules import MAX_FILE_BYTES, broken_rule
from memoryd.memory.ports import Author

OffRecord = Callable[[Path, Event], bool]  #: whether an event of a directory was said during a pause, or is excluded


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """An archive as read: checked, cleaned, directories by their paths here, without what was purged here."""

    roots: Mapping[str, Path]  #: name in the archive -> directory
    dirs: list[tuple[str, str, str | None]]
    tables: Mapping[str, list[dict[str, Any]]]
    events: list[Incoming]
    files: Mapping[Path, Mapping[str, bytes]]
    versions: list[tuple[dict[str, Any], bytes | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads verified archives. Blocking."""

    places: Places
    history: History
    off_record: OffRecord

    def read(self, archive: Archive) -> Contents:
        """:raises BadEvent: a row or a path is not what an archive holds"""
        try:
            return self._read(archive)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadEvent(f"the archive is not what memoryd writes ({error!r:.200}); nothing was imported") from error

    def _read(self, archive: Archive) -> Contents:
        roots = {str(root["name"]): self._place(root) for root in archive.head.get("roots", ())}
        kinds = [(str(self._place(r)), str(r["kind"]), _project(r)) for r in archive.head.get("roots", ())]
        tables = {name: list(self._rows(archive, name, roots)) for name in _TABLES}
        cwds = {(row["host"], row["session_id"]): (row["dir"], row["cwd"]) for row in tables["sessions"]}
        events = [_incoming(row, cwds) for row in archive.rows("journal/events.jsonl")]
        refused = self.history.journal.read(lambda c: _refused(c, events, tables["copies"]))
        off = {e.seq for e in events if self.off_record(Path(cwds[e.host, e.session_id][0]), _event(e, cwds))}
        emptied = self.history.journal.read(tombstones.emptied_until)
        gone = _gone(tables["citations"], refused | off, older.lines_of(archive, tables["versions"], emptied))
        sources = {f"{e.host}/{e.session_id}#{e.seq}" for e in events if e.seq in refused | off}
        rewrite = _Without(gone, sources)
        kept = [event for event in events if event.seq not in refused | off]
        held = {(event.host, event.session_id) for event in kept}
        lost = {(event.host, event.session_id) for event in events} - held
        unchanged = older.unchanged(tables["versions"], emptied)
        older.leave_out(tables, emptied)
        for name in ("goals", "notes"):
            tables[name] = self._not_purged(tables[name])
        tables["notes"] = list(map(notes.checked, tables["notes"]))
        tables["sessions"] = [
            {**r, "note": "" if refused | off else redact(r["note"])}
            for r in tables["sessions"]
            if (r["host"], r["session_id"]) not in lost
        ]
        tables["citations"] = [r for r in tables["citations"] if r["line"] not in gone.get((r["root"], r["path"]), ())]
        for name, columns in (("spawns", ("parent", "child")), ("goals", ("session_id",)), ("notes", ("session_id",))):
            tables[name] = [r for r in tables[name] if not any((r["host"], r[column]) in lost for column in columns)]
        if refused | off:
            _forget_traces(tables, {root for root, _ in gone})
        files = _files(archive, roots, rewrite, unchanged)
        empty = {str(root) for root in files if not files[root]} - older.directories(tables)
        return Contents(
            roots={name: root for name, root in roots.items() if str(root) not in empty}, tables=tables, events=kept,
            versions=list(_versions(archive, tables["versions"], rewrite)),
            dirs=[row for row in kinds if row[0] not in {str(self.places.user_memory), *empty}],
            files={root: found for root, found in files.items() if str(root) not in empty},
        )  # fmt: skip

    def _not_purged(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return self.history.journal.read(lambda connection: [row for row in rows if not _purged(connection, row)])

    def _place(self, root: Mapping[str, Any]) -> Path:
        name, kind = str(root["name"]), str(root["kind"])
        if name == "user":
            return self.places.user_memory
        key = name.removeprefix("projects/")
        if kind == "project" and "/" not in key and key not in ("", ".", ".."):
            return self.places.data / "projects" / key / "memory"
        path = Path(str(root["path"]))
        if kind != "explicit" or not path.is_absolute() or ".." in path.parts:
            raise BadEvent(f"the archive names a directory {name[:80]!r} that memoryd does not keep")
        return path

    def _rows(self, archive: Archive, table: str, roots: Mapping[str, Path]) -> Iterator[dict[str, Any]]:
        for row in archive.rows(f"journal/{table}.jsonl"):
            for column in ("root", "dir"):
                if row.get(column):
                    if row[column] not in roots:
                        raise BadEvent(f"{table} names {row[column]!r}, a directory that the archive does not have")
                    row[column] = str(roots[row[column]])
            yield row


_TABLES = (
    "projects", "sessions", "turns", "runs", "versions", "citations", "rejected", "tombstones", "purged", "purges",
    "spawns", "goals", "notes", "copies", "run_dirs",
)  # fmt: skip


def _project(root: Mapping[str, Any]) -> str | None:
    return str(root["name"]).removeprefix("projects/") if root["kind"] == "project" else None


_Cwds = Mapping[tuple[str, str], tuple[str, str | None]]  #: (host, session) -> (memory directory, working directory)


def _incoming(row: Mapping[str, Any], cwds: _Cwds) -> Incoming:
    """A valid event, cleaned as one that arrives: an archive may come from anywhere."""
    try:
        wanted = {name: row[name] for name in ("id", "kind", "host", "session_id", "at", "turn_id", "data")}
        event, _ = clean(EventAdapter.validate_python(wanted))
        if (event.host, event.session_id) not in cwds:
            raise BadEvent(f"event {event.id} belongs to a session that the archive does not have")
        return Incoming(
            seq=int(row["seq"]), id=event.id, host=event.host, session_id=event.session_id, kind=event.kind,
            at=rfc3339(event.at), turn_id=event.turn_id, data=data_json(event), received_at=str(row["received_at"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValidationError) as error:
        raise BadEvent(f"the archive holds an event that is none: {_wrong(error)}; nothing was imported") from error


def _wrong(error: KeyError | TypeError | ValidationError) -> str:
    match error:
        case ValidationError():
            return explain(error)
        case KeyError():
            return f"{str(error.args[0])[:64]} is missing"
    return "it is no object"


def _refused(connection: Connection, events: Sequence[Incoming], copies: Sequence[Mapping[str, Any]]) -> set[int]:
    """The events that a purge here took or would have, and the copies of such."""
    found = {event.seq for event in events if load.refused(connection, event)}
    first = {row["seq"]: row for row in copies}
    repeated = (event for event in events if event.seq in first)
    return found | {
        event.seq
        for event in repeated
        if first[event.seq]["source"] in found
        or load.refused(
            connection,
            replace(event, host=first[event.seq]["host"], session_id=first[event.seq]["session_id"]),
        )
    }


def _event(event: Incoming, cwds: _Cwds) -> Event:
    found: Event = EventAdapter.validate_python(
        {"id": event.id, "kind": event.kind, "host": event.host, "session_id": event.session_id, "at": event.at,
         "cwd": cwds[event.host, event.session_id][1], "data": json.loads(event.data)}
    )  # fmt: skip
    return found


def _gone(citations: Sequence[Mapping[str, Any]], seqs: set[int], stood: Lines) -> Lines:
    """The lines that rest on events which stay out, and those that stood before everything was purged here."""
    found = {key: set(lines) for key, lines in stood.items()}
    for row in citations:
        if row["seq"] in seqs:
            found.setdefault((row["root"], row["path"]), set()).add(row["line"])
    return {key: frozenset(lines) for key, lines in found.items()}


def _purged(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Of a goal or a note."""
    return tombstones.covers_goal(
        connection, host=row["host"], session_id=row["session_id"], created_at=row["created_at"]
    )


def _forget_traces(tables: Mapping[str, list[dict[str, Any]]], roots: set[str]) -> None:
    """What runs were refused, why, and which facts were taken back may quote what was purged here."""
    for row in tables["runs"]:
        row.update(refused="[]", files="[]", reason=row["reason"] if row["action"] == "undo" else None)
    tables["rejected"][:] = [row for row in tables["rejected"] if row["root"] not in roots]


@dataclass(frozen=True, slots=True)
class _Without:
    """A file of the archive without secrets, and without the lines that rest on what was purged here."""

    gone: Mapping[tuple[str, str], frozenset[str]]
    sources: set[str]

    def __call__(self, root: str, path: str, content: bytes) -> bytes | None:
        text: str | None = redact(decode(content))
        assert text is not None
        if path == INDEX_FILE:
            listed = {name for base, name in self.gone if base == root and entries.slug_of(name)}
            text = purging.without_entries(text, listed)
        gone = frozenset().union(*(self.gone.get((root, name), ()) for name in entries.names_of(path)))
        if gone:
            text = purging.without(path, text, lambda row: line_digest(row) in gone, self.sources)
        return None if text is None else encode(text)


def _files(
    archive: Archive, roots: Mapping[str, Path], rewrite: _Without, unchanged: Collection[tuple[str, str]]
) -> dict[Path, dict[str, bytes]]:
    found: dict[Path, dict[str, bytes]] = {root: {} for root in roots.values()}
    for member in archive.names:
        if not member.startswith("memory/"):
            continue
        name = next((name for name in roots if member.startswith(f"memory/{name}/")), None)
        path = member.removeprefix(f"memory/{name}/")
        if name is None or broken_rule(path):
            raise BadEvent(f"the archive holds {member[:200]!r}, which is no memory file; nothing was imported")
        content = archive.read(member)
        if len(content) > MAX_FILE_BYTES:
            raise BadEvent(f"{member[:200]} is longer than {MAX_FILE_BYTES} bytes; nothing was imported")
        kept = rewrite(str(roots[name]), path, content) if (str(roots[name]), path) not in unchanged else None
        if kept is not None and (kept == content or purging.said(purging.body_of(decode(kept)))):
            found[roots[name]][path] = kept
    return found


def _versions(
    archive: Archive, rows: Sequence[dict[str, Any]], rewrite: _Without
) -> Iterator[tuple[dict[str, Any], bytes | None]]:
    for row in sorted(rows, key=lambda row: int(row["id"])):
        if broken_rule(row["path"]) or row["author"] not in tuple(Author):
            raise BadEvent(f"the archive holds a version of {row['path'][:200]!r}, which is no memory file")
        content = archive.read(f"versions/{row['digest']}") if row["digest"] else None
        kept = rewrite(row["root"], row["path"], content) if content is not None else None
        if content is None or kept is not None:
            yield row, kept

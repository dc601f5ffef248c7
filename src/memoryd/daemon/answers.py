"""Rows, catalogues and runs as the results of the protocol."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from memoryd.clock import parse_rfc3339
from memoryd.daemon.explaining import Reason
from memoryd.daemon.journal.store import Row
from memoryd.daemon.purging import Purged
from memoryd.errors import BadEvent
from memoryd.ipc.methods.memory import (
    MemoryItem,
    MemoryPurged,
    PurgedLine,
    RefusedInfo,
    RunInfo,
    TypeTotal,
    UnreachedPlace,
    WhyItem,
)
from memoryd.ipc.methods.recall import Recalled, RecallItem
from memoryd.ipc.methods.sessions import SessionInfo
from memoryd.ipc.methods.worker import JobInfo, WorkerStats
from memoryd.ipc.redaction import redact
from memoryd.memory import labels, lines, quality, recall
from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.model import CORE_FILES, SESSION_DIR, Entry, EntryType, FileKey, Root
from memoryd.memory.recall import clean
from memoryd.memory.scan import threats
from memoryd.memory.search.memories import Hit
from memoryd.memory.text import head, tokens

MAX_CURSOR_DIGITS = 18  #: what SQLite's integers hold


def only(roots: Mapping[Root, Path], scopes: tuple[str, ...]) -> Mapping[Root, Path]:
    return {root: path for root, path in roots.items() if not scopes or root in scopes}


def root_of(scope: str | None) -> Root | None:
    if scope == "team":
        raise BadEvent("team memory is read-only; save to user or project")
    return Root(scope) if scope else None


def scope_of(name: str) -> Any:
    return name.partition("/")[0]


def offset_of(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isdecimal() and len(cursor) <= MAX_CURSOR_DIGITS):
        no_cursor(cursor)
    return int(cursor)


def no_cursor(cursor: str) -> NoReturn:
    raise BadEvent(f"cursor {cursor[:40]!r} is none that this list gave; start again without one")


def next_cursor(rows: list[Any], limit: int, offset: int) -> str | None:
    return str(offset + limit) if len(rows) > limit else None


def session(row: Row) -> SessionInfo:
    return SessionInfo(
        host=row["host"], session_id=row["session_id"], kind=row["kind"], cwd=row["cwd"], memory_dir=row["dir"],
        started_at=parse_rfc3339(row["started_at"]), last_at=parse_rfc3339(row["last_at"]),
        ended=row["ended_at"] is not None, turn_count=row["turn_count"],
        new_turns=row["turn_count"] - row["turns_at_enqueue"], event_count=row["event_count"],
        tool_calls=row["tool_calls"], last_seq=row["last_seq"], watermark=row["watermark"],
    )  # fmt: skip


def items(catalogue: Catalogue) -> list[MemoryItem]:
    return [item(catalogue, key) for key in sorted(catalogue.files, key=lambda key: (key.root, key.path))]


def item(catalogue: Catalogue, key: FileKey) -> MemoryItem:
    known = next((k.entry for k in catalogue.papers if k.key == key), None)
    return _item(catalogue, key, known)


def hit(catalogue: Catalogue, hit: Hit) -> MemoryItem:
    found = _item(catalogue, hit.key, hit.entry)
    return found.model_copy(update={"text": clean(hit.snippet), "score": round(hit.score, 4)})


def labelled(catalogue: Catalogue, found: Sequence[MemoryItem], language: Callable[[], str]) -> tuple[MemoryItem, ...]:
    """Items; those that were replaced name what took their place."""
    if all(item.status == "active" for item in found):
        return tuple(found)
    words = labels.of(language())
    said = {(k.key.root, k.key.path): clean(words.replaced(k.entry)) for k in catalogue.entries if not k.entry.active}
    return tuple(item.model_copy(update={"replaced": said.get((Root(item.scope), item.path), "")}) for item in found)


def _item(catalogue: Catalogue, key: FileKey, known: Entry | None) -> MemoryItem:
    if known is None:
        held = len(lines.texts(catalogue.files.get(key, "")))
        about = f"{held} {'line' if held == 1 else 'lines'}" if key.path in CORE_FILES else SESSION_DIR.rstrip("s")
        facts = held if key.path in CORE_FILES else 0
        return MemoryItem(scope=str(key.root), path=key.path, name=key.path, description=about, facts=facts)
    return MemoryItem(
        scope=str(key.root), path=key.path, name=clean(known.name), description=clean(known.description),
        type=str(known.type), status=str(known.status), updated_at=known.updated_at, tier=known.tier,
        expires_at=known.expires_at, facts=int(known.active),
    )  # fmt: skip


def flagged(catalogue: Catalogue, found: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
    """Items with what `list` warns of: signs of an attack in what a person said, of little worth, of another's copy."""
    twins = quality.duplicates(own_entries(catalogue))
    known = {(k.key.root, k.key.path): k for k in catalogue.entries}
    texts = {(key.root, key.path): text for key, text in catalogue.files.items()}
    return tuple(
        item.model_copy(update={"flags": _flags(known.get(place), texts.get(place, ""), twins)})
        for item in found
        if (place := (Root(item.scope), item.path))
    )


def _flags(known: Known | None, text: str, twins: Mapping[str, str]) -> tuple[str, ...]:
    entry = known.entry if known else None
    worth = [str(sign.flag) for sign in quality.lint_kept(entry)] if entry and entry.active and not entry.dated else []
    twin = [f"duplicate of {twins[entry.slug]}"] if entry and entry.active and entry.slug in twins else []
    gone = [f"names {name}, which is no longer there" for name in known.gone] if known and known.entry.active else []
    return (*sorted(threats(entry.body if entry else lines.prose(text))), *worth, *twin, *gone)


def own_entries(catalogue: Catalogue) -> Iterator[Entry]:
    """Those that count: a team's files are not ours to bound."""
    return (known.entry for known in catalogue.entries if known.key.root is not Root.TEAM)


def totals(found: Mapping[EntryType, quality.Total]) -> dict[str, TypeTotal]:
    return {str(kind): TypeTotal(used=total.used, limit=total.limit) for kind, total in found.items()}


def forgotten(text: str) -> MemoryItem:
    place, _, words = text.partition(": ")
    scope, _, path = place.partition("/")
    return MemoryItem(scope=scope, path=path, name=words)


def at_most(text: str, budget: int) -> str:
    short = head(text, budget)
    if short == text:
        return text
    return f"{short.rstrip()}…\n\n(cut at {budget} tokens of {tokens(text)}; the file holds the rest)"


def manifest(catalogue: Catalogue) -> str:
    active = [known.entry for known in catalogue.entries if known.entry.active]
    return "\n".join(f"- {entry.slug} ({entry.type}): {entry.description or entry.name}" for entry in active)


def run(row: Row) -> RunInfo:
    return RunInfo(
        run=row["id"], at=parse_rfc3339(row["started_at"]), author=row["author"], agent=_who(row),
        action=row["action"],
        outcome=row["outcome"], reason=row["reason"] or "", memory_dir=row["dir"],
        projects=row["projects"], files=tuple(row["files"]),
        from_seq=row["from_seq"] or 0, to_seq=row["to_seq"] or 0, duration_ms=row["duration_ms"] or 0,
        flags=tuple(row["flags"]),
        refused=tuple(RefusedInfo(code=r["code"], reason=r["reason"]) for r in row["refused"]),
        tokens_in=row["tokens_in"], tokens_out=row["tokens_out"], cost_usd=row["cost_usd"],
    )  # fmt: skip


def why(reason: Reason) -> WhyItem:
    return WhyItem(
        line=reason.line, file=reason.file, host=reason.session.partition("/")[0], session=reason.session,
        seq=reason.seq, at=parse_rfc3339(reason.at) if reason.at else None, tier=reason.tier,
        quote=redact(reason.quote), source=reason.source, author=reason.author, run=reason.run, active=reason.active,
        note=reason.note,
        written_at=parse_rfc3339(reason.written_at) if reason.written_at else None,
    )  # fmt: skip


def purged(done: Purged, dry_run: bool) -> MemoryPurged:
    """Of what is gone only numbers are told; a dry run shows the lines."""
    return MemoryPurged(
        run=done.run, dry_run=dry_run, events=done.events, sessions=done.sessions,
        lines=tuple(PurgedLine(file=file, line=clean(line)) for file, line in done.lines) if dry_run else (),
        line_count=len(done.lines), files=done.files, files_removed=done.removed, versions=done.versions,
        snapshots=done.snapshots, quarantined=done.quarantined, spooled=done.spooled, goals=done.goals,
        notes=done.notes,
        unreached=tuple(UnreachedPlace(what=place.what, where=place.where) for place in done.unreached),
    )  # fmt: skip


def recalled(recalled: recall.Recalled) -> Recalled:
    items = []
    for identifier in recalled.items:
        root, _, rest = identifier.partition(":")
        path = rest.rpartition("#")[0]
        if path and root in tuple(Root):
            items.append(RecallItem(scope=root, path=path, name=path))
    return Recalled(text=recalled.text, items=tuple(items), left_out=recalled.left_out, generation=recalled.generation)


def stats(row: Row, paused_until: datetime | None) -> WorkerStats:
    return WorkerStats.model_validate({**row, "paused_until": paused_until})


def job(row: Row) -> JobInfo:
    state = row["state"]
    if state == "skipped":
        return JobInfo(
            id=str(row["id"]), memory_dir=row["dir"], state=state, due_seq=row["to_seq"], from_seq=row["from_seq"],
            last_error=row["error"],
        )  # fmt: skip
    return JobInfo(
        id=row["dir"], memory_dir=row["dir"], state=state, due_seq=row["due_seq"], from_seq=row["done_seq"] + 1,
        attempts=row["attempts"], reason=row["reason"], last_error=row["last_error"],
        not_before=parse_rfc3339(row["not_before"]) if row["not_before"] else None,
    )  # fmt: skip


def _who(row: Row) -> str:
    """The agent of a consolidation, the command of a person."""
    return str(row["action"] if row["author"] in ("person", "host") or not row["agent"] else row["agent"])

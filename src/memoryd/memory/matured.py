"""Candidates -> files: `knowledge/` for patterns and lessons, `procedures/`, `instincts/`, `reflections/`. Pure.

What a person was the last to touch, or took away, is the person's: it is neither written nor removed any more.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from memoryd.ipc.events import Tier
from memoryd.ipc.redaction import redact
from memoryd.memory import entries, generated, instincts
from memoryd.memory.changes import Cited, Sources, decode, encode
from memoryd.memory.maturing import Candidate, Kind, bounded
from memoryd.memory.model import ENTRY_DIR, INSTINCT_DIR, PROCEDURE_DIR, REFLECTION_DIR, EntryType, FileKey, Root
from memoryd.memory.scan import threats
from memoryd.memory.text import bare, cut
from memoryd.memory.work import Work

LIMITS: Mapping[Kind, int] = {Kind.PATTERN: 6, Kind.LESSON: 6, Kind.PROCEDURE: 12, Kind.INSTINCT: 10}  #: of one root
_FOLDERS = {Kind.PROCEDURE: PROCEDURE_DIR, Kind.INSTINCT: INSTINCT_DIR}  #: the others are entries
DAYS_OF_SURE = 100  #: how long what is wholly sure is kept after it was last seen
REFLECTION_LINES = 100  #: of a day, newest kept
REFLECTION_DAYS = 7  #: days that are written again
NAME_CHARS, SLUG_CHARS = 80, 48


@dataclass(slots=True, kw_only=True)
class Written:
    """Files as they shall be, and what their lines rest on."""

    changes: dict[FileKey, tuple[bytes | None, bytes | None]] = field(default_factory=dict)
    citations: list[Cited] = field(default_factory=list)


def write(
    base: Mapping[FileKey, bytes], found: Iterable[Candidate], works: Sequence[Work], *, root: Root, now: datetime,
    sources: Sources, persons: Collection[str] = (),
) -> Written:  # fmt: skip
    """Return what changes in one root.

    :param works: of the directory, the oldest first
    :param persons: paths whose newest version a person, or a program of theirs, made
    """
    written = Written()
    fresh = [one for one in found if one.last_at + _kept_for(one) > now and _harmless(one)]
    kept = {path_of(one): one for one in bounded(fresh, LIMITS)}
    for path, one in kept.items():
        if path not in persons:
            _put(written, base, FileKey(root, path), _text(one, base.get(FileKey(root, path)), sources))
            rows = filter(bare, body(one).split("\n"))
            written.citations += [Cited(key=FileKey(root, path), line=bare(row), seqs=one.cites) for row in rows]
    for key in base:
        if key.root is root and key.path not in kept and key.path not in persons and _is_ours(key, base[key]):
            written.changes[key] = (base[key], None)
    _reflect(written, base, works, root, now)
    return written


def path_of(candidate: Candidate) -> str:
    """The file of a candidate; the same one for the same key, whatever else it says by then."""
    said = candidate.said if candidate.told else " ".join(candidate.steps)
    start = entries.make_slug(said if candidate.told else f"{candidate.kind} {said}")[:SLUG_CHARS].strip("-")
    digest = hashlib.sha256(candidate.key.encode(errors="surrogatepass")).hexdigest()[:6]
    return f"{_FOLDERS.get(candidate.kind, ENTRY_DIR)}/{start}-{digest}.md"


def body(candidate: Candidate) -> str:
    """What it says, with how often and when it was seen."""
    steps, task = ", ".join(candidate.steps), candidate.tasks[0] if candidate.tasks else ""
    seen = f"seen {_times(candidate.count)} in {_sessions(candidate.sessions)}, last on {candidate.last_at:%Y-%m-%d}"
    match candidate.kind:
        case Kind.PATTERN:
            return f"{steps}: worked{f' for “{_quotable(task)}”' if task else ' together'}\n{seen}"
        case Kind.LESSON:
            return f"{steps} failed: {candidate.said}\n{seen}"
        case Kind.PROCEDURE:
            numbered = "\n".join(f"{n}. {step}" for n, step in enumerate(candidate.steps, start=1))
            return f"{numbered}\n\n{'as the user told it' if candidate.told else 'worked'}; {seen}"
        case Kind.INSTINCT:
            against = f"; {_times(len(candidate.failed))} not" if candidate.failed else ""
            return f"{instincts.body(candidate)}\n\n{'as the user said; ' if candidate.told else ''}{seen}{against}"


def _text(candidate: Candidate, old: bytes | None, sources: Sources) -> str:
    fields: dict[str, object] = {
        "name": _name(candidate),
        "description": cut("; ".join(candidate.tasks[:3]), 240) if candidate.kind is Kind.PROCEDURE else None,
        "type": str(EntryType.FEEDBACK),
        "status": "active",
        "created_at": entries.stamp(candidate.seen[0].at),
        "updated_at": entries.stamp(candidate.last_at),
        "sources": list(sources(candidate.cites[-3:])) or None,
        "tier": str(Tier.USER if candidate.told else Tier.TOOL),
        "expires_at": None if _stays(candidate) else entries.stamp(candidate.last_at + _kept_for(candidate)),
        "importance": 0.8 if candidate.told else round(0.2 + 0.4 * candidate.confidence, 2),
        "confidence": candidate.confidence,
        "uses": candidate.hits + candidate.count,
        "tags": [str(candidate.kind)],
    }  # fmt: skip
    return (
        entries.render(fields, body(candidate)) if old is None else entries.revise(decode(old), fields, body(candidate))
    )


def _name(candidate: Candidate) -> str:
    if candidate.told:
        return candidate.said
    if candidate.kind is Kind.INSTINCT:
        return f"{candidate.steps[0]}, then {candidate.steps[1]}"
    if candidate.kind is Kind.PROCEDURE and candidate.tasks:
        return cut(candidate.tasks[-1], NAME_CHARS)
    word = {Kind.PATTERN: "Worked", Kind.LESSON: "Failed", Kind.PROCEDURE: "Worked"}[candidate.kind]
    return cut(f"{word}: {', '.join(candidate.steps)}", NAME_CHARS)


def _kept_for(candidate: Candidate) -> timedelta:
    return timedelta(days=DAYS_OF_SURE if _stays(candidate) else round(DAYS_OF_SURE * candidate.confidence))


def _stays(candidate: Candidate) -> bool:
    """Whether it does not expire: a way of working that the user told."""
    return candidate.told and candidate.kind is Kind.PROCEDURE


def _harmless(candidate: Candidate) -> bool:
    """Whether it may be kept and shown: no sign of an attack, nothing that looks like a secret."""
    text = "\n".join([_name(candidate), *candidate.tasks[:3], body(candidate)])
    return not threats(text) and redact(text) == text


def _is_ours(key: FileKey, content: bytes) -> bool:
    """Whether a file is one of these, and not a way of working that the user told, which stays."""
    if not key.path.startswith((f"{PROCEDURE_DIR}/", f"{ENTRY_DIR}/", f"{INSTINCT_DIR}/")):
        return False
    entry = entries.parse("", decode(content))
    if key.path.startswith(f"{INSTINCT_DIR}/"):
        return Kind.INSTINCT in entry.tags
    return entry.active and entry.tier is Tier.TOOL and any(tag in entry.tags for tag in Kind)


def _put(written: Written, base: Mapping[FileKey, bytes], key: FileKey, text: str) -> None:
    if (new := encode(text)) != base.get(key):
        written.changes[key] = (base.get(key), new)


def _reflect(written: Written, base: Mapping[FileKey, bytes], works: Sequence[Work], root: Root, now: datetime) -> None:
    """The raw detail of each piece of work, a line each."""
    first = (now - timedelta(days=REFLECTION_DAYS)).astimezone().date()
    days: dict[date, list[Work]] = {}
    for work in works:
        day = work.at.astimezone().date()
        if work.of_size and not work.interrupted and day > first:
            days.setdefault(day, []).append(work)
    for day, done in days.items():
        key, shown = FileKey(root, f"{REFLECTION_DIR}/{day.isoformat()}.md"), done[-REFLECTION_LINES:]
        rows = [(work, row) for work in shown if redact(row := _line(work)) == row and not threats(row)]
        text = decode(base.get(key, b"")) or f"# {day}\n"
        _put(written, base, key, generated.put(text, "\n".join(f"- {row}" for _, row in rows)))
        written.citations += [Cited(key=key, line=row, seqs=work.cites) for work, row in rows]


def _line(work: Work) -> str:
    steps = f": {', '.join(work.steps)}" if work.steps else ""
    failures = "".join(f"; {one.step} failed: {one.error or '?'}" for one in work.failures[-3:])
    how = "worked" if work.ok else "failed"
    return (
        f"{work.at.astimezone():%H:%M} “{_quotable(work.task)}” {how}, {work.calls} calls in {work.seconds:g} s"
        f"{steps}{failures}"
    )


def _quotable(text: str) -> str:
    return text.replace("“", "'").replace("”", "'")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _sessions(count: int) -> str:
    return "1 session" if count == 1 else f"{count} sessions"

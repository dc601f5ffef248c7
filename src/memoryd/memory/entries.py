"""Entries: `knowledge/<slug>.md`, their names, how they are read and written."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from itertools import dropwhile
from typing import Any, TypeVar

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.errors import PathRefused
from memoryd.ipc.events import Tier
from memoryd.memory import frontmatter
from memoryd.memory.model import ENTRY_DIR, Entry, EntryStatus, EntryType

_E = TypeVar("_E", bound=StrEnum)

MAX_SLUG_CHARS = 64
MAX_SLUG_BYTES = 200  #: a file name holds 255 bytes; `_vN.md` and a temporary's prefix need room
_RESERVED = frozenset({"memory", "skill"})
_VERSION = re.compile(rf"({ENTRY_DIR}/.+)_v\d+\.md")
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)


def path_of(slug: str) -> str:
    """Return the path of an entry inside its root."""
    return f"{ENTRY_DIR}/{slug}.md"


def slug_of(path: str) -> str | None:
    """Return the slug of an entry's path, None for any other file."""
    name = path.removeprefix(f"{ENTRY_DIR}/")
    is_entry = name != path and name.endswith(".md") and "/" not in name and not name.startswith(".") and name != ".md"
    return name.removesuffix(".md") if is_entry else None


def names_of(path: str) -> tuple[str, ...]:
    """Return the paths that a file has had: its own, and that of the entry that it was before it was archived."""
    former = _VERSION.fullmatch(path)
    return (path, f"{former[1]}.md") if former else (path,)


def make_slug(name: str) -> str:
    """Return a valid slug for a title: kebab-case, Unicode letters kept, NFC."""
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).lower())
    words = "".join(c if _is_letter(c) else " " for c in lowered).split()
    slug = _fit("-".join(filter(None, map(_without_leading_marks, words)))) or "untitled"
    return f"{slug}-note" if slug.casefold() in _RESERVED else slug


def _fit(slug: str) -> str:
    """Cut at the limits, at the end of a word where one is near."""
    short = slug[:MAX_SLUG_CHARS]
    while len(short.encode()) > MAX_SLUG_BYTES:
        short = short[:-1]
    if short != slug and "-" in short[MAX_SLUG_CHARS // 2 :]:
        short = short.rpartition("-")[0]
    return short.strip("-")


def _without_leading_marks(word: str) -> str:
    """A combining mark needs a letter to stand on."""
    return "".join(dropwhile(_is_mark, word))


def check_slug(slug: str) -> None:
    """Accept a slug for a new file; that it is unique under casefold is for the draft to see.

    :raises PathRefused: not kebab-case, too long, not NFC, or a reserved name
    """
    if not slug or len(slug) > MAX_SLUG_CHARS or len(slug.encode(errors="replace")) > MAX_SLUG_BYTES:
        raise PathRefused(f"cannot name an entry {slug[:80]!r}: 1 to {MAX_SLUG_CHARS} characters are allowed")
    if slug.casefold() in _RESERVED:
        raise PathRefused(f"cannot name an entry {slug!r}: the name is reserved")
    if not all((_is_letter(c) and c == c.lower()) or c == "-" for c in slug) or "" in slug.split("-"):
        raise PathRefused(f"cannot name an entry {slug!r}: use lower-case letters, digits and single hyphens")
    if slug != unicodedata.normalize("NFC", slug) or _is_mark(slug[0]):
        raise PathRefused(f"cannot name an entry {slug!r}: the name is not in Unicode form NFC")


def _is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] in "LN" or unicodedata.category(char) in ("Mn", "Mc")


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def version_slug(slug: str, taken: Collection[str]) -> str:
    """Return the first free `<slug>_vN`; `taken` holds casefolded slugs."""
    n = 1
    while f"{slug}_v{n}".casefold() in taken:
        n += 1
    return f"{slug}_v{n}"


def parse(slug: str, text: str, mtime: datetime | None = None) -> Entry:
    """Read an entry leniently; nothing is refused and nothing is dropped.

    `memory_type` means `type`, a missing status is active, an unknown type is project.

    :param mtime: aware; when it is later than `updated_at`, a person changed the file and the age counts from it
    """
    document = frontmatter.read(text)
    meta = document.meta
    updated = _time(meta.get("updated_at"))
    if mtime is not None and (updated is None or mtime > updated):
        updated = mtime.astimezone(UTC)
    return Entry(
        slug=slug,
        name=_text(meta.get("name")) or _first_heading(document.body) or slug,
        description=_text(meta.get("description")),
        type=_choice(EntryType, _type_of(meta)) or EntryType.PROJECT,
        status=_choice(EntryStatus, meta.get("status")) or EntryStatus.ACTIVE,
        superseded_by=_text(meta.get("superseded_by")) or None,
        created_at=_time(meta.get("created_at")),
        updated_at=updated,
        sources=_list(meta.get("sources")),
        tier=_choice(Tier, meta.get("tier")),
        expires_at=_time(meta.get("expires_at")),
        importance=min(1.0, max(0.0, _number(meta.get("importance"), 0.4))),
        confidence=_number(meta["confidence"], 0.0) if _text(meta.get("confidence")) else None,
        uses=max(0, int(_number(meta.get("uses"), 0))),
        tags=_list(meta.get("tags")),
        body=document.body.replace("\r\n", "\n").strip(),
        malformed=document.malformed,
    )


def render(fields: Mapping[str, object], body: str) -> str:
    """Return the text of a new entry; `fields` in the order in which they shall stand, None left out."""
    return f"{frontmatter.dump(fields)}\n{body.strip()}\n"


def revise(text: str, fields: Mapping[str, object], body: str) -> str:
    """Return the text of the next version of an entry: unknown keys, order and comments of `text` stay."""
    head, _ = frontmatter.split(frontmatter.splice(text, fields))
    newline = "\r\n" if "\r\n" in head else "\n"
    return f"{head}\n{body.strip()}\n".replace("\r\n", "\n").replace("\n", newline)


def stamp(moment: datetime) -> str:
    """Format a time for the frontmatter: RFC 3339 UTC."""
    return rfc3339(moment)


def _type_of(meta: Mapping[str, Any]) -> Any:
    return meta.get("type") or meta.get("memory_type")


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _list(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.strip("[] ").split(",")
    return tuple(item for item in map(_text, value) if item) if isinstance(value, list) else ()


def _number(value: Any, default: float) -> float:
    try:
        number = float(_text(value))
    except ValueError:
        return default
    return number if -1e9 < number < 1e9 else default


def _time(value: Any) -> datetime | None:
    try:
        return parse_rfc3339(_text(value))
    except (ValueError, OverflowError):
        return None


def _choice(kind: type[_E], value: Any) -> _E | None:
    try:
        return kind(_text(value).lower())
    except ValueError:
        return None


def _first_heading(body: str) -> str:
    match = _HEADING.search(body)
    return _text(match[1]) if match else ""

"""The catalogue: the parsed memory of one or both roots, frozen; a change makes a new one and swaps it whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from memoryd.ipc.redaction import redact
from memoryd.memory import daily, entries, index, lines, nearby
from memoryd.memory.changes import readable
from memoryd.memory.model import (
    CORE_FILES,
    INDEX_FILE,
    INSTINCT_DIR,
    LONG_TERM_DIR,
    PROCEDURE_DIR,
    SESSION_DIR,
    CoreLine,
    Entry,
    FileKey,
    MemoryView,
    Root,
)
from memoryd.memory.text import is_chinese
from memoryd.memory.words import content_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Wear:
    """What the journal knows of an entry beside its file."""

    uses: int = 0  #: for how many different prompts it was wanted
    gone: tuple[str, ...] = ()  #: what it names that was in the repository and is there no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An entry with the words that search compares."""

    key: FileKey
    entry: Entry
    name_words: frozenset[str]
    description_words: frozenset[str]
    words: frozenset[str]  #: of name, description and body
    paths: tuple[str, ...] = ()  #: that its description and body name
    gone: tuple[str, ...] = ()  #: of what it names: that is in the repository no more


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLine:
    """A line of a core file with its words."""

    key: FileKey
    text: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    key: FileKey
    date: str  #: YYYY-MM-DD, from the file name
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DayNotes:
    """The daily notes of one day."""

    key: FileKey
    day: date
    rows: tuple[str, ...]  #: oldest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """What recall reads. Immutable; `generation` rises with each swap."""

    generation: int = 0
    core: Mapping[FileKey, str] = field(default_factory=dict)  #: text of the core files without comments and headings
    lines: tuple[KnownLine, ...] = ()
    notes: Mapping[FileKey, str] = field(default_factory=dict)  #: what a person wrote into MEMORY.md
    entries: tuple[Known, ...] = ()  #: active and historical
    sessions: tuple[SessionSummary, ...] = ()  #: newest first
    archived: tuple[SessionSummary, ...] = ()  #: those of merged sessions: found, never told
    procedures: tuple[Known, ...] = ()
    instincts: tuple[Known, ...] = ()
    daily: tuple[DayNotes, ...] = ()  #: newest first
    files: Mapping[FileKey, str] = field(default_factory=dict)  #: text of core files and entries

    @classmethod
    def build(
        cls,
        files: Mapping[FileKey, bytes],
        mtimes: Mapping[FileKey, datetime] | None = None,
        *,
        wear: Mapping[FileKey, Wear] | None = None,
        generation: int = 0,
        previous: "Catalogue | None" = None,
    ) -> "Catalogue":
        """Parse the files of one or both roots, redacted whole: a key over several lines is none of them.

        :param mtimes: of files that a person changed after our last version; others may be left out
        :param previous: its entries are taken over where the text is the same; parsing costs about 0.5 ms an entry
        """
        texts = {key: redact(readable(files[key])) for key in sorted(files)}  # nothing later sees a secret in part
        return cls(
            generation=generation,
            core={key: shown for key, text in texts.items() if key.path in CORE_FILES and (shown := lines.prose(text))},
            lines=tuple(
                KnownLine(key=key, text=line, words=content_words(line))
                for key, text in texts.items()
                if key.path in CORE_FILES
                for line in lines.texts(text)
            ),
            notes={key: shown for key, text in texts.items() if key.path == INDEX_FILE and (shown := _notes(text))},
            entries=tuple(_worn(known, wear or {}) for known in _entries(texts, mtimes or {}, previous)),
            sessions=_newest_first(_summary(key, text) for key, text in texts.items() if _is_session(key)),
            archived=_newest_first(_summary(key, text) for key, text in texts.items() if _is_archived(key)),
            procedures=tuple(known_of(key, text) for key, text in texts.items() if _is_below(key, PROCEDURE_DIR)),
            instincts=tuple(known_of(key, text) for key, text in texts.items() if _is_below(key, INSTINCT_DIR)),
            daily=_newest_days(_day(key, text) for key, text in texts.items()),
            files={key: text for key, text in texts.items() if key.path in CORE_FILES or _is_entry(key)},
        )

    def joined(self, other: "Catalogue") -> "Catalogue":
        """Return the memory of both, e.g. of the user and of a project; no file is parsed again."""
        return replace(
            self,
            generation=self.generation + other.generation,
            core={**self.core, **other.core},
            lines=self.lines + other.lines,
            notes={**self.notes, **other.notes},
            entries=self.entries + other.entries,
            sessions=_newest_first([*self.sessions, *other.sessions]),
            archived=_newest_first([*self.archived, *other.archived]),
            procedures=self.procedures + other.procedures,
            instincts=self.instincts + other.instincts,
            daily=_newest_days([*self.daily, *other.daily]),
            files={**self.files, **other.files},
        )

    def apart(self, root: Root) -> tuple["Catalogue", "Catalogue"]:
        """Return it without the entries of a root, and these alone."""
        of_root = tuple(known for known in self.entries if known.key.root is root)
        if not of_root:
            return self, Catalogue()
        rest = tuple(known for known in self.entries if known.key.root is not root)
        return replace(self, entries=rest), Catalogue(entries=of_root)

    @property
    def papers(self) -> tuple[Known, ...]:
        """Every file that is written as an entry: entries, procedures, instincts."""
        return self.entries + self.procedures + self.instincts

    @property
    def texts(self) -> dict[FileKey, str]:
        """What can be found, by file: core files and entries whole, of procedures and instincts what they say."""
        learned = {known.key: known.entry.body for known in (*self.procedures, *self.instincts)}
        told = {summary.key: summary.text for summary in (*self.sessions, *self.archived)}
        return {**told, **learned, **self.files}

    @property
    def empty(self) -> bool:
        said = self.core or self.notes or self.sessions or self.procedures or self.daily
        return not (said or any(known.entry.active for known in self.entries))

    def language(self) -> str:
        """Return `zh` when the memory is written in Chinese, else `en`."""
        said = "\n".join([*self.core.values(), *(k.entry.body for k in self.entries[:50]), *self.notes.values()])
        return "zh" if is_chinese(said) else "en"

    def view(self, *, language: str | None = None, has_project: bool = True) -> MemoryView:
        """Return the memory as a memory agent may see it: redacted."""
        core = sorted(self.lines, key=lambda line: line.key.root is not Root.USER)
        return MemoryView(
            core=tuple(CoreLine(key=line.key, text=redact(line.text)) for line in core),
            entries=tuple((known.key.root, _redacted(known.entry)) for known in self.entries),
            language=language or self.language(),
            has_project=has_project,
            files={key: redact(text) for key, text in self.files.items()},
        )


def _is_entry(key: FileKey) -> bool:
    return entries.slug_of(key.path) is not None


def _is_session(key: FileKey) -> bool:
    return _is_below(key, SESSION_DIR)


def _is_archived(key: FileKey) -> bool:
    """Whether it is the summary of a merged session, not the page of a month."""
    return _is_below(key, LONG_TERM_DIR) and len(key.path) > len(f"{LONG_TERM_DIR}/YYYY-MM.md")


def _is_below(key: FileKey, folder: str) -> bool:
    return key.path.startswith(f"{folder}/") and key.path.endswith(".md")


def _entries(
    texts: Mapping[FileKey, str], mtimes: Mapping[FileKey, datetime], previous: Catalogue | None
) -> tuple[Known, ...]:
    """Parse the entries; what the last catalogue knew of a file that did not change since is taken over."""
    same = (
        [known for known in previous.entries if previous.files[known.key] == texts.get(known.key)] if previous else []
    )
    kept = {known.key: known for known in same if _as_new(known.entry, mtimes.get(known.key))}
    return tuple(kept.get(key) or known_of(key, text, mtimes.get(key)) for key, text in texts.items() if _is_entry(key))


def _worn(known: Known, wear: Mapping[FileKey, Wear]) -> Known:
    now = wear.get(known.key, Wear())
    if now.uses <= known.entry.uses and now.gone == known.gone:
        return known
    return replace(known, entry=replace(known.entry, uses=max(now.uses, known.entry.uses)), gone=now.gone)


def _as_new(entry: Entry, mtime: datetime | None) -> bool:
    return mtime is None or (entry.updated_at is not None and mtime <= entry.updated_at)


def known_of(key: FileKey, text: str, mtime: datetime | None = None) -> Known:
    """Return a file as an entry.

    :param mtime: when a person changed it after our last version
    """
    slug = entries.slug_of(key.path) or key.path.rpartition("/")[2].removesuffix(".md")
    entry = entries.parse(slug, text, mtime)
    name = content_words(f"{entry.name} {entry.slug} {' '.join(entry.tags)}")
    description = content_words(entry.description)
    words = name | description | content_words(entry.body)
    paths = nearby.paths_in(f"{entry.name}\n{entry.description}\n{entry.body}")
    return Known(key=key, entry=entry, name_words=name, description_words=description, words=words, paths=paths)


def _summary(key: FileKey, text: str) -> SessionSummary:
    return SessionSummary(key=key, date=key.path.rpartition("/")[2][:10], text=text.strip())


def _newest_first(sessions: Iterable[SessionSummary]) -> tuple[SessionSummary, ...]:
    return tuple(sorted(sessions, key=lambda session: (session.date, session.key.path), reverse=True))


def _day(key: FileKey, text: str) -> DayNotes | None:
    day = daily.day_of(key.path)
    rows = daily.notes(text) if day else ()
    return DayNotes(key=key, day=day, rows=rows) if day and rows else None


def _newest_days(found: Iterable[DayNotes | None]) -> tuple[DayNotes, ...]:
    return tuple(sorted(filter(None, found), key=lambda notes: (notes.day, notes.key), reverse=True))


def _notes(text: str) -> str:
    """What a person wrote around the index; headings alone say nothing."""
    return lines.prose(index.outside(text))


def _redacted(entry: Entry) -> Entry:
    return replace(entry, name=redact(entry.name), description=redact(entry.description), body=redact(entry.body))

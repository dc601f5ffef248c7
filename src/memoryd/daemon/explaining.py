"""Why a line of memory is there: the turns it came from with a quote of each, or who wrote it. Reads only; blocking."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.runlog import RunLog
from memoryd.daemon.journal.store import Row
from memoryd.daemon.journal.versions import JournalVersions
from memoryd.errors import NotFound
from memoryd.ipc.events import Tier
from memoryd.memory import entries, frontmatter, index
from memoryd.memory.changes import readable
from memoryd.memory.model import INDEX_FILE, INSTINCT_DIR, PROCEDURE_DIR, FileKey, Root
from memoryd.memory.shelf import Shelf
from memoryd.memory.text import bare, fold, nearest_sentence, similarity

MAX_QUOTE_CHARS = 300
MAX_QUOTES = 3  #: of one line; a session's summary rests on many turns
MAX_LINES = 50  #: lines that a search for words answers with
_NEAR = 0.5  #: a further quote is at least that near to the line, compared with the best one
_TIERS = {"person": Tier.USER, "host": Tier.HOST}

Roots = Mapping[Root, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why one line is there: a turn with what was said in it, or, without one (`seq` 0), who wrote it and when."""

    file: str  #: `<root>/<path>`
    line: str
    author: str  #: of the version in which the line came: run, person, host, outside, seed
    run: str | None
    written_at: str
    active: bool = True  #: it stands in the file now
    note: str = ""  #: for people: how it came, when no turn stands behind it, and how it went
    session: str = ""  #: `host/session_id`
    seq: int = 0
    at: str = ""  #: of the turn, else of the version
    tier: Tier | None = None
    quote: str = ""  #: found word for word in the event
    source: str = ""  #: of what was imported: the file, and the place in it


class _Kept(NamedTuple):
    """A version of a file with its lines, folded."""

    version: Row
    rows: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explainer:
    """Answers `why` for any line of any memory file, those that are gone included."""

    shelf: Shelf
    history: History
    runlog: RunLog
    versions: JournalVersions
    past: dict[tuple[Path, str], list[_Kept]] = field(default_factory=dict)  #: of files, for one question

    def why(self, roots: Roots, name: str, line: int | None) -> list[Reason]:
        """The reasons of a file's lines, or of the lines that hold some words.

        :param name: a path, a slug, a core file (`user/` or `project/` before it when both scopes have one), or words
        :param line: a line of the file, from 1; None: all that say something
        :raises NotFound: no such file, line or words
        """
        return replace(self, past={})._why(roots, name, line)

    def _why(self, roots: Roots, name: str, line: int | None) -> list[Reason]:
        files = self._files(roots, name)
        if files and line is not None and line > (longest := max(len(text.splitlines()) for _, text in files)):
            raise NotFound(f"{name} has {longest} lines; `memoryd show {name}` numbers them")
        found = [r for key, text in files for row in _asked(text, line) for r in self._line(roots, key, row, text)]
        found = found or self._former(roots, name) or ([] if files else self._words(roots, name))
        if not found and not files:
            raise NotFound(f"no memory file, entry or line {name!r}; `memoryd list` shows what there is")
        return found

    def _files(self, roots: Roots, name: str) -> list[tuple[FileKey, str]]:
        """The files of that name, the project's first."""
        wanted = _forms(name)
        found = []
        for root in sorted(roots):
            files = self.shelf.place(roots[root], root).directory.read_all()
            known = next((path for scope, path in wanted if path in files and scope in ("", root)), None)
            if known:
                found.append((FileKey(root, known), readable(files[known])))
        return found

    def _line(self, roots: Roots, key: FileKey, row: str, text: str) -> list[Reason]:
        entry = index.listed(row) if key.path == INDEX_FILE else None
        if entry is not None:
            listed = self._files(roots, f"{key.root}/{entry}")
            return [r for k, t in listed for said in _asked(t, None) for r in self._line(roots, k, said, t)]
        origin = self._origin(roots[key.root], key, row)
        cited = self.history.citations(roots[key.root], entries.names_of(key.path), row)
        if not cited and _is_head(key, text, row):
            cited = self.history.citations(roots[key.root], entries.names_of(key.path), None)
        return _quoted(origin, cited) or [origin]

    def _origin(self, root: Path, key: FileKey, row: str) -> Reason:
        """Who wrote a line: the author of the first version since which the file holds it."""
        first: Row | None = None
        for path in entries.names_of(key.path):  # an entry that was archived has its past under its former name
            kept = [one for one in self._kept(root, path) if path == key.path or one.version["digest"]]
            while kept and fold(bare(row)) in kept[-1].rows:
                first = kept.pop().version
            if kept:
                break
        return _reason(key, row, first)

    def _kept(self, root: Path, path: str) -> list[_Kept]:
        """The versions of a file, oldest first."""
        if (root, path) not in self.past:
            self.past[root, path] = [
                _Kept(row, frozenset(fold(bare(line)) for line in _text(self.versions, row["digest"]).splitlines()))
                for row in self.history.file_versions(root, path)
            ]
        return self.past[root, path]

    # what is gone

    def _former(self, roots: Roots, name: str) -> list[Reason]:
        """The lines of a file that was there once, as its last version had them."""
        for root, (scope, path) in ((r, form) for r in sorted(roots) for form in _forms(name)):
            rows = self.history.file_versions(roots[root], path) if scope in ("", root) else []
            past = [row for row in rows if row["digest"]]
            if past and rows[-1]["digest"] is None:
                key, text = FileKey(root, path), _text(self.versions, past[-1]["digest"])
                return [r for row in _asked(text, None) for r in self._gone(roots, key, row, rows[-1])]
        return []

    def _words(self, roots: Roots, words: str) -> list[Reason]:
        """The lines that hold some words: those that stand, then those that stood once."""
        found: dict[tuple[FileKey, str], list[Reason]] = {}
        for root in sorted(roots):
            here = self.shelf.place(roots[root], root).directory.read_all()
            for key, row in _holding({FileKey(root, path): readable(c) for path, c in here.items()}, words):
                found[key, fold(row)] = self._line(roots, key, row, readable(here[key.path]))
            for path, rows in self.history.versions_by_path(roots[root]).items():
                for key, row, at in self._held_once(FileKey(root, path), rows, words):
                    if (key, fold(row)) not in found:
                        found[key, fold(row)] = self._gone(roots, key, row, at)
                    if len(found) >= MAX_LINES:
                        break
        return [reason for reasons in found.values() for reason in reasons]

    def _held_once(self, key: FileKey, rows: Sequence[Row], words: str) -> Iterator[tuple[FileKey, str, Row]]:
        """Lines with these words in former versions, newest first, and the version that no longer has them."""
        newer = rows[-1]
        for row in reversed(rows):
            text = _text(self.versions, row["digest"])
            yield from ((k, line, newer) for k, line in _holding({key: text}, words))
            newer = row

    def _gone(self, roots: Roots, key: FileKey, row: str, went: Row) -> list[Reason]:
        root = roots[key.root]
        first = next((kept.version for kept in self._kept(root, key.path) if fold(bare(row)) in kept.rows), None)
        origin = replace(_reason(key, row, first), active=False)
        cited = self.history.citations(root, entries.names_of(key.path), row)
        note = self._how_it_went(went)
        return [replace(reason, note=f"{reason.note}; {note}" if reason.note else note)
                for reason in _quoted(origin, cited) or [origin]]  # fmt: skip

    def _how_it_went(self, went: Row) -> str:
        run = self.runlog.get(went["run_id"]) if went["run_id"] else None
        verb = _VERBS.get(run["action"], "taken out") if run else "taken out"
        by = f"in run {went['run_id'][:8]}" if run else f"by {_WHO.get(went['author'], went['author'])}"
        return f"{verb} {by} at {went['at']}"


_VERBS = {"forget": "forgotten", "undo": "undone", "purge": "purged", "save": "replaced"}
_WHO = {"person": "a person, through memoryd", "host": "a coding agent", "outside": "someone outside memoryd"}


def _forms(name: str) -> list[tuple[str, str]]:
    """What a name may stand for: (scope or '', path)."""
    scope, slash, rest = name.partition("/")
    named = [(scope, rest)] if slash and scope in tuple(Root) else []
    places = (entries.path_of, f"{PROCEDURE_DIR}/{{}}.md".format, f"{INSTINCT_DIR}/{{}}.md".format)
    return [(s, path) for s, n in [*named, ("", name)] for path in (n, f"{n}.md", *(place(n) for place in places))]


def _asked(text: str, line: int | None) -> list[str]:
    if line is not None:
        return text.splitlines()[line - 1 : line]
    body = frontmatter.split(text)[1]
    return [row for row in body.splitlines() if bare(row) and not row.startswith(("#", "<!--"))]


def _is_head(key: FileKey, text: str, row: str) -> bool:
    return entries.slug_of(key.path) is not None and row in frontmatter.split(text)[0].splitlines()


def _holding(files: Mapping[FileKey, str], words: str) -> list[tuple[FileKey, str]]:
    rows = ((key, row) for key, text in files.items() if key.path != INDEX_FILE for row in _asked(text, None))
    return [(key, row) for key, row in rows if fold(words) in fold(row)]


def _reason(key: FileKey, row: str, version: Row | None) -> Reason:
    author = "outside" if version is None else str(version["author"])
    if version is not None and author == "run" and version["run_id"] is None:
        author = "seed"
    saved = author == "host" and version is not None and version["run_id"]
    at = version["at"] if version else ""
    return Reason(
        file=f"{key.root}/{key.path}", line=bare(row), author=author, run=version["run_id"] if version else None,
        written_at=at, at=at, tier=_TIERS.get(author), note=_NOTES["agent" if saved else author],
    )  # fmt: skip


_NOTES = {
    "run": "memoryd wrote it; the turn it came from is not kept any more, or it is part of the form",
    "person": "a person wrote it, through memoryd",
    "agent": "a coding agent saved it, through memoryd",
    "host": "a coding agent wrote it into the file",
    "outside": "someone wrote it into the file, outside memoryd",
    "seed": "it came with the seeds",
}


def _quoted(origin: Reason, cited: Sequence[Row]) -> list[Reason]:
    """The turns that a line rests on, the one that says it most nearly first."""
    quotes = [(similarity(q, origin.line), row, tier, q) for row in cited for tier, q in _quotes(row, origin.line)]
    quotes.sort(key=lambda quote: -quote[0])
    unlike = {quote[2:]: quote for quote in reversed(quotes)}.values()  # a hook and the transcript tell the same
    near = sorted(unlike, key=lambda quote: -quote[0])[:MAX_QUOTES]
    near = [quote for quote in near if quote[0] >= _NEAR * near[0][0]]
    return [
        replace(
            origin,
            session=row["session"],
            seq=row["seq"],
            at=row["at"],
            tier=tier,
            quote=quote,
            source=row["source"],
            note="",
        )
        for _, row, tier, quote in near
    ]


def _quotes(row: Row, line: str) -> list[tuple[Tier, str]]:
    """The sentence of an event that shares most with a line, and who said it."""
    parts = [(tier, nearest_sentence(text, line, MAX_QUOTE_CHARS)) for _, tier, text in row["texts"] if text.strip()]
    best = max(parts, key=lambda part: similarity(part[1], line), default=None)
    return [best] if best else []


def _text(versions: JournalVersions, digest: str | None) -> str:
    return readable(versions.content(digest) or b"") if digest else ""

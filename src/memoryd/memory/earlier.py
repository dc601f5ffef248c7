"""What a full core file hands on: its oldest lines, to entries that say where they come from."""

import re
from collections.abc import Callable, Sequence
from itertools import accumulate

from memoryd.memory import entries, frontmatter, lines
from memoryd.memory.changes import Sources
from memoryd.memory.model import EntryType, FileKey
from memoryd.memory.papers import Papers
from memoryd.memory.proposals import Save
from memoryd.memory.text import fold

EARLIER_CHARS = 1_500  #: of an entry that holds lines which a full core file has handed on
MAX_EARLIER_SOURCES = 50  #: copies for readers; the journal keeps every citation
_EARLIER = re.compile(r"knowledge/(\w+)-earlier(?:-(\d+))?\.md")
_EARLIER_TYPE = {"constraints.md": EntryType.FEEDBACK}


class Earlier:
    """The entries of lines handed on, among the files being written."""

    def __init__(self, papers: Papers, *, now: str, sources: Sources, save: Callable[[Save], None]) -> None:
        self._papers = papers
        self._now = now
        self._sources = sources
        self._save = save
        self._folded: dict[FileKey, tuple[str, frozenset[str]]] = {}  #: lines of files, by their text

    def make_room(self, key: FileKey, core_chars: int) -> None:
        """Move the oldest lines of ours to an entry until the core file fits; a person's lines stay where they are."""
        text = self._papers.files[key]
        over = len(lines.prose(text)) - core_chars
        rows = lines.split_lines(text)
        leaving: list[tuple[lines.Item, tuple[int, ...]]] = []
        for item in lines.items(text):
            if over <= 0:
                break
            seqs = self._papers.seqs_of(key, item.text)
            if seqs is not None:
                leaving.append((item, tuple(seqs)))
                over -= sum(len(row.rstrip()) + 1 for row in rows[item.start : item.end])
        if leaving:
            self._papers.files[key] = lines.remove(text, *(item for item, _ in leaving))
            self._append(key, [(item.text, seqs) for item, seqs in leaving])

    def _append(self, key: FileKey, moved: Sequence[tuple[str, tuple[int, ...]]]) -> None:
        """Hand lines on to entries of a bounded size, so that what grows too old can be archived piece by piece."""
        rest = [one for one in moved if not self.holds(key, one[0])]
        number = max((n for n, _ in self._entries_of(key)), default=1)
        while rest:
            target = _earlier(key, number)
            room = EARLIER_CHARS - (len(self._papers.files[target]) if self._papers.is_active(target) else 0)
            fitting = [n for n, size in enumerate(accumulate(len(line) + 3 for line, _ in rest), 1) if size <= room]
            taken = max(fitting, default=0 if self._papers.is_active(target) else 1)
            if taken:
                self._write(key, target, rest[:taken])
            rest, number = rest[taken:], number + 1

    def _write(self, key: FileKey, target: FileKey, moved: Sequence[tuple[str, tuple[int, ...]]]) -> None:
        cites = tuple(seq for _, seqs in moved for seq in seqs)
        if self._papers.is_active(target):
            head, body = frontmatter.split(self._papers.files[target])
            known = entries.parse("", self._papers.files[target]).sources
            sources = list(dict.fromkeys([*known, *self._sources(cites)]))[-MAX_EARLIER_SOURCES:]
            text = head + lines.add(body, *(line for line, _ in moved))
            self._papers.files[target] = frontmatter.splice(text, {"updated_at": self._now, "sources": sources or None})
        else:
            kind = _EARLIER_TYPE.get(key.path, EntryType.USER)
            content = "\n".join(f"- {line}" for line, _ in moved)
            name, slug = f"Earlier lines of {key.path}", entries.slug_of(target.path) or ""
            self._save(Save(slug=slug, name=name, type=kind, content=content, cites=cites, root=key.root))
        for line, seqs in moved:
            self._papers.cite(target, line, seqs)

    def _entries_of(self, key: FileKey) -> list[tuple[int, FileKey]]:
        """The active entries that hold lines which a core file has handed on, by their number."""
        known = (
            match
            for match in map(_EARLIER.fullmatch, (k.path for k in self._papers.files if k.root is key.root))
            if match
        )
        mine = [int(match[2] or 1) for match in known if f"{match[1]}.md" == key.path]
        return [(n, _earlier(key, n)) for n in sorted(mine) if self._papers.is_active(_earlier(key, n))]

    def holds(self, key: FileKey, line: str) -> bool:
        """Whether a full core file has handed this line on to an entry: it is known, and need not come back."""
        return any(fold(line) in self._said_by(target) for _, target in self._entries_of(key))

    def _said_by(self, key: FileKey) -> frozenset[str]:
        text, cached = self._papers.files[key], self._folded.get(key)
        if cached is None or cached[0] is not text:
            cached = self._folded[key] = (text, frozenset(fold(said) for said in lines.texts(text)))
        return cached[1]


def _earlier(key: FileKey, number: int = 1) -> FileKey:
    """An entry that takes what a full core file has no room for."""
    stem = f"{key.path.removesuffix('.md')}-earlier"
    return FileKey(key.root, entries.path_of(stem if number == 1 else f"{stem}-{number}"))

"""The files while they are being written, and what each line that was written rests on."""

from collections.abc import Mapping, Sequence

from memoryd.memory import entries, lines
from memoryd.memory.changes import Cited, Ours, decode
from memoryd.memory.model import Entry, FileKey
from memoryd.memory.text import bare, fold


class Papers:
    """The files of both roots as text, to be changed in place."""

    def __init__(self, base: Mapping[FileKey, bytes], ours: Ours) -> None:
        self.base = base
        self.files = {key: decode(content) for key, content in base.items()}
        self._ours = ours
        self._cited: dict[tuple[FileKey, str], Cited] = {}

    def before(self, key: FileKey) -> str | None:
        return decode(self.base[key]) if key in self.base else None

    def active_entries(self) -> list[tuple[FileKey, Entry]]:
        slugs = ((key, entries.slug_of(key.path)) for key in self.files)
        parsed = [(key, entries.parse(slug, self.files[key])) for key, slug in slugs if slug]
        return [(key, entry) for key, entry in parsed if entry.active]

    def is_active(self, key: FileKey) -> bool:
        return key in self.files and entries.parse("", self.files[key]).active

    def twin(self, key: FileKey) -> str | None:
        """Return another file whose name is the same where case does not count."""
        wanted = key.path.casefold()
        return next(
            (k.path for k in self.files if k != key and k.root is key.root and k.path.casefold() == wanted), None
        )

    def cite(self, key: FileKey, line: str, seqs: Sequence[int]) -> None:
        if seqs:
            text = bare(" ".join(line.split()))
            self._cited[key, fold(text)] = Cited(key=key, line=text, seqs=tuple(seqs))

    def cite_body(self, key: FileKey, body: str, seqs: Sequence[int]) -> None:
        for row in body.split("\n"):
            if bare(row):
                self.cite(key, row, seqs)

    def seqs_of(self, key: FileKey, line: str) -> Sequence[int] | None:
        cited = self._cited.get((key, fold(bare(line))))
        return cited.seqs if cited else self._ours(key, bare(line))

    def citations(self) -> tuple[Cited, ...]:
        """What the lines that stand now were said to rest on."""
        return tuple(cited for cited in self._cited.values() if self._still_says(cited))

    def _still_says(self, cited: Cited) -> bool:
        text = self.files.get(cited.key, "")
        rows = [fold(bare(row)) for row in text.split("\n")] + [fold(bare(item)) for item in lines.texts(text)]
        return fold(cited.line) in rows

"""A guard: a few words of the source that hold a promise, what stands there without it, and who must notice."""

from dataclasses import dataclass
from pathlib import Path


class Moved(Exception):
    """The text of a guard is not in its file exactly once: the table has to follow the source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """One mutant of the source."""

    name: str  #: kebab-case, what `ONLY` names
    promise: str
    file: str  #: below src/memoryd
    old: str  #: exact, there once
    new: str
    tests: tuple[str, ...]  #: node ids below tests/; at least one must fail without the guard

    def remove(self, source: Path) -> None:
        """Take the guard out of the copy of the package at `source`.

        :raises Moved: its text is not there exactly once
        """
        path = source / self.file
        text = path.read_text(encoding="utf-8")
        if (found := text.count(self.old)) != 1:
            raise Moved(f"{self.name}: {self.file} holds its text {found} times, not once:\n{self.old}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")

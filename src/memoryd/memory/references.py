"""What memories name of a repository: paths, commands and symbols, and whether that is there. Reads files; bounded.

A name that was never found there is another place's, or a wish: only one that was there and is no more is told.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memoryd.memory.catalogue import Known

MAX_NAMES = 12  #: of one entry
MAX_PATHS = 50_000
MAX_FILES, MAX_FILE_BYTES, MAX_SECONDS = 5_000, 256 * 1024, 3.0  #: of a repository that are looked through for symbols
#: "make TARGET" and the scripts of package.json; other commands are no part of a repository
_COMMAND = re.compile(
    r"\b(?P<maker>make|just)\s+(?P<target>[a-z][\w-]{1,40})\b|\b(?:npm|pnpm|yarn|bun) run (?P<script>[\w:-]{2,40})"
)
_SYMBOL = re.compile(r"`(?P<quoted>[A-Za-z_]\w{3,60})(?:\(\))?`|\b(?P<called>[A-Za-z_]\w{3,60})\(\)")
_SKIPPED = frozenset(
    ("node_modules", "vendor", "target", "build", "dist", "venv", "site-packages", "__pycache__")
)  # fmt: skip


def names_in(known: Known) -> tuple[str, ...]:
    """What an entry names: paths, then `make lint`, then `symbol()`."""
    text = f"{known.entry.name}\n{known.entry.description}\n{known.entry.body}"
    paths = [path for path in known.paths if not path.startswith(("~", "@")) and "//" not in path]
    commands = [match.group() for match in _COMMAND.finditer(text)]
    symbols = [f"{match['quoted'] or match['called']}()" for match in _SYMBOL.finditer(text)]
    return tuple(dict.fromkeys([*paths, *commands, *symbols]))[:MAX_NAMES]


def present(root: Path, names: Iterable[str]) -> dict[str, bool]:
    """Say of each name whether it is in the repository at `root`. Blocking, some seconds at most.

    A symbol that could not be looked for to the end counts as there: nothing is called gone for want of time.
    """
    wanted, tree = list(dict.fromkeys(names)), _Tree.of(root)
    symbols = {name.removesuffix("()") for name in wanted if _is_symbol(name)}
    seen = tree.holding(symbols)
    return {name: name.removesuffix("()") in seen if _is_symbol(name) else _is_there(tree, name) for name in wanted}


def _is_symbol(name: str) -> bool:
    return name.endswith("()")


def _is_there(tree: "_Tree", name: str) -> bool:
    command, root = _COMMAND.fullmatch(name), tree.root
    if command is None:
        return tree.has(name)
    if command["script"]:
        return _says(root / "package.json", rf'"{re.escape(command["script"])}"\s*:')
    files = ("Makefile", "makefile", "GNUmakefile") if command["maker"] == "make" else ("justfile", "Justfile")
    return any(_says(root / file, rf"^{re.escape(command['target'])}\b[^=\n]*:") for file in files)


def _says(file: Path, pattern: str) -> bool:
    try:
        return bool(re.search(pattern, file.read_text("utf-8", "replace")[:MAX_FILE_BYTES], re.MULTILINE))
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class _Tree:
    """The plain files and folders of a repository; hidden ones and those of others are left out, no link followed."""

    root: Path
    files: tuple[Path, ...]
    named: Mapping[str, Sequence[Path]]  #: by the last part
    whole: bool  #: all that there is was looked at

    @classmethod
    def of(cls, root: Path) -> "_Tree":
        found = list(islice(_walk(root), MAX_PATHS + 1))
        named: dict[str, list[Path]] = {}
        for path, _ in found:
            named.setdefault(path.name, []).append(path)
        return cls(root, tuple(path for path, is_file in found if is_file), named, len(found) <= MAX_PATHS)

    def has(self, name: str) -> bool:
        """Whether a path is there as it stands, or below some folder."""
        parts = Path(name).parts
        if not self.whole or os.path.isabs(name) or ".." in parts or not parts:
            return not self.whole
        below = any(path.parts[-len(parts) :] == parts for path in self.named.get(parts[-1], ()))
        return below or (self.root / name).exists()

    def holding(self, symbols: set[str]) -> set[str]:
        """The symbols that some file holds; all of them when the files could not be read to the end."""
        missing, deadline = set(symbols), time.monotonic() + MAX_SECONDS
        for count, path in enumerate(self.files):
            if not missing:
                break
            if count >= MAX_FILES or time.monotonic() > deadline:
                return symbols
            text = _text_of(path)
            missing -= {symbol for symbol in missing if symbol in text}
        return symbols - missing if self.whole else symbols


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8") if path.stat().st_size <= MAX_FILE_BYTES else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _walk(root: Path) -> Iterator[tuple[Path, bool]]:
    """Paths below a folder, and whether each is a plain file."""
    for place, inside, files in os.walk(root):
        inside[:] = sorted(name for name in inside if not name.startswith(".") and name not in _SKIPPED)
        yield from ((Path(place, name), False) for name in inside)
        yield from ((path, True) for path in (Path(place, name) for name in sorted(files)) if not path.is_symlink())

"""Which memories speak of the place where a session works: paths in a text, compared with paths that were touched."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

MAX_NAMED = 40  #: paths of one memory that are compared
MAX_PARTS = 12  #: components of a touched path that count, from its end
#: each way is tried once a word, or a long one would take the square of its length
_PATH = re.compile(
    r"(?<![\w.@+~-])[\w.@+~-]*(?:/[\w.@+~-]+)+/?|(?<![\w@+-])[\w@+-]+/(?![\w/])"
    r"|(?<![\w@+-])[\w@+-][\w.@+-]{0,254}\.[A-Za-z]\w{0,7}\b"
)


def paths_in(text: str) -> tuple[str, ...]:
    """The paths that a text names, with a slash or an extension: `src/app/main.py`, `main.py`, `billing/`."""
    found = (match.group().removeprefix("./").strip("/").rstrip(".") for match in _PATH.finditer(text))
    return tuple(dict.fromkeys(path for path in found if len(path) > 2))[:MAX_NAMED]


def parts_of(touched: Iterable[str]) -> frozenset[str]:
    """Every way to name one of these paths, a folder of it, or its end: `app/main.py` of `/repo/app/main.py`."""
    split = [path.strip("/").split("/")[-MAX_PARTS:] for path in touched]
    return frozenset(
        "/".join(parts[start:end])
        for parts in split
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    )


def below(root: str | None, cwd: str | None) -> tuple[str, ...]:
    """The working directory as seen from its project; nothing at the project's root or outside of it."""
    if not (root and cwd) or not PurePosixPath(cwd).is_relative_to(root):
        return ()
    inside = str(PurePosixPath(cwd).relative_to(root))
    return () if inside == "." else (inside,)

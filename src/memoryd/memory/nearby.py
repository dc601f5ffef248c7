"""Which memories speak of the place where a session works: paths in a text, compared with paths that were touched."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

MAX_NAMED = 40  #: paths of one memory that are compared
_PATH = re.compile(r"[\w.@+~-]*(?:/[\w.@+~-]+)+/?|[\w@+-]+/(?![\w/])|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}\b")


def paths_in(text: str) -> tuple[str, ...]:
    """The paths that a text names, with a slash or an extension: `src/app/main.py`, `main.py`, `billing/`."""
    found = (match.group().removeprefix("./").strip("./") for match in _PATH.finditer(text))
    return tuple(dict.fromkeys(path for path in found if len(path) > 2))[:MAX_NAMED]


def names_one(named: Iterable[str], touched: Sequence[str]) -> bool:
    """Whether one of the named paths is, ends or holds one of the touched ones, whole components compared."""
    return any(f"/{name}/" in f"/{path.strip('/')}/" for name in named for path in touched)


def below(root: str | None, cwd: str | None) -> tuple[str, ...]:
    """The working directory as seen from its project; nothing at the project's root or outside of it."""
    if not (root and cwd) or not PurePosixPath(cwd).is_relative_to(root):
        return ()
    inside = str(PurePosixPath(cwd).relative_to(root))
    return () if inside == "." else (inside,)

"""Which files of a memory directory memoryd manages: names, depth, size."""

import os
import re
import stat
import unicodedata

from memoryd.errors import PathRefused
from memoryd.memory.model import ENTRY_DIR, INDEX_FILE, INSTINCT_DIR, SESSION_DIR

FOLDERS = (ENTRY_DIR, "procedures", INSTINCT_DIR, SESSION_DIR, "long-term", "daily", "reflections")
MAX_DEPTH = 3  #: components of a path, the file included
MAX_NAME_BYTES = 215  #: of a component: leaves room within 255 for the dot name beside it (memory.aside)
MAX_FILE_BYTES = 1024 * 1024

#: Dropbox, Nextcloud and OneDrive; Syncthing; iCloud and others
_CONFLICT_COPY = re.compile(r"conflicted copy|\.sync-conflict-|\(case conflict|\(conflict", re.IGNORECASE)
_SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/", "/boot/")
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def check_path(path: str) -> None:
    """Accept the path of a managed file, `/`-separated and inside its root, e.g. `knowledge/db.md`.

    :raises PathRefused: it names the rule that the path breaks
    """
    if broken := broken_rule(path):
        raise PathRefused(f"cannot use the path {path!r}: {broken}")


def broken_rule(path: str) -> str | None:
    """The rule that a path breaks, None for a managed path."""
    parts = path.split("/")
    if broken := next(filter(None, map(_broken_by_name, parts)), None):
        return broken
    if not parts[-1].endswith(".md"):
        return "a memory file ends in .md"
    if len(parts) > MAX_DEPTH:
        return f"at most {MAX_DEPTH - 1} folders deep"
    if len(parts) > 1 and parts[0] not in FOLDERS:
        return f"the folders are {', '.join(FOLDERS)}"
    return None


def check_directory(path: str, *, known: bool = False) -> None:
    """Accept the absolute path of a memory directory that a host names: missing, empty, or a memory directory already.

    :param known: memory is kept there, whatever else the folder holds by now
    :raises PathRefused: it names the rule that the path breaks
    """
    parts = path.split("/")[1:]
    broken = next(filter(None, map(_broken_by_part, parts)), None) or _broken_by_place(path)
    if not (broken or known or _is_free(path)):
        broken = f"it holds other things; name a folder that is new, empty, or holds {INDEX_FILE}"
    if broken:
        raise PathRefused(f"cannot keep memory in {path!r}: {broken}")


def _broken_by_part(name: str) -> str | None:
    if name in ("", ".", ".."):
        return "no empty parts, no . and no .."
    if any(unicodedata.category(character) in _INVISIBLE for character in name) or _lookalikes(name):
        return "no control or invisible characters, none that stand for a dot or a slash"
    return None if len(name.encode(errors="replace")) <= MAX_NAME_BYTES else f"at most {MAX_NAME_BYTES} bytes a part"


def _broken_by_place(path: str) -> str | None:
    """What stands there already must be a folder of ours; links in the way to it are the person's."""
    if f"{path}/".startswith(_SYSTEM):
        return "it belongs to the system"
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISDIR(found.st_mode):
        return "a link or no folder stands there"
    if os.path.lexists(f"{path}/.git"):
        return "it is a repository; give memory a folder of its own in it"
    return None if found.st_uid == os.getuid() else "it belongs to another user"


def _is_free(path: str) -> bool:
    """Whether nothing stands there but memory, which always has its index. Opens no file: it may be a pipe."""
    try:
        return os.path.isfile(f"{path}/{INDEX_FILE}") or not os.listdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def is_conflict_copy(path: str) -> bool:
    """Whether a synchronising program made this file because it could not merge."""
    return _CONFLICT_COPY.search(path) is not None


def _broken_by_name(name: str) -> str | None:
    if not name:
        return "no empty parts and no absolute paths"
    if name.startswith("."):
        return "no parts that begin with a dot"
    if "\\" in name or any(unicodedata.category(character) in _INVISIBLE for character in name):
        return "no backslashes, control or invisible characters"
    if _lookalikes(name):
        return "no characters that stand for a dot or a slash"
    if len(name.encode()) > MAX_NAME_BYTES:
        return f"at most {MAX_NAME_BYTES} bytes a part"
    return None


def _lookalikes(name: str) -> bool:
    if name.isascii():
        return False
    plain = unicodedata.normalize("NFKC", name)
    return any(plain.count(mark) != name.count(mark) for mark in "./\\")

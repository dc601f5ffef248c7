"""A person at an editor: `python -m support.editor KIND PATH SAVES SEED`. Prints, as JSON, the markers to look for.

Each save takes what stands in the file, cuts it to its last 40 lines and adds a line with a marker of its own. A marker
that is no longer there at the next save was displaced by someone else, so that it must be found elsewhere.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def in_place(path: Path, text: bytes) -> None:
    path.write_bytes(text)


def by_rename(path: Path, text: bytes) -> None:
    beside = path.with_suffix(".swp")
    beside.write_bytes(text)
    beside.replace(path)


def by_backup(path: Path, text: bytes) -> None:
    backup = path.with_suffix(".md~")
    with suppress(FileNotFoundError):
        path.rename(backup)
    path.write_bytes(text)
    backup.unlink(missing_ok=True)


def by_append(path: Path, text: bytes) -> None:
    with path.open("ab") as file:
        file.write(text.splitlines(keepends=True)[-1])


def _stands(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # moved aside for an instant, where files cannot be exchanged
        return b""


EDITORS: dict[str, Callable[[Path, bytes], None]] = {
    "in-place": in_place,
    "rename": by_rename,
    "backup": by_backup,
    "append": by_append,
}


def main(kind: str, path: Path, saves: int, seed: int) -> None:
    pace = random.Random(seed)
    wanted: list[str] = []
    last = b""
    for number in range(saves):
        stands = _stands(path)
        if kind == "append" or last not in stands:
            wanted.append(last.decode())
        last = b"%s-%06d." % (kind.encode(), number)
        EDITORS[kind](path, b"".join(stands.splitlines(keepends=True)[-40:]) + last + b"\n")
        time.sleep(pace.random() * 0.004)
    print(json.dumps([*filter(None, wanted), last.decode()]), flush=True)


if __name__ == "__main__":
    os.umask(0o077)
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))

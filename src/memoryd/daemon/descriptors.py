"""Descriptors: what is large is kept once, in the journal, and told by a line that names it and how to read it.

    [NAME · KIND · SIZE · ID]

An id is `note:N`, `event:SEQ` or `checkpoint:N`; `memoryd show ID` and `memory.read` give the text, a page at a time.
"""

import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from memoryd.ipc.methods.base import Stale
from memoryd.memory import aside
from memoryd.memory.text import cut

NOTE, EVENT, CHECKPOINT = "note", "event", "checkpoint"
MAX_NAME_CHARS = 60
MAX_FILE_BYTES = 4 * 1024 * 1024  #: of a file that is hashed; a longer one is judged by its time alone

State = Stale | Literal[""]  #: of a descriptor's target; '' is as it was


def line(name: str, kind: str, size: int, ident: str) -> str:
    """Return the line that stands for something large. `size`: bytes."""
    return f"[{cut(name, MAX_NAME_CHARS)} · {kind} · {size_of(size)} · {ident}]"


def size_of(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size / 1024:.0f} KB"


def state_since(path: Path, moment: datetime) -> State:
    """What became of a file since a moment, by its time. Blocking."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return "gone"
    return "changed" if datetime.fromtimestamp(status.st_mtime, UTC) > moment else ""


def state_of(path: Path, digest: str) -> State:
    """What became of a file whose content had this SHA-256. Blocking; reads regular files alone."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return "changed"
        return "" if aside.digest(path.read_bytes()) == digest else "changed"
    except (OSError, ValueError):
        return "gone"


def parse(name: str) -> tuple[str, int] | None:
    """An id as (kind, number), None for any other name."""
    kind, colon, number = name.partition(":")
    known = bool(colon) and kind in (NOTE, EVENT, CHECKPOINT) and number.isdecimal() and len(number) <= 18
    return (kind, int(number)) if known else None

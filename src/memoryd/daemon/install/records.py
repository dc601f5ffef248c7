"""`<data>/installs.json`: by file, what an exact removal must know."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memoryd.daemon.install.changes import Change
from memoryd.daemon.install.entries import Before
from memoryd.daemon.install.targets import Target
from memoryd.memory.aside import digest

Row = dict[str, Any]
Rows = dict[str, Row]  #: by path


def load(content: bytes | None) -> Rows:
    """A record that cannot be read counts as none: removal is by what the files hold, and exact where it is known."""
    try:
        found = json.loads(content or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def dump(rows: Rows) -> bytes:
    return json.dumps(rows, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


def of_settings(target: Target, before: Before, *, created: bool) -> Row:
    """:param created: there was no file before us"""
    row = {**_place(target), "blank": before.blank, "empty": dict(before.empty), "created": created}
    more = {"glue": before.glue, "pieces": dict(before.pieces)}
    declined = {"mcp": False} if target.declined else {}
    return row | {key: value for key, value in more.items() if value} | declined


def before(row: Row) -> Before:
    return Before(
        blank=bool(row.get("blank")),
        glue=row.get("glue", ""),
        empty=row.get("empty", {}),
        pieces=row.get("pieces", {}),
    )


def of_file(target: Target, content: bytes) -> Row:
    return {**_place(target), "sha256": digest(content)}


def note_folders(rows: Rows, target: Target, written: Sequence[Change]) -> None:
    """Put the folders that writing makes into `rows`: they go with what they hold."""
    for path in {folder for one in written for folder in one.path.parents}:
        if not path.exists():
            rows.setdefault(str(path), {**_place(target), "folder": True})


def pop_folders(rows: Rows, target: Target) -> tuple[Path, ...]:
    """Take the folders that were made for a target out of `rows`."""
    made = [path for path, row in rows.items() if row.get("folder") and is_of(row, target)]
    for path in made:
        del rows[path]
    return tuple(map(Path, made))


def is_of(row: Row, target: Target) -> bool:
    return row.items() >= _place(target).items() and ("project" in row) == (target.project is not None)


def is_as_written(content: bytes | None, row: Row | None) -> bool:
    return content is not None and row is not None and row.get("sha256") == digest(content)


def _place(target: Target) -> Row:
    return {"host": target.host, **({"project": str(target.project)} if target.project else {})}

"""The notes of an archive, as this daemon keeps its own: valid and redacted, for an archive may come from anywhere."""

import json
from collections.abc import Mapping
from typing import Any

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.notes import NoteKind
from memoryd.ipc.redaction import redact
from memoryd.memory.ports import Author

_PLAIN = ("dir", "host", "session_id", "file", "digest")


def checked(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the table `notes`.

    :raises ValueError, KeyError, TypeError: it is none
    """
    steps = [{"text": redact(str(step["text"])), "done": bool(step["done"])} for step in json.loads(row["steps"])]
    return {
        **{name: None if row[name] is None else str(row[name]) for name in _PLAIN},
        "kind": NoteKind(row["kind"]).value, "author": Author(row["author"]).value, "text": redact(str(row["text"])),
        "steps": json.dumps(steps, ensure_ascii=False), "with_session": bool(row["with_session"]),
        "created_at": _time(row["created_at"]), "updated_at": _time(row["updated_at"]),
        "expires_at": row["expires_at"] and _time(row["expires_at"]),
    }  # fmt: skip


def _time(value: Any) -> str:
    return rfc3339(parse_rfc3339(value))

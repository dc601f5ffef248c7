"""Contradictions as rows of the review inbox: each is asked about once, whatever the answer was. Blocking."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.clock import rfc3339
from memoryd.daemon.journal.reviews import digest_of, put
from memoryd.daemon.journal.store import Store

KIND = "contradiction"


def digest(place: Path, key: Sequence[str]) -> str:
    """What makes two questions the same: where they are asked, and what the two memories say."""
    return digest_of(KIND, str(place), *key)


def ask(journal: Store, digest: str, place: Path, scope: str, detail: Mapping[str, Any], reason: str) -> None:
    """Put a question; one that was put before changes nothing."""
    journal.write(lambda connection: put(
        connection, digest=digest, dir=str(place), scope=scope, kind=KIND,
        detail=json.dumps(detail, ensure_ascii=False), reason=reason, tier="user", run_id=None,
        at=rfc3339(journal.clock()),
    ))  # fmt: skip


def drop_others(journal: Store, dirs: Iterable[Path], digests: Iterable[str]) -> int:
    """Take the open questions of these directories out that are none any more; returns how many."""
    return journal.execute(
        "delete from reviews where kind = ? and status = 'open' and dir in (select value from json_each(?))"
        " and digest not in (select value from json_each(?))",
        KIND, json.dumps([str(path) for path in dirs]), json.dumps([*digests]),
    )  # fmt: skip

"""Labelled conversations of one or more sessions: read from a file, secrets put in while reading."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from support.secrets import samples

from memoryd.ipc.events import Role

_HERE = Path(__file__).parent
_SECRET = re.compile(r"\{secret:([\w ]+)\}")
SETS = ("dev", "held")

Session = tuple[tuple[Role, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation with what a careful person would keep of it. An agent sees the sessions alone."""

    id: str
    sessions: tuple[Session, ...]
    keep: tuple[str, ...]  #: one fact each, in the shortest words of the user that any sound memory of it contains
    junk: tuple[str, ...]  #: words that no memory may contain
    stale: tuple[str, ...] = ()  #: of a value that was replaced: not in active memory
    poison: tuple[str, ...] = ()  #: what somebody else wants remembered as the user's word
    secrets: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        return self.id.split("-")[0]


def load(name: str) -> list[Talk]:
    """Read `dev` or `held`. :raises ValueError: a label or an utterance has another shape"""
    return [_talk(row) for row in json.loads((_HERE / f"{name}.json").read_text(encoding="utf-8"))]


def _talk(row: dict[str, Any]) -> Talk:
    known = samples()
    secrets = tuple(known[name][1] for session in row["sessions"] for said in session for name in _SECRET.findall(said))
    sessions = tuple(tuple(_utterance(said) for said in session) for session in row["sessions"])
    labels = {key: tuple(row.get(key, ())) for key in ("keep", "junk", "stale", "poison")}
    return Talk(id=row["id"], sessions=sessions, secrets=secrets, **labels)


def _utterance(said: str) -> tuple[Role, str]:
    role, _, text = said.partition(": ")
    if role not in get_args(Role) or not text:
        raise ValueError(f"an utterance is `user: TEXT`, `assistant: TEXT` or `tool: TEXT`, not {said[:40]!r}")
    return role, _SECRET.sub(lambda match: samples()[match[1]][0], text)  # type: ignore[return-value]

"""Cursor's conversations, as its agent writes them below `~/.cursor/projects/<folder>/agent-transcripts/`.

Built from descriptions of the files; the program was not run. Lines bear neither id nor time: a text is known by its
place, and said when the file was written last. What tools gave does not stand there, so no tool is told. Of sessions
that hooks told nothing is taken.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryd.daemon.imports.found import Talk
from memoryd.daemon.imports.heads import Records, lines
from memoryd.daemon.imports.walking import Refusal, opened
from memoryd.fsio import read_all
from memoryd.ipc.events import Event, EventAdapter, Tier
from memoryd.ipc.hosts.record import cut

HOST = "cursor"
FOLDER = "agent-transcripts"
SUB_AGENTS = "subagents"
NOT_READ = (
    "a form in which an older Cursor kept conversations; it is not documented, and not read: keep what matters of them"
    " with `memoryd save`"
)
MAX_BYTES = 64 * 1024 * 1024  #: of a file that is read
MAX_FOLDERS = 2_000  #: that are looked at for the one that a name stands for

_ASKED = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
_TIERS = {"user": Tier.USER, "assistant": Tier.HOST}


def is_cursors(path: Path, records: Records) -> bool:
    """Whether a file of JSON lines is one of its transcripts."""
    return FOLDER in path.parts and any(_spoken(record) for record in records)


def is_older(path: Path) -> bool:
    """Whether a file is of a form in which older releases kept conversations."""
    return path.name == "state.vscdb" or (FOLDER in path.parts and path.suffix == ".txt")


def talks(path: Path) -> Iterator[Talk]:
    """The one conversation of a file. Blocking. :raises Refusal: it cannot be read, or is too long"""
    fd, stamp = opened(path)
    try:
        if stamp.size > MAX_BYTES:
            raise Refusal(f"a conversation of more than {MAX_BYTES >> 20} MB")
        text = read_all(fd).decode("utf-8", "replace")
    finally:
        os.close(fd)
    cwd = folder_of(path)
    at = datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)
    envelope = {"host": HOST, "session_id": path.stem[:256], "cwd": cwd, "at": at, "kind": "message"}
    yield Talk(path.stem[:256], cwd, list(_events(text, envelope)))


def _events(text: str, envelope: dict[str, Any]) -> Iterator[Event]:
    for n, record in enumerate(lines(text)):
        if (role := _spoken(record)) and (said := _said(role, record["message"]["content"])):
            ident = hashlib.sha256(f"{HOST}\n{envelope['session_id']}\n{n}\n{said}".encode(errors="replace"))
            data = {"role": role, "text": cut(said), "tier": _TIERS[role]}
            yield EventAdapter.validate_python({**envelope, "id": ident.hexdigest(), "data": data})


def _spoken(record: dict[str, Any]) -> str | None:
    """Whose words a record holds."""
    match record:
        case {"role": "user" | "assistant" as role, "message": {"content": list() | str()}}:
            return str(role)
    return None


def _said(role: str, content: list[Any] | str) -> str:
    """The texts of a content; of a prompt what was typed, where that is marked."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    whole = "\n".join(texts)
    typed = _ASKED.findall(whole) if role == "user" else []
    return "\n".join(one.strip() for one in typed or [whole]).strip()


def folder_of(path: Path) -> str:
    """The folder whose name stands above the transcripts with `-` for whatever is no letter or digit. Blocking.

    One that is not found counts as gone: nothing tells whose memory it would be.
    """
    name = path.parts[path.parts.index(FOLDER) - 1]
    return next(_spelt("/", name, [MAX_FOLDERS]), f"/{name}")


def _spelt(folder: str, name: str, left: list[int]) -> Iterator[str]:
    """The folders below this one that a name may stand for, the longest names first."""
    try:
        entries = [one.name for one in os.scandir(folder) if one.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for entry in sorted(entries, key=len, reverse=True):
        spelt, below = re.sub(r"[^A-Za-z0-9]", "-", entry), os.path.join(folder, entry)
        if spelt != name and not name.startswith(f"{spelt}-"):
            continue
        left[0] -= 1
        if left[0] < 0:
            return
        if spelt == name:
            yield below
        else:
            yield from _spelt(below, name.removeprefix(f"{spelt}-"), left)

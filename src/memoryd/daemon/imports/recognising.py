"""What a file is, told by its place and its first bytes: whose transcript, which tool's memory."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memoryd.daemon.imports import cursor, heads, hermes, notebooks, opencode
from memoryd.daemon.imports.found import Candidate, Chats, Notebook, PassedOver, Source, Transcript
from memoryd.daemon.imports.heads import Records, first
from memoryd.daemon.imports.walking import Refusal, head_of
from memoryd.ipc import hosts

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_WORKSPACE = re.compile(r"Workspace Directories:\*{0,2}\s+-\s+(/[^\n]+)")
_FIELD = re.compile(r'"(sessionId|projectHash|kind)"\s*:\s*"([^"]{1,256})"')
_SUB_AGENT = "of a sub-agent: its report stands in the session that started it"


def recognise(candidate: Candidate, only: str | None = None) -> Source | PassedOver | None:
    """Say what a file is; None: nothing that is imported, and nobody named it. Blocking.

    :param only: a host: other sources are none
    """
    path = candidate.path
    try:
        found = _known(candidate)
    except Refusal as refusal:
        return PassedOver(path=path, why=str(refusal))
    if isinstance(found, Transcript) and found.host not in hosts.names():
        return PassedOver(path=path, why=f"a transcript of {found.host}, which this release cannot read")
    if only is not None and _host_of(found) not in (None, only):
        return None
    if found is None and candidate.named:
        return PassedOver(path=path, why="neither a transcript nor a memory that this release knows")
    return found


def _known(candidate: Candidate) -> Source | PassedOver | None:
    path, found = candidate.path, None
    if path.suffix in (".jsonl", ".json"):
        found = _transcript(candidate)
    elif cursor.is_older(path):
        return PassedOver(path=path, why=cursor.NOT_READ)
    elif path.suffix == ".db" and (host := _keeper(path)):
        return Chats(path=path, stamp=candidate.stamp, host=host)
    return found or notebooks.recognise(candidate)


def _keeper(path: Path) -> str | None:
    """The host that keeps its conversations in a database."""
    head = head_of(path, 16)
    if opencode.is_opencode(path, head):
        return opencode.HOST
    return hermes.HOST if hermes.is_hermes(path, head) else None


def _host_of(found: Source | PassedOver | None) -> str | None:
    match found:
        case Transcript() | Chats():
            return found.host
        case Notebook():
            return found.form
        case _:
            return None


def _transcript(candidate: Candidate) -> Source | PassedOver | None:
    head = heads.head(candidate.path)
    records = list(heads.records(head))
    if cursor.is_cursors(candidate.path, records):
        if cursor.SUB_AGENTS in candidate.path.parts:
            return PassedOver(path=candidate.path, why=_SUB_AGENT)
        return Chats(path=candidate.path, stamp=candidate.stamp, host=cursor.HOST)
    for host, look in _HOSTS.items():
        known = look(records, candidate.path, head)
        if known == "sub-agent":
            return PassedOver(path=candidate.path, why=_SUB_AGENT)
        if isinstance(known, Mapping):
            return Transcript(
                path=candidate.path, stamp=candidate.stamp, host=host, began_at=heads.began(head),
                session_id=str(known["session_id"])[:256], cwd=known.get("cwd"), headless=bool(known.get("headless")),
            )  # fmt: skip
    return None


Known = Mapping[str, Any] | str | None


def _claude(records: Records, path: Path, _: str) -> Known:
    spoken = [r for r in records if r.get("type") in ("user", "assistant") and isinstance(r.get("message"), dict)]
    if not spoken or not first(spoken, "sessionId") or any("parts" in r["message"] for r in spoken):
        return None
    if path.name.startswith("agent-") and all(r.get("isSidechain") for r in spoken):
        return "sub-agent"
    session = path.stem if _UUID.fullmatch(path.stem) else first(spoken, "sessionId")
    entry = first(spoken, "entrypoint") or ""
    return {"session_id": session, "cwd": first(records, "cwd"), "headless": entry.startswith("sdk-")}


def _codex(records: Records, _path: Path, _head: str) -> Known:
    meta = next((r.get("payload") for r in records[:3] if r.get("type") == "session_meta"), None)
    if not isinstance(meta, dict) or not isinstance(meta.get("id"), str):
        return None
    if meta.get("thread_source") == "subagent":
        return "sub-agent"
    return {"session_id": meta["id"], "cwd": meta.get("cwd"), "headless": meta.get("source") == "exec"}


def _copilot(records: Records, _path: Path, _head: str) -> Known:
    start = next((r.get("data") for r in records[:3] if r.get("type") == "session.start"), None)
    if not isinstance(start, dict) or not isinstance(start.get("sessionId"), str):
        return None
    return {"session_id": start["sessionId"], "cwd": first([start], "context", "cwd")}


def _gemini(records: Records, path: Path, head: str) -> Known:
    """A file of lines begins with its session; the older form is one document."""
    begins = records[0] if records else {}
    if path.suffix == ".json":
        begins = dict(_FIELD.findall(head.partition('"messages"')[0]))
    if "projectHash" not in begins or not isinstance(begins.get("sessionId"), str):
        return None
    if begins.get("kind") == "subagent":
        return "sub-agent"
    where = _WORKSPACE.search(head.replace("\\n", "\n"))
    return {"session_id": begins["sessionId"], "cwd": where[1].strip() if where else None}


def _qwen(records: Records, _path: Path, _head: str) -> Known:
    if not any(isinstance(r.get("message"), dict) and "parts" in r["message"] and "uuid" in r for r in records):
        return None
    return {"session_id": first(records, "sessionId"), "cwd": first(records, "cwd")}


_HOSTS: Mapping[str, Callable[[Records, Path, str], Known]] = {
    "claude-code": _claude, "codex": _codex, "copilot": _copilot, "gemini": _gemini, "qwen": _qwen,
}  # fmt: skip

#: what `--host` may name: whose conversations or memories can be told
SOURCES = frozenset({*_HOSTS, opencode.HOST, hermes.HOST, cursor.HOST, *notebooks.FORMS})

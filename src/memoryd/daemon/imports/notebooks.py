"""Files of other memory tools and rule files: how each is told, and what it says."""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from memoryd.daemon.imports import databases, exports, markdown
from memoryd.daemon.imports.found import Candidate, Memory, Notebook
from memoryd.daemon.imports.heads import cwd_of
from memoryd.daemon.imports.walking import Refusal, head_of, opened
from memoryd.fsio import read_all

MAX_BYTES = 8 * 1024 * 1024  #: of a file that is read whole
HEAD_BYTES = 4096

FORMS = frozenset({databases.CLAUDE_MEM, exports.MEM0, *markdown.READERS})  #: of notebooks, as they are told
_RULE_NAMES = {
    "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "QWEN.md", "copilot-instructions.md",
    ".cursorrules", ".windsurfrules", ".clinerules",
}  # fmt: skip
#: folders of the home directory in which hosts keep what is one user's
_OWN = {".claude", ".codex", ".gemini", ".qwen", ".copilot", ".cursor", ".config", ".agents"}
#: folders of a repository that hold rules; the repository is above them
_DOTTED = {".claude", ".cursor", ".github", ".codex", ".gemini", ".qwen", ".windsurf", "rules"}


def recognise(candidate: Candidate) -> Notebook | None:
    """Say whose memory a file is, None when it is none that we know. :raises Refusal: it cannot be read"""
    path = candidate.path
    told = _by_place(path) or _by_content(path)
    return None if told is None else Notebook(
        path=path, stamp=candidate.stamp, form=told.form, cwd=told.cwd, mine=told.mine
    )  # fmt: skip


def memories(notebook: Notebook, *, mine: bool) -> Iterator[Memory]:
    """What a notebook says, oldest first where it knows. Blocking.

    :param mine: the user vouches for their own rule files
    :raises Refusal: it cannot be read, or is not what it looked like
    """
    if notebook.form == databases.CLAUDE_MEM:
        return databases.claude_mem(notebook.path)
    content = _whole(notebook.path)
    if notebook.form == exports.MEM0:
        return exports.mem0(content)
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    at = datetime.fromtimestamp(notebook.stamp.mtime_ns / 1e9, UTC)
    return markdown.READERS[notebook.form](text, at, mine and notebook.mine)


class _Told(NamedTuple):
    form: str
    cwd: str | None = None
    mine: bool = False


def _by_place(path: Path) -> _Told | None:
    folder = path.parent
    of_claude = (
        folder.name == "memory" and folder.parent.parent.name == "projects" and folder.parent.name.startswith("-")
    )
    if path.suffix == ".md" and of_claude:
        return _Told("claude-memory", cwd=_cwd_beside(folder.parent))
    if path.suffix == ".md" and folder.name == "memories" and folder.parent.name == ".codex":
        return _Told("codex-memory") if path.name == "MEMORY.md" else None
    is_rule = path.name in _RULE_NAMES or (path.suffix in (".mdc", ".md") and folder.name == "rules")
    if not is_rule:
        return None
    if _is_own(path):
        return _Told("rule-file", mine=True)
    if path.suffix == ".md" and folder.name == "rules" and folder.parent.name not in _DOTTED:
        return None  # any folder may be called so
    return _Told("rule-file", cwd=str(_project_of(folder)))


def _by_content(path: Path) -> _Told | None:
    readers: Mapping[str, tuple[str, ...]] = {".db": ("db",), ".json": ("json",), ".md": ("md",)}
    if path.suffix not in readers:
        return None
    head = head_of(path, HEAD_BYTES)
    if path.suffix == ".db":
        return _Told(databases.CLAUDE_MEM) if databases.is_claude_mem(path, head) else None
    if path.suffix == ".json":
        return _Told(exports.MEM0) if exports.is_mem0(head) else None
    return _Told("basic-memory") if markdown.is_basic_memory(head.decode("utf-8", "replace")) else None


def _is_own(path: Path) -> bool:
    home = Path.home()
    return path.is_relative_to(home) and path.relative_to(home).parts[0] in _OWN


def _project_of(folder: Path) -> Path:
    while folder.name in _DOTTED:
        folder = folder.parent
    return folder


def _cwd_beside(folder: Path) -> str | None:
    """The working directory that the newest transcript of a Claude project folder names: its own name is ambiguous."""
    beside = sorted(folder.glob("*.jsonl"), key=lambda path: path.lstat().st_mtime_ns, reverse=True)
    return next(filter(None, map(cwd_of, beside[:5])), None)


def _whole(path: Path) -> bytes:
    fd, stamp = opened(path)
    try:
        if stamp.size > MAX_BYTES:
            raise Refusal(f"{stamp.size} bytes, at most {MAX_BYTES} are read of such a file")
        return read_all(fd)
    finally:
        os.close(fd)

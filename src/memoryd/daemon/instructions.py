"""The project's own instruction files: what they already say is not learned again. An agent sees them redacted."""

from collections.abc import Callable
from pathlib import Path

from memoryd.daemon.journal.journal import Journal
from memoryd.ipc.redaction import redact
from memoryd.worker.ports import Job

NAMES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules")
MAX_BYTES = 64 * 1024  #: of each


def reader(journal: Journal) -> Callable[[Job], str]:
    """Return a function that reads the instruction files of a job's project. Blocking."""
    return lambda job: read(journal.project_root(job.dir))


def read(root: Path | None) -> str:
    """The text of the files that exist, '' without a project."""
    return redact("\n".join(_text(root / name) for name in NAMES)) if root is not None else ""


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""

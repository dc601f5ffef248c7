"""The history of files in memory: what the journal's versions do, without a database."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from memoryd.memory.aside import digest
from memoryd.memory.ports import FileChange, Version
from memoryd.memory.recovery import IntendedChange, Intent


class MemoryVersions:
    """Implements `memory.ports.Versions`; `recorded` keeps all, oldest first."""

    def __init__(self) -> None:
        self.recorded: list[Version] = []
        self._newest: dict[Path, dict[str, str | None]] = {}
        self._blobs: dict[str, bytes] = {}

    def newest(self, root: Path) -> Mapping[str, str | None]:
        return dict(self._newest.get(root, {}))

    def content(self, digest: str) -> bytes | None:
        return self._blobs.get(digest)

    def record(self, versions: Sequence[Version]) -> None:
        for version in versions:
            hashed = None if version.content is None else digest(version.content)
            self._newest.setdefault(version.root, {})[version.path] = hashed
            if version.content is not None and hashed is not None:
                self._blobs[hashed] = version.content
            self.recorded.append(version)

    def contents(self, path: str) -> list[bytes | None]:
        """Every content that a path had, oldest first."""
        return [version.content for version in self.recorded if version.path == path]


def intent_of(run_id: str, changes: Sequence[FileChange]) -> Intent:
    """The intent that `begin` writes down for an apply of these changes."""
    hashed = (
        IntendedChange(root=change.root, path=change.path, base=_hash(change.base), new=_hash(change.new))
        for change in changes
    )
    return Intent(run_id=run_id, changes=tuple(hashed))


def _hash(content: bytes | None) -> str | None:
    return None if content is None else digest(content)

"""What recall asks of the provider: rows, cleaned and quoted; none for what is off the record, and none too late."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.provider import texts
from memoryd.daemon.provider.feeding import Feeder
from memoryd.daemon.provider.provider import ProviderHost
from memoryd.ipc.sanitise import sanitise
from memoryd.memory.model import Root


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRecall:
    host: ProviderHost
    feeder: Feeder
    off_record: Callable[[Path, str | None], bool]  #: whether nothing of this memory and folder may be told now

    async def prefetch(self, roots: Mapping[Root, Path], cwd: str | None, prompt: str) -> list[str]:
        """What it knows of a prompt."""
        directory = self._directory(roots, cwd)
        if directory is None or self.host.settings.call("prefetch") is None:
            return []
        query = sanitise(prompt[: texts.VALUE_CHARS])
        return await self.host.prefetch(query, self.feeder.project_of(directory))

    async def block(self, roots: Mapping[Root, Path], cwd: str | None) -> list[str]:
        """What it tells every session of the project. It is started by it, so that it is ready at the first prompt."""
        directory = self._directory(roots, cwd)
        if directory is None:
            return []
        self.host.warm()
        return await self.host.block(self.feeder.project_of(directory))

    def before_compaction(self, host: str, session_id: str) -> tuple[str, ...]:
        """What it wanted kept when the session was compacted last."""
        return self.feeder.before_compaction(host, session_id)

    def _directory(self, roots: Mapping[Root, Path], cwd: str | None) -> Path | None:
        """The memory that is asked for, None when nothing of it may be told."""
        directory = roots.get(Root.PROJECT, roots.get(Root.USER))
        return None if directory is None or self.off_record(directory, cwd) else directory

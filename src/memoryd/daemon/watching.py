"""Whether the configuration file is another one than when it was last looked at."""

from dataclasses import dataclass
from pathlib import Path

_ABSENT = ()


@dataclass(slots=True)
class ConfigFile:
    """Known by its time, size and inode; a file that is gone is another one too."""

    path: Path
    _stamp: tuple[int, ...] | None = None  #: None: not looked at

    def changed(self) -> bool:
        """Whether it is another one since the last look; the first look finds that it is. Blocking."""
        before, self._stamp = self._stamp, self._look()
        return self._stamp != before

    def look_afresh(self) -> None:
        """The next look is a first one."""
        self._stamp = None

    def _look(self) -> tuple[int, ...]:
        try:
            status = self.path.stat()
        except OSError:
            return _ABSENT
        return status.st_mtime_ns, status.st_size, status.st_ino

"""Whose memory it is: where an agent works, or one explicit directory."""

import os
from dataclasses import dataclass

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    cwd: AnyPath | None
    memory_dir: AnyPath | None

    def named(self) -> dict[str, str]:
        """Absolute paths. Asks the system, so it belongs in a call, not where a memory is made."""
        try:
            found = {"cwd": _absolute(self.cwd or os.getcwd())}
        except FileNotFoundError:  # the working directory was removed
            found = {}
        return found if self.memory_dir is None else {**found, "memory_dir": _absolute(self.memory_dir)}


def _absolute(path: AnyPath) -> str:
    return os.path.abspath(os.path.expanduser(path))

"""Programs of a test's own, by the names of the released ones: they print what a test says."""

import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Script:
    """A program in a folder of its own. What it was given stands in `argv`, `stdin` and `env` there."""

    path: Path

    @property
    def argv(self) -> list[str]:
        return (self.path.parent / "argv").read_text().splitlines()

    @property
    def stdin(self) -> str:
        return (self.path.parent / "stdin").read_text()

    @property
    def env(self) -> dict[str, str]:
        rows = (self.path.parent / "env").read_text().splitlines()
        return {name: value for name, _, value in (row.partition("=") for row in rows)}


def script(
    folder: Path, name: str, *, out: str = "", err: str = "", status: int = 0, then: str = "", keeps: bool = True
) -> Script:
    """A program that reads its input and prints; `then` are lines of sh that follow.

    :param keeps: write down what it was given; in a cage it cannot
    """
    folder.mkdir(parents=True, exist_ok=True)
    here = shlex.quote(str(folder))
    (folder / "out").write_text(out)
    (folder / "err").write_text(err)
    path = folder / name
    kept = f"for word; do printf '%s\\n' \"$word\"; done >{here}/argv\nenv >{here}/env\n" if keeps else ""
    given = f"{here}/stdin" if keeps else "/dev/null"
    rest = f"cat {here}/out\ncat {here}/err >&2\n{then}\nexit {status}\n"
    path.write_text(f"#!/bin/sh\n{kept}cat >{given}\n{rest}")
    path.chmod(0o700)
    return Script(path=path)

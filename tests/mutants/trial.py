"""A trial: a copy of source and tests with an interpreter of its own, in which chosen tests run.

The interpreter takes memoryd from the copy, also in the child processes of the tests, and all else from the
environment that runs the trial.
"""

import contextlib
import os
import re
import subprocess
import sysconfig
import tempfile
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests", "bench")
SECONDS = 300  #: for the tests of one guard; a mutant that hangs is killed by that
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::[^\s\[]+)", re.MULTILINE)
_RAN = re.compile(r"^.*\b\d+ (?:passed|failed|error)", re.MULTILINE)
_PASSED, _RED = 0, 1  #: exit statuses of pytest; any other says that it could not run the tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How it went. `red`: a test failed; `failed`: which, '' when none did or it hung; `ran`: not all were skipped."""

    red: bool
    failed: str
    ran: bool = True
    seconds: float
    broken: str = ""  #: the end of what pytest said when it could not run the tests


@contextlib.contextmanager
def copied() -> Iterator[Path]:
    """The root of a copy, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        root = Path(name)
        for folder in COPIED:
            copytree(ROOT / folder, root / folder, ignore=ignore_patterns("__pycache__", "results"), symlinks=True)
        (root / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
        venv.create(root / ".venv", symlinks=True)
        packages = next((root / ".venv" / "lib").glob("python*/site-packages"))
        # The packages' folder is named, not processed: the editable install in it leads to the source as it is.
        (packages / "mutant.pth").write_text(f"{root / 'src'}\n{sysconfig.get_path('purelib')}\n")
        yield root


def run(root: Path, tests: Sequence[str], *, seconds: float = SECONDS) -> Trial:
    """Run tests of a copy until the first fails."""
    argv = [str(root / ".venv/bin/python"), "-m", "pytest", "-q", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
    began = perf_counter()
    done = subprocess.Popen(
        [*argv, "--timeout", "60", *(f"tests/{test}" for test in tests)], cwd=root, env=_env(root), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        told, _ = done.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, 9)
        done.communicate()
        return Trial(red=True, failed="", seconds=perf_counter() - began)
    found = _FAILED.search(told)
    return Trial(
        red=done.returncode == _RED, failed=found[1].removeprefix("tests/") if found else "",
        ran=_RAN.search(told) is not None,
        seconds=perf_counter() - began, broken="" if done.returncode in (_PASSED, _RED) else told[-2000:],
    )  # fmt: skip


def _env(root: Path) -> dict[str, str]:
    """Nothing that leads back to the source as it is."""
    left_out = ("PYTHON", "VIRTUAL_ENV", "PYTEST_", "MEMORYD_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return kept | {"PATH": f"{root / '.venv/bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}

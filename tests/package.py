"""Build sdist -> wheel and compare with git: a file that is missing from a package fails here, not at a user's."""

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build(source: Path, folder: Path, env: Mapping[str, str] | None = None) -> tuple[Path, Path]:
    """The sdist of a checkout, and the wheel built from it, in an empty folder."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, "--sdist", str(source)], check=True, capture_output=True, env=env)
    (sdist,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(sdist) as archive:
            archive.extractall(unpacked, filter="data")
        (inside,) = Path(unpacked).iterdir()
        subprocess.run([*command, "--wheel", str(inside)], check=True, capture_output=True, env=env)
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def held(sdist: Path, wheel: Path) -> tuple[set[str], set[str]]:
    """The files of both, without the folder that an sdist begins with."""
    with tarfile.open(sdist) as archive:
        in_sdist = {member.name.partition("/")[2] for member in archive.getmembers() if not member.isdir()}
    return in_sdist, set(zipfile.ZipFile(wheel).namelist())


def wanted() -> set[str]:
    """The files of git that belong into the sdist; those of `src/` also into the wheel."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = listed.stdout.splitlines()
    doors = {path for path in tracked if (ROOT / path).is_symlink()}  # their real paths are in the packages
    return {path for path in tracked if path not in doors and not path.startswith((".ci/", ".git"))}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        in_sdist, in_wheel = held(*build(ROOT, Path(folder)))
    tracked = wanted()
    no_sdist = sorted(tracked - in_sdist)
    no_wheel = sorted(p for p in tracked if p.startswith("src/") and p.removeprefix("src/") not in in_wheel)
    for path in no_sdist:
        print(f"not in the sdist: {path}")
    for path in no_wheel:
        print(f"not in the wheel: {path}")
    missing = len(no_sdist + no_wheel)
    print(f"package: {len(tracked)} files in the sdist, {len(in_wheel)} in the wheel, {missing} missing")
    return 1 if no_sdist or no_wheel else 0


if __name__ == "__main__":
    sys.exit(main())

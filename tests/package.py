"""Build sdist -> wheel and compare with git: a file that is missing from a package fails here, not at a user's."""

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = listed.stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder]
        subprocess.run([*build, "--sdist", str(ROOT)], check=True, capture_output=True)
        (sdist,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(sdist) as archive:
            in_sdist = {name.partition("/")[2] for name in archive.getnames()}
            archive.extractall(Path(folder) / "source", filter="data")
        (source,) = (Path(folder) / "source").iterdir()
        subprocess.run([*build, "--wheel", str(source)], check=True, capture_output=True)
        (wheel,) = Path(folder).glob("*.whl")
        in_wheel = set(zipfile.ZipFile(wheel).namelist())
    doors = {path for path in tracked if (ROOT / path).is_symlink()}  # their real paths are in the packages
    wanted = {path for path in tracked if path and path not in doors and not path.startswith((".ci/", ".git"))}
    no_sdist = sorted(wanted - in_sdist)
    no_wheel = sorted(p for p in wanted if p.startswith("src/") and p.removeprefix("src/") not in in_wheel)
    for path in no_sdist:
        print(f"not in the sdist: {path}")
    for path in no_wheel:
        print(f"not in the wheel: {path}")
    missing = len(no_sdist + no_wheel)
    print(f"package: {len(wanted)} files in the sdist, {len(in_wheel)} in the wheel, {missing} missing")
    return 1 if no_sdist or no_wheel else 0


if __name__ == "__main__":
    sys.exit(main())

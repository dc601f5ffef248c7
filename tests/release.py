"""What a release is made of, in `dist/`: checked, built twice, installed and run from; nothing is uploaded.

python tests/release.py            # stops at the first thing that is wrong
python tests/release.py --trial    # says what is wrong with version, changelog, tag and tree, and goes on
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import package
from package import ROOT

DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13")  #: that the classifiers name
#: never in a release, whatever git holds
_STRAY = re.compile(
    r"(^|/)(\.env|\.venv|__pycache__|\.DS_Store|id_rsa|.*\.(pyc|db|sqlite3?|pem|key|log|orig|rej|swp))(/|$)"
)
_WHEEL_OWN = re.compile(r"^memoryd-[^/]+\.dist-info/")


class Wrong(Exception):
    """Something that no release may have."""


def main(arguments: Sequence[str]) -> int:
    trial, version = "--trial" in arguments, _version()
    try:
        for fault in (*_state(version), *_declared(), *_golden()):
            if not trial:
                raise Wrong(fault)
            print(f"a trial goes on: {fault}")
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        sdist, wheel = _built_twice()
        _contents(sdist, wheel)
        _run("twine", "check", "--strict", str(sdist), str(wheel))
        _locked()
        _installed(wheel)
    except Wrong as fault:
        print(f"no release: {fault}")
        return 1
    _sums()
    print(f"release: memoryd {version} is in {DIST.name}/; nothing was uploaded")
    return 0


def _version() -> str:
    found = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return str(found)


def _state(version: str) -> Iterator[str]:
    """Version, changelog, tag and tree agree."""
    if f'__version__ = "{version}"' not in (ROOT / "src/memoryd/__init__.py").read_text("utf-8"):
        yield f"src/memoryd/__init__.py does not say {version}, as pyproject.toml does"
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    section = re.search(rf"^## {re.escape(version)}\b.*\n(?P<text>[^#]*)", changelog, re.MULTILINE)
    if section is None or not section["text"].strip():
        yield f"CHANGELOG.md has nothing under `## {version}`"
    if re.search(r"^## Unreleased\n+[^#\n]", changelog, re.MULTILINE):
        yield "CHANGELOG.md has lines under `## Unreleased`"
    if _git("status", "--porcelain"):
        yield "the tree is not clean: commit or remove what `git status` shows"
    if _git("tag", "--points-at", "HEAD").split() != [f"v{version}"]:
        yield f"HEAD is not tagged v{version} alone"


def _declared() -> Iterator[str]:
    """What the package says of itself is what was tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    if tuple(named) != PYTHONS or project["requires-python"] != f">={PYTHONS[0]}":
        yield f"classifiers and requires-python are not those of {', '.join(PYTHONS)}"


def _golden() -> Iterator[str]:
    """What peers of other releases rely on is written down."""
    done = subprocess.run([sys.executable, "tests/golden", "--check"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        yield "golden files are not current: `make golden`"


def _built_twice() -> tuple[Path, Path]:
    """Sdist and wheel, the same bytes from two clones in two places."""
    env = {**os.environ, "SOURCE_DATE_EPOCH": _git("log", "-1", "--format=%ct")}
    digests = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            source, out = Path(folder) / "source", Path(folder) / "out"
            _git("clone", "--quiet", "--shared", str(ROOT), str(source))
            out.mkdir()
            found = package.build(source, out, env)
            digests.append([_sha256(path) for path in found])
            for path in found:
                shutil.copy(path, DIST)
    if digests[0] != digests[1]:
        raise Wrong("two builds of the same commit differ: sdist and wheel must depend on the commit alone")
    print("built twice, the same bytes")
    return DIST / found[0].name, DIST / found[1].name


def _contents(sdist: Path, wheel: Path) -> None:
    """All of git's files, and none that git does not have; nothing of the machine that built it."""
    tracked, (in_sdist, in_wheel) = package.wanted(), package.held(sdist, wheel)
    own = {path for path in in_wheel if _WHEEL_OWN.match(path)}
    known = {"PKG-INFO", *_git("ls-files").splitlines()}
    doors = tuple(f"{path}/" for path in known if (ROOT / path).is_symlink())
    more = {p for p in in_sdist - known if not p.startswith(doors)} | {
        p for p in in_wheel - own if f"src/{p}" not in known
    }
    less = (tracked - in_sdist) | {
        p for p in tracked if p.startswith("src/") and p.removeprefix("src/") not in in_wheel
    }
    stray = {path for path in in_sdist | in_wheel if _STRAY.search(path)}
    if more or less or stray:
        raise Wrong(f"files too many, missing or stray: {sorted(more)} {sorted(less)} {sorted(stray)}")
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive(sdist, folder, filter="data")
        places = [str(place).encode() for place in (ROOT, Path.home() / ".cache", Path.home() / ".local" / "share")]
        told = [p for p in Path(folder).rglob("*") if p.is_file() and any(place in p.read_bytes() for place in places)]
    if told:
        raise Wrong(f"paths of this machine stand in {', '.join(path.name for path in told)}")
    print(f"contents: {len(in_sdist)} files in the sdist, {len(in_wheel)} in the wheel")


def _locked() -> None:
    """Every dependency of the package itself, for any platform, each with its hashes."""
    options = ("--universal", "--python-version", PYTHONS[0], "--generate-hashes", "--no-header", "--no-emit-index-url")
    _run(
        "uv",
        "pip",
        "compile",
        "--quiet",
        *options,
        "--no-emit-find-links",
        "-o",
        "dist/requirements.lock",
        "pyproject.toml",
    )
    text = (DIST / "requirements.lock").read_text("utf-8")
    names = re.findall(r"^[\w.-]+==", text, re.MULTILINE)
    if len(names) > text.count("--hash=sha256:"):
        raise Wrong("a dependency in dist/requirements.lock has no hash")
    print(f"lock: {len(names)} packages")


def _installed(wheel: Path) -> None:
    """The wheel in a fresh environment, from the lock: the demo runs, and the bill of materials tells what is there."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "venv" / "bin" / "python"
        _run("uv", "venv", "--quiet", "--python", sys.executable, str(python.parents[1]))
        install = ("uv", "pip", "install", "--quiet", "--compile-bytecode", "--python", str(python))
        _run(*install, "--require-hashes", "-r", "dist/requirements.lock")
        _run(*install, "--no-deps", str(wheel))
        done = subprocess.run([python.with_name("memoryd"), "demo"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise Wrong(f"`memoryd demo` from the wheel failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        for told in Path(folder).rglob("memoryd-*.dist-info/direct_url.json"):
            told.unlink()  # where it was installed from is this machine's own
        env = {**os.environ, "SOURCE_DATE_EPOCH": _git("log", "-1", "--format=%ct")}
        out = ("--output-reproducible", "--pyproject", "pyproject.toml", "-o", "dist/sbom.cdx.json")
        _run("cyclonedx-py", "environment", *out, str(python), env=env)
    print("installed in a fresh environment, the demo ran; dist/sbom.cdx.json")


def _sums() -> None:
    files = sorted(path for path in DIST.iterdir() if path.is_file())
    (DIST / "SHA256SUMS").write_text("".join(f"{_sha256(path)}  {path.name}\n" for path in files), "utf-8")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _run(program: str, *words: str, env: dict[str, str] | None = None) -> None:
    """A tool of this environment (the extra `release`)."""
    path = Path(sys.executable).with_name(program)
    if not path.exists():
        raise Wrong(f"{program} is missing: pip install -e '.[release]'")
    done = subprocess.run([path, *words], cwd=ROOT, capture_output=True, text=True, env=env)
    if done.returncode:
        raise Wrong(f"`{program} {words[0]}` failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

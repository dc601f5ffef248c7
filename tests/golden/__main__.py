"""Write the golden files anew: what was added to methods and events, and the database of a new version.

python tests/golden             # refuses what peers of another release could not live with
python tests/golden --check     # writes nothing; exit status 1 when a file is not what is
python tests/golden --anyway    # also writes what breaks them: right only while nothing of it was released
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from golden import databases, wire

from memoryd.daemon.journal.schema import MIGRATIONS


def main(arguments: list[str]) -> int:
    anyway, check = "--anyway" in arguments, "--check" in arguments
    faults = [fault for path in _there() for fault in wire.faults(path.stem)]
    if faults and not anyway:
        print(
            *faults, "peers of another release rely on it; if none was released: python tests/golden --anyway", sep="\n"
        )
        return 1
    wanted = {wire.file_of(name): wire.text(wire.now(name)) for name in wire.names()}
    for version in range(1, len(MIGRATIONS) + 1):
        path = databases.file_of(version)
        wanted[path] = databases.made(version) if anyway or not path.exists() else path.read_text("utf-8")
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    gone = [path for path in _there() if path not in wanted]
    for path in stale:
        print(f"{'not current' if check else 'written'}: {path.name}")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], "utf-8")
    for path in gone if anyway and not check else ():
        path.unlink()
    print(f"golden: {len(wanted)} files, {len(stale)} {'not current' if check else 'written'}")
    return 1 if check and stale else 0


def _there() -> list[Path]:
    return [path for folder in ("methods", "events") for path in sorted((wire.HERE / folder).glob("*.json"))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The house stands as ARCHITECTURE.md draws it: imports go downwards, each outside thing has one door."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.daemon import lean

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "memoryd"
FLOORS = {"daemon": 4, "worker": 3, "memory": 2, "seeds": 2, "sdk": 2, "ipc": 1, "errors": 0, "clock": 0,
          "patterns": 0, "fsio": 0.5}  # fmt: skip
DOORS = ("daemon", "worker", "ipc", "memory", "seeds")
FILES = sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_downwards_or_stay_in_the_room(path: Path) -> None:
    room = room_of(path)
    for line, name in imports(path):
        parts = name.split(".")
        if parts[0] != "memoryd" or len(parts) < 2 or parts[1] not in FLOORS or parts[1] == room:
            continue
        assert room in ("__main__", "__init__") or FLOORS[parts[1]] < FLOORS[room], f"{path}:{line} imports {name}"


def test_no_import_circle() -> None:
    graph = {module(path): {m for _, name in imports(path) for m in (known(name),) if m} for path in FILES}
    seen: dict[str, int] = {}

    def visit(node: str, trail: tuple[str, ...]) -> None:
        assert node not in trail, " -> ".join([*trail[trail.index(node) :], node])
        if node not in seen:
            for below in graph[node] - {node}:
                visit(below, (*trail, node))
            seen[node] = 1

    for node in graph:
        visit(node, ())


def module(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


_MODULES = {module(path) for path in FILES}


def known(name: str) -> str | None:
    """The module that an import loads; names for type checkers alone are imported under TYPE_CHECKING."""
    return name if name in _MODULES else name.rpartition(".")[0] if name.rpartition(".")[0] in _MODULES else None


def lines_with(pattern: str, *, outside: tuple[str, ...]) -> list[str]:
    import re

    found = []
    for path in FILES:
        where = str(path.relative_to(SOURCE))
        if not where.startswith(outside):
            found += [
                f"{where}:{number}"
                for number, row in enumerate(path.read_text("utf-8").splitlines(), start=1)
                if re.search(pattern, row) and not row.lstrip().startswith(("#", '"', "'"))
            ]
    return found


def test_sql_stands_in_the_journal_of_logs_in_the_log_store_and_of_other_programs_in_imports() -> None:
    doors = ("daemon/journal/", "daemon/logstore.py", "daemon/imports/")
    assert not lines_with(r"\bsqlite3\b|\.execute\(", outside=doors)


def test_fsync_rename_and_exchange_are_called_by_fsio_and_by_the_hook_that_imports_nothing() -> None:
    assert not lines_with(r"\bos\.(fsync|fdatasync|rename|replace|link)\(", outside=("fsio.py", "ipc/hook.py"))


def test_the_server_alone_listens() -> None:
    assert not lines_with(r"\.listen\(|start_unix_server|\.bind\(", outside=("ipc/server.py",))


def test_the_sdk_is_a_client_that_no_room_knows() -> None:
    assert not lines_with(r"\bmemoryd\.sdk\b", outside=("sdk/",))


def test_who_imports_the_sdk_loads_what_a_client_needs_and_no_more() -> None:
    code = (
        "import sys, memoryd.sdk;"
        "heavy = ('typer', 'rich', 'click', 'structlog', 'tantivy', 'watchfiles', 'frontmatter', 'yaml', 'aiofiles',"
        "         'pydantic_ai', 'agents', 'openai', 'mcp', 'httpx', 'numpy');"
        "rooms = ('daemon', 'worker', 'memory', 'seeds', 'ipc.redaction', 'ipc.server', 'ipc.hosts');"
        "print([m for m in (*heavy, *(f'memoryd.{room}' for room in rooms)) if sys.modules.get(m)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("door", DOORS)
def test_each_room_has_a_door_at_the_top(door: str) -> None:
    link = ROOT / door
    assert link.is_symlink()
    assert link.readlink() == Path("src/memoryd") / door


def test_the_daemon_process_imports_no_terminal_or_model_library() -> None:
    code = (
        "import sys, memoryd.daemon.serve;"
        "heavy = ('typer', 'rich', 'click', 'textual', 'pydantic_ai', 'mcp', 'httpx', 'numpy', 'tantivy',"
        "         'kingfisher_sdk', 'cronsim', 'tomlkit', 'tarfile', 'http.client', 'urllib.request');"
        "print([m for m in heavy if sys.modules.get(m)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(not lean.OPENSSL, reason="this interpreter has no hashes of its own, so it needs OpenSSL")
def test_the_daemon_process_does_without_openssl_also_when_it_watches(tmp_path: Path) -> None:
    code = """
import sys
from memoryd.daemon.lean import OPENSSL, without

with without(*OPENSSL):
    import memoryd.daemon.serve
import asyncio
from memoryd.daemon import observing

async def watch():
    observing.PAUSE_MS = observing.STEP_MS = 10
    async for _ in observing._changes([sys.argv[1]]):
        break

asyncio.run(watch())
print([m for m in ("ssl", "_ssl", "_hashlib", "anyio._backends._asyncio") if m in sys.modules])
import hashlib, ssl
print(hashlib.sha256(b"").hexdigest()[:8], ssl.OPENSSL_VERSION_INFO > (1,))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "e3b0c442 True"]


def test_modules_are_imported_without_a_look_for_garbage_and_never_looked_at_again() -> None:
    code = """
import gc
from memoryd.daemon.lean import uncollected

with uncollected():
    looking = gc.isenabled()
    import memoryd.daemon.serve
print(looking, gc.isenabled(), gc.get_freeze_count() > 10 * len(gc.get_objects()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True"]


def test_the_daemon_process_looks_for_packages_only_when_it_is_asked_to() -> None:
    code = """
import sys
from memoryd.daemon.lean import without_plugins

with without_plugins():
    import memoryd.daemon.serve
print([m for m in ("importlib.metadata", "csv", "email.message") if m in sys.modules])
from importlib.metadata import version
print(version("pydantic")[:2], len(memoryd.memory.guests.known_names()) > 3)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "2. True"]

"""`memoryd demo`: a recorded session through the real hook into a temporary daemon; asserts and shows the memory.

Everything is real but the person: the generated hook script, a daemon in a process of its own, the socket, the
journal, the rules agent. The recording and what is expected of it were made before the rules (README.md).
"""

import json
import os
import random
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.tree import Tree

from memoryd.clock import mono
from memoryd.errors import InternalError, MemorydError
from memoryd.ipc import hookscript
from memoryd.ipc.client import Client
from memoryd.ipc.places import Places

HERE = Path(__file__).parent
READY_SECONDS = 20.0
SETTLE_SECONDS = 60.0
SEED = "lantern-1"  #: of the made-up secret

console = Console(highlight=False)


@dataclass(slots=True)
class Checks:
    """What was expected, and whether it came."""

    rows: list[tuple[str, bool]] = field(default_factory=list)

    def expect(self, what: str, holds: bool) -> None:
        self.rows.append((what, holds))

    @property
    def failed(self) -> int:
        return sum(not holds for _, holds in self.rows)


def main() -> int:
    """Replay the session; returns 0 when every expectation holds."""
    script = read_script()
    folder = Path(tempfile.mkdtemp(prefix="memoryd-demo-"))
    checks = Checks()
    try:
        with Stage(folder) as stage:
            console.rule("[bold]memoryd demo[/bold]: a recorded Claude Code session, 12 turns, English and Chinese")
            replay(stage, script, checks)
            _check_memory(stage, script, checks)
            _check_reasons(stage, checks)
            _check_recall(stage, checks)
            _show(stage)
        checks.expect("nothing is left running", stage.gone)
        checks.expect("the secret is in no file", not _holds(folder, stage.secret))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return _verdict(checks)


def read_script() -> dict[str, Any]:
    """The talk, and what is expected of it."""
    return tomllib.loads((HERE / "script.toml").read_text("utf-8"))


class Stage:
    """A home, a project, a hook script and a daemon, all temporary."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "lantern"
        self.secret = "gh" + "p_" + "".join(random.Random(SEED).choices(string.ascii_letters + string.digits, k=36))
        self.places = Places(
            data=folder / "data" / "memoryd",
            socket=folder / "run" / "s",
            config=self.home / ".config/memoryd/config.toml",
        )
        self.hook = self.places.data / "bin" / "memoryd-hook"
        self.gone = False
        self.replies: list[tuple[str, str]] = []
        self._daemon: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Stage":
        self.home.mkdir(parents=True)
        self.project.mkdir()
        hookscript.write(self.hook, hookscript.generate(self.places, Path(sys.executable)))
        with (self.home / "daemon.log").open("wb") as log:
            self._daemon = subprocess.Popen(
                [sys.executable, "-m", "memoryd", "serve"],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self._await_ready()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._daemon is not None
        self._daemon.send_signal(signal.SIGTERM)
        try:
            self._daemon.wait(timeout=READY_SECONDS)
        except subprocess.TimeoutExpired:
            self._daemon.kill()
            self._daemon.wait()
        self.gone = self._daemon.returncode == 0 and not _alive(self._daemon.pid)

    def call(self, method: str, **params: Any) -> Any:
        with Client(self.places.socket) as client:
            return client.call(method, params, timeout=30)

    def why(self, name: str, line: int) -> list[Any]:
        """The turns that a line of memory came from."""
        found = self.call("memory.why", name=name, line=line, cwd=str(self.project))
        return [item for item in found.items if item.seq]

    def fire(self, firing: Mapping[str, Any]) -> str:
        """Run the hook script as the host does; returns what the host would inject."""
        done = subprocess.run(
            [str(self.hook), "claude-code", firing["event"]],
            input=json.dumps(firing["stdin"], ensure_ascii=False).encode() + b"\n",
            env={"PATH": os.defpath, **firing["env"]},
            cwd=self.project,
            capture_output=True,
            timeout=30,
            check=True,
        )
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""

    def fill(self, text: str) -> str:
        """Put the real paths and the secret in place of the recording's placeholders, escaped for JSON."""
        for name, value in (("home", str(self.home)), ("project", str(self.project)), ("secret", self.secret)):
            text = text.replace("{{" + name + "}}", json.dumps(value)[1:-1])
        return text

    def _environment(self) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("MEMORYD_", "XDG_", "NOTIFY_"))
        }
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        return {
            **kept,
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.places.data.parent),
            "MEMORYD_SOCKET": str(self.places.socket),
        }

    def _await_ready(self) -> None:
        deadline = mono() + READY_SECONDS
        while mono() < deadline:
            try:
                self.call("daemon.health")
            except MemorydError:
                time.sleep(0.02)
            else:
                return
        raise InternalError(f"the demo's daemon did not start:\n{(self.home / 'daemon.log').read_text('utf-8')}")


def replay(stage: Stage, script: Mapping[str, Any], checks: Checks) -> None:
    """Fire the recorded hooks one by one and wait until all is consolidated."""
    lines = stage.fill((HERE / "transcript.jsonl").read_text("utf-8")).splitlines(keepends=True)
    counts: list[int] = []
    prompts = iter(script["turn"])
    for firing in _firings(stage):
        _grow(Path(firing["stdin"]["transcript_path"]), lines, firing["transcript_lines"])
        context = stage.fire(firing)
        if context:
            stage.replies.append((firing["event"], context))
        if firing["event"] == "UserPromptSubmit":
            turn = next(prompts)
            checks.expect(f"turn {turn['n']} is the script's", firing["stdin"]["prompt"] == stage.fill(turn["prompt"]))
        if firing["event"] == "Stop":
            session = stage.call("session.get", host="claude-code", session_id=firing["stdin"]["session_id"])
            counts.append(session.turn_count)
            console.print(f"  [dim]turn {session.turn_count:>2}[/dim]  {_short(turn['prompt'])}")
        if firing["event"] == "PreCompact":
            console.print("           [dim]/compact[/dim]")
    checks.expect("each turn counts once", counts == script["expect"]["turn_counts"])
    _await_idle(stage)


def _firings(stage: Stage) -> Iterator[dict[str, Any]]:
    for row in (HERE / "hooks.jsonl").read_text("utf-8").splitlines():
        yield json.loads(stage.fill(row))


def _grow(path: Path, lines: list[str], count: int) -> None:
    """Append to the transcript what the host had written by then."""
    if count:
        path.parent.mkdir(parents=True, exist_ok=True)
        have = path.read_text("utf-8").count("\n") if path.exists() else 0
        with path.open("a", encoding="utf-8") as file:
            file.writelines(lines[have:count])


def _await_idle(stage: Stage) -> None:
    """The session has ended: its final pass is due by itself; wait until it is done."""
    deadline = mono() + SETTLE_SECONDS
    while mono() < deadline:
        stats = stage.call("worker.stats")
        if not stats.queued and not stats.running:
            return
        time.sleep(0.05)
    raise InternalError("consolidation did not finish; see `memoryd stats`")


_FAMILIES = {
    "identity": "identity.md",
    "user": "user.md",
    "preferences": "preferences.md",
    "constraints": "constraints.md",
}


def _check_memory(stage: Stage, script: Mapping[str, Any], checks: Checks) -> None:
    files = _active_files(stage)
    for item in script["expect"]["keep"]:
        name = _FAMILIES.get(item["in"])
        held = [text for path, text in files.items() if (path.endswith(name) if name else "/knowledge/" in path)]
        checks.expect(f"{item['in']} holds {item['text']}", any(item["text"] in text for text in held))
    for text in script["expect"]["absent"]:
        filled = stage.fill(text)
        shown = "the secret" if filled == stage.secret else text
        checks.expect(f"nothing holds {shown}", not any(filled in held for held in files.values()))


def _active_files(stage: Stage) -> dict[str, str]:
    """Text of every memory file that is not historical, by path below the data directory."""
    found = {}
    for path in sorted(stage.places.data.rglob("memory/**/*.md")):
        text = path.read_text("utf-8")
        if "\nstatus: historical\n" not in text and path.name != "SKILL.md":
            found[str(path.relative_to(stage.places.data))] = text
    return found


def _check_reasons(stage: Stage, checks: Checks) -> None:
    """Each line of memory must be able to say which turn it came from."""
    bare = [line for name, line in active_lines(stage) if not stage.why(name, line)]
    checks.expect("each line of memory names the turn it came from", not bare)


def active_lines(stage: Stage) -> list[tuple[str, int]]:
    """Every line that says something in a file that is not historical: (`<scope>/<path>`, number from 1)."""
    found = []
    for place, text in _active_files(stage).items():
        scope, _, path = place.partition("/memory/")
        in_head = text.startswith("---\n")
        for number, row in enumerate(text.splitlines(), start=1):
            if not in_head and row.strip() and not row.startswith(("#", "<!--")):
                found.append((f"{scope.partition('/')[0].removesuffix('s')}/{path}", number))
            in_head = in_head and not (row == "---" and number > 1)
    return found


def _check_recall(stage: Stage, checks: Checks) -> None:
    text = stage.call("recall.snapshot", cwd=str(stage.project)).text
    for wanted in ("张三", "Rust", "Hetzner", "make lint"):
        checks.expect(f"a new session is told {wanted}", wanted in text)
    checks.expect("a snapshot fits the host", len(text) <= 9500)
    compacted = [context for event, context in stage.replies if event == "SessionStart"][1:]
    checks.expect("after /compact the session got its memory back", bool(compacted) and "张三" in compacted[0])


def _show(stage: Stage) -> None:
    tree = Tree("[bold]memory[/bold]")
    branches: dict[Path, Tree] = {}
    for path in sorted(stage.places.data.rglob("memory/**/*.md")):
        folder = path.parent.relative_to(stage.places.data)
        branches.setdefault(folder, tree.add(str(folder)) if folder not in branches else branches[folder]).add(
            path.name
        )
    console.print(tree)
    for name in _FAMILIES.values():
        for place, text in _active_files(stage).items():
            if place.endswith(name) and "\n- " in text:
                console.print(Panel(Syntax(text.strip(), "markdown", word_wrap=True), title=place, title_align="left"))
    _show_tables(stage)
    snapshot = stage.call("recall.snapshot", cwd=str(stage.project))
    console.print(Panel(snapshot.text, title="what a new session is told", title_align="left"), markup=False)


def _show_tables(stage: Stage) -> None:
    stats = stage.call("worker.stats")
    table = Table(title="stats", title_justify="left")
    for name in ("total_completed", "total_failed", "queued", "coalesced_dropped", "total_no_change", "total_rejected"):
        table.add_column(name)
    table.add_row(*(str(getattr(stats, str(column.header))) for column in table.columns))
    console.print(table)
    log = Table(title="log", title_justify="left")
    for heading in ("run", "outcome", "ms", "files"):
        log.add_column(heading)
    for run in stage.call("memory.log").items:
        log.add_row(run.run[:8], run.outcome, str(run.duration_ms), "\n".join(run.files))
    console.print(log)


def _verdict(checks: Checks) -> int:
    for what, holds in checks.rows:
        console.print(f"  {'[green]✓[/green]' if holds else '[red]✗[/red]'} {what}", highlight=False)
    console.print(f"\n{len(checks.rows) - checks.failed} passed, {checks.failed} failed", highlight=False)
    return 1 if checks.failed else 0


def _holds(folder: Path, secret: str) -> bool:
    """Whether any file of the demo's data holds the secret; the host's own transcript of course does."""
    return any(secret.encode() in path.read_bytes() for path in (folder / "data").rglob("*") if path.is_file())


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else f"{line[:89]}…"

"""`.memoryd/ignore`: what a repository does not want remembered, in the syntax of .gitignore.

It comes with the repository, so it can only make memoryd record less: a session whose working directory it covers is
not recorded, and of a tool's use of a file that it covers neither the name nor the text is kept.
"""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd import fsio
from memoryd.clock import mono
from memoryd.daemon.projects import real_path
from memoryd.ipc.events import Event, Message, ToolUse, ToolUseData

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILE = Path(".memoryd/ignore")
MAX_BYTES, MAX_PATTERNS = 64 * 1024, 500
MAX_STARS = 2  #: in one name, and `**` in one pattern: more make a match as slow as a hostile repository likes
LOOK_SECONDS = 5.0  #: for so long a working directory's rules are taken as they were
_MAX_LEVELS, _MAX_REMEMBERED = 64, 1000
_WORD = re.compile(r'"([^"\s\\]+)"')  #: a value without blanks in the JSON of a tool's input


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One ignore file. Paths are absolute."""

    base: Path  #: the folder that holds `.memoryd`
    spec: "GitIgnoreSpec"
    problems: tuple[str, ...] = ()  #: patterns that do not hold, each as a clause for people

    def covers(self, path: str, *, folder: bool = False) -> bool:
        """Whether a pattern matches a path below the base, or a folder above it."""
        try:
            below = Path(os.path.normpath(path)).relative_to(self.base)
        except ValueError:
            return False
        return below.parts != () and self.spec.match_file(f"{below.as_posix()}{'/' if folder else ''}")


@dataclass(frozen=True, slots=True)
class _Seen:
    at_mono: float
    rules: Rules | None
    covered: bool  #: the working directory itself


@dataclass(slots=True)
class Ignores:
    """The rules of working directories, kept for some seconds. `look` blocks, and so does `without` where rules are."""

    _seen: dict[str | None, _Seen] = field(default_factory=dict)

    def fresh(self, cwd: str | None) -> bool:
        """Whether no look at the disk is due."""
        return cwd is None or (cwd in self._seen and mono() - self._seen[cwd].at_mono < LOOK_SECONDS)

    def knows(self, cwd: str | None) -> bool:
        """Whether the disk ever said what holds there."""
        return cwd is None or cwd in self._seen

    def look(self, cwd: str | None) -> None:
        """Read what holds for a working directory."""
        if cwd is None or self.fresh(cwd):
            return
        if len(self._seen) > _MAX_REMEMBERED:
            self._seen.clear()
        rules = find(cwd)
        covered = rules is not None and rules.covers(real_path(cwd), folder=True)
        self._seen[cwd] = _Seen(mono(), rules, covered)

    def of(self, cwd: str | None) -> Rules | None:
        """As last looked at."""
        return self._seen[cwd].rules if cwd in self._seen else None

    def covers(self, cwd: str | None) -> bool:
        """Whether what happens in a working directory is not recorded, as last looked at."""
        return cwd in self._seen and self._seen[cwd].covered

    def without(self, events: Sequence[Event]) -> list[Event]:
        """Return the events without the names and the text of covered files.

        A tool's result is the message right after its use.
        """
        for cwd in {event.cwd for event in events}:
            self.look(cwd)
        return self._without(events, self._hides)

    def without_any(self, events: Sequence[Event]) -> list[Event]:
        """The same without a look at the disk: where there are rules, what any tool used may be covered."""
        return self._without(events, lambda event: self.of(event.cwd) is not None)

    def _without(self, events: Sequence[Event], hides: Callable[[ToolUse], bool]) -> list[Event]:
        kept: list[Event] = []
        hidden = False
        for event in events:
            if isinstance(event, ToolUse):
                hidden = hides(event)
                kept.append(_hidden(event) if hidden else event)
            elif not (hidden and isinstance(event, Message) and event.data.role == "tool"):
                kept.append(event)
                hidden = False
        return kept

    def _hides(self, event: ToolUse) -> bool:
        rules = self.of(event.cwd)
        if rules is None:
            return False
        return any(
            rules.covers(path, folder=folder) or rules.covers(real_path(path), folder=folder)
            for path in _named(event)
            for folder in (False, True)
        )


def find(cwd: str) -> Rules | None:
    """Return the rules of the repository around a working directory, its own or the nearest above. Blocking."""
    start = Path(real_path(cwd))
    for folder in [start, *start.parents][:_MAX_LEVELS]:
        text = _text(folder / FILE)
        if text is not None:
            return _parsed(folder, text)
        if os.path.exists(folder / ".git"):
            return None
    return None


def _text(path: Path) -> str | None:
    """A plain file's beginning; what is none is no ignore file."""
    try:
        fd = fsio.open_regular(path)
    except (OSError, ValueError):
        return None
    try:
        return os.read(fd, MAX_BYTES).decode("utf-8", "replace")
    finally:
        os.close(fd)


def _parsed(base: Path, text: str) -> Rules:
    from pathspec import GitIgnoreSpec  # 2 MB: only where a repository has such a file

    patterns, problems = list[str](), list[str]()
    lines = text.splitlines()
    for number, line in enumerate(lines[:MAX_PATTERNS], start=1):
        if problem := _problem(line):
            problems.append(f"line {number} of {base / FILE}: {problem}")
        else:
            patterns.append(line)
    if len(lines) > MAX_PATTERNS or len(text.encode()) >= MAX_BYTES:
        problems.append(
            f"{base / FILE} is longer than {MAX_PATTERNS} lines or {MAX_BYTES} bytes; the rest does not hold"
        )
    return Rules(base=base, spec=GitIgnoreSpec.from_lines(patterns), problems=tuple(problems))


def _problem(line: str) -> str | None:
    from pathspec import GitIgnoreSpec

    if not line.strip() or line.startswith("#"):
        return None
    names = line.split("/")
    if names.count("**") > MAX_STARS or any(len(re.findall(r"\*+", name)) > MAX_STARS for name in names):
        return f"{line[:80]!r} has more than {MAX_STARS} stars in one name; write it with fewer"
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError as error:
        return f"{error}"
    return None


def _named(event: ToolUse) -> set[str]:
    """The files that a tool touched, and every value of its input that may be a path: a search in a folder, a tool of
    an MCP server."""
    found = {*(touched.path for touched in event.data.files), *_WORD.findall(event.data.summary)}
    return {os.path.join(event.cwd or "/", path) for path in found if "\0" not in path}


def _hidden(event: ToolUse) -> ToolUse:
    """Of its fields those that memoryd knows: another one may hold what was read."""
    data = event.data
    shown = ToolUseData(name=data.name, summary="[ignored]", ok=data.ok, duration_ms=data.duration_ms)
    return event.model_copy(update={"data": shown})

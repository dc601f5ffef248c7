"""A piece of work: one turn with its tool calls, reduced to what can be compared with others of its kind. Pure.

Of a tool call stays a *step*: what was done to which kind of file, or which program ran. Of a failure stays its kind:
the step and the words of its error without numbers, paths and names. Neither can give an order.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from memoryd.memory.corrected import Correction
from memoryd.memory.scan import hidden, threats
from memoryd.memory.text import cut, fold
from memoryd.memory.wording import is_loaded
from memoryd.memory.words import content_words
from memoryd.patterns import lazy

SOME_CALLS, SOME_SECONDS = 3, 60.0  #: from here on a piece of work is worth a look back
MAX_STEPS = 12  #: different ones, the first
MAX_PAIRS = 12  #: of an edit and what ran after it
ERROR_CHARS = 160
MIN_TELLING_WORDS = 2  #: that an error has beside "failed" and the like
_SHELL_NAMES = """
    bash shell run_shell_command exec_command local_shell shell_command terminal run_terminal_cmd exec"""
_SHELLS = frozenset(_SHELL_NAMES.split())
_LOOK_NAMES = """
    read grep glob ls list_directory read_file search_file_content todowrite todo_write update_plan write_todos
    webfetch websearch toolsearch"""
_LOOKS = frozenset(_LOOK_NAMES.split())
#: programs that look, too: what they are called with is not kept
_LOOKING_NAMES = """
    ls cat head tail less grep rg ag find fd tree pwd wc which file stat du df ps env date echo printenv jq diff
    whoami uname"""
_LOOKING_PROGRAMS = frozenset(_LOOKING_NAMES.split())
_LOOKING_COMMANDS = frozenset(
    ["git status", "git log", "git diff", "git show", "git branch", "git blame", "gh pr", "npm ls"]
)
_COMMAND = lazy(r'"(?:command|cmd)"\s*:\s*(?:\[\s*(?:"[^"]*sh"\s*,\s*"-l?c"\s*,\s*)?)?"((?:[^"\\]|\\.)*)')
_BEFORE_PROGRAM = lazy(
    r"\s*(?:cd\s+\S+\s*(?:&&|;)|\w+=\S*\s|sudo\s|nice\s|time\s|env\s|(?:timeout|gtimeout)\s+\S+\s|set\s+-\w+\s*(?:&&|;))"
)
_PROGRAM = lazy(r"\s*(?:\S*/)?([A-Za-z][A-Za-z0-9_.+-]{0,30})(?=[\s;&|]|\Z)(?:\s+([a-z][a-z0-9:_-]{1,20})(?=\s|\Z))?")
_MANY_NAMES = """
    git gh npm pnpm yarn npx bun make just cargo go docker podman uv pip pip3 poetry kubectl terraform helm mvn
    gradle rake bundle dotnet systemctl apt brew memoryd alembic python python3"""
_WITH_SUBCOMMAND = frozenset(_MANY_NAMES.split())
_NO_NAME = lazy(r"[^\w.:-]")
_TELLS = lazy(
    r"error|exception|fail|fatal|denied|not found|no such|cannot|can't|unable|undefined|refused|timed? ?out|panic"
    r"|错误|失败|异常|找不到|无法|拒绝|超时", re.IGNORECASE,
)  # fmt: skip
_SAYS_NOTHING = content_words(
    "error errors failed failure fail failing passed tests test exit exited code command status with in process"
    " returned non-zero skipped warnings seconds ‹n› ‹path› ‹name› n path name 错误 失败"
)
_BY_PERSON = lazy(r"user (?:doesn't|does not) want|rejected by the user|interrupted by (?:the )?user", re.I)
_VARIES = lazy(
    r"""(?P<quoted>'[^'\n]*'|"[^"\n]*"|`[^`\n]*`|“[^”\n]*”)|(?P<path>[~.]?(?:/[\w.@+-]+)+|[A-Za-z]:\\\S+|\b[\w-]+\.\w{1,5}\b)"""
    r"|\b0x[0-9a-f]+\b|\b[0-9a-f]{7,}\b|\d+(?:[.,:]\d+)*", re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed call: its kind is `step` and `kind`; `error` is the line that tells it, '' when none may be shown."""

    step: str
    kind: str  #: the error without what varies
    error: str

    @property
    def telling(self) -> bool:
        """Whether it says more than that something failed."""
        return len(content_words(self.kind.replace("‹", " ‹")) - _SAYS_NOTHING) >= MIN_TELLING_WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One turn."""

    seq: int  #: of the prompt that it began with
    cites: tuple[int, ...]  #: the events that it rests on
    session: str  #: `host/session_id`
    at: datetime  #: of the prompt
    task: str  #: the prompt's first line, cut
    ok: bool
    calls: int
    seconds: float
    steps: tuple[str, ...] = ()  #: each once, in the order in which they first came
    failures: tuple[Failure, ...] = ()
    told: tuple[tuple[str, tuple[str, ...]], ...] = ()  #: procedures in the user's words: what for, steps
    then: tuple[tuple[str, str], ...] = ()  #: an edit, and what ran after the last one of its kind
    corrected: tuple[Correction, ...] = ()  #: what its prompt corrects
    interrupted: bool = False  #: it shows nothing but what its prompt says
    place: str = ""  #: the memory directory

    @property
    def of_size(self) -> bool:
        return self.calls >= SOME_CALLS or self.seconds >= SOME_SECONDS

    @property
    def acts(self) -> tuple[str, ...]:
        """The steps that change or run something."""
        return tuple(step for step in self.steps if not looks(step))


def step_of(name: str, summary: str, files: Sequence[Mapping[str, Any]]) -> str:
    """Return what a call did, in a few words of our own: `edit py`, `run git commit`, `use WebFetch`."""
    if name.casefold() in _SHELLS:
        return f"run {_program(summary)}"
    if files:
        action = {"read": "read", "delete": "delete"}.get(str(files[-1].get("action", "read")), "edit")
        return f"{action} {_kind(str(files[-1].get('path', '')))}"
    return f"use {_NO_NAME.sub('', name)[:40] or 'a tool'}"


def looks(step: str) -> bool:
    """Whether a step only looks at something."""
    verb, _, rest = step.partition(" ")
    if verb == "run":
        return rest in _LOOKING_PROGRAMS or rest in _LOOKING_COMMANDS
    return verb == "read" or (verb == "use" and rest.casefold() in _LOOKS)


def once(steps: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(steps))[:MAX_STEPS]


def followed(steps: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return each kind of edit with what ran after its last one; `steps` are a turn's calls in their order."""
    last = {step: n for n, step in enumerate(steps) if step.startswith("edit ")}
    pairs = [
        (edit, step) for edit, at in last.items() for step in steps[at:] if step.startswith("run ") and not looks(step)
    ]
    return tuple(dict.fromkeys(pairs))[:MAX_PAIRS]


def failure_of(step: str, result: str) -> Failure | None:
    """Return what went wrong by what a tool gave back; None when a person stopped it.

    A line that shows signs of an attack, or gives orders, is not kept: a tool's text is never an instruction.
    """
    if _BY_PERSON.search(result):
        return None
    rows = [" ".join(row.split()) for row in result.splitlines() if row.strip()]
    line = next((row for row in reversed(rows) if _TELLS.search(row)), rows[0] if rows else "")
    if threats(line) or hidden(line) or is_loaded(line):
        line = ""
    return Failure(step=step, kind=fold(_VARIES.sub(_mark, line))[:ERROR_CHARS], error=cut(line, ERROR_CHARS))


def _mark(found: re.Match[str]) -> str:
    return "‹name›" if found["quoted"] else "‹path›" if found["path"] else "‹n›"


def _program(summary: str) -> str:
    """The program of a shell call, with its subcommand where the program is many."""
    found = _COMMAND.search(summary)
    command = (found[1] if found else summary).replace("\\n", " ").replace('\\"', '"')
    while before := _BEFORE_PROGRAM.match(command):
        command = command[before.end() :]
    program = _PROGRAM.match(command)
    if program is None:
        return "a command"
    many = program[1] in _WITH_SUBCOMMAND and program[2]
    return f"{program[1]} {program[2]}" if many else program[1]


def _kind(path: str) -> str:
    """The kind of a file: its suffix, else its name."""
    pure = PurePosixPath(path.replace("\\", "/"))
    return _NO_NAME.sub("", pure.suffix.removeprefix(".") or pure.name)[:30] or "file"

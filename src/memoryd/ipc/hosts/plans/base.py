"""What `install` puts into a host's configuration, as a value: a host says what it wants, `daemon.install` does it."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from memoryd.ipc.places import Places

HOOK_SCRIPT = "memoryd-hook"  #: the names by which our entries are known again, wherever the scripts lie
MCP_SCRIPT = "memoryd-mcp"
SERVER = "memoryd"  #: the name of our MCP server in a host

Syntax = Literal["json", "toml", "yaml"]
JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One value of ours in a settings file."""

    at: tuple[str, ...]  #: keys from the root
    value: Any
    listed: bool = False  #: an item more in the list that stands there, the last one; else the member itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A settings file of the host, and what it shall hold of ours. JSON may have comments and trailing commas."""

    path: Path
    entries: tuple[Entry, ...]
    syntax: Syntax = "json"
    skeleton: JsonObject = field(default_factory=dict)  #: what the host wants besides in a file that we begin
    off: Mapping[tuple[str, ...], bool] = field(default_factory=dict)  #: values with which the host runs no hook


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile:
    """A whole file of ours in a folder of the host."""

    path: Path
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """A host that runs nothing before the person has agreed."""

    given: Callable[[], bool | None]  #: by the host's files; None: they do not tell for the hooks as they stand now
    how: str  #: what the person does, as the end of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPlan:
    """Everything that `install` wants in one host, for one user or one project."""

    program: str  #: the host's program, looked for on PATH
    folder: Path  #: the host's own folder; where it stands, the host is on this machine
    settings: tuple[Settings, ...]  #: the first one holds the hooks, where there are any
    files: tuple[OwnFile, ...] = ()
    skills: Path | None = None  #: the folder in which the host looks for Agent Skills
    consent: Consent | None = None
    notes: tuple[str, ...] = ()  #: what the person still has to know or do


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where and with what one host is to be connected. All paths are absolute."""

    host: str
    events: Sequence[str]  #: the host's hook events that are to call us
    home: Path
    env: Mapping[str, str]
    project: Path | None  #: the root of the one project; None: everything of this user
    script: Path  #: the hook script; its path stays over releases, its content is renewed
    mcp: Path | None  #: the script that serves MCP, the same; None: no server is wanted
    places: Places  #: for a plugin that speaks to the daemon itself

    def command(self, event: str) -> str:
        """The command line of a hook, for sh: the same in every release, because hosts ask again when it changes."""
        return f"{shlex.quote(str(self.script))} {self.host} {event}"

    def folder(self, variable: str, default: str) -> Path:
        """The host's folder: the project's, else the one that a variable names, else below the home directory."""
        if self.project is not None:
            return self.project / default
        return Path(self.env.get(variable) or self.home / default).absolute()

    def groups(
        self, handler: Callable[[str], JsonObject], matchers: Mapping[str, str] | None = None
    ) -> tuple[Entry, ...]:
        """Hooks as Claude Code has them, `{EVENT: [{"matcher"?, "hooks": [HANDLER]}]}`: one group of ours an event."""
        known = matchers or {}
        return tuple(
            Entry(
                at=("hooks", event),
                value={**({"matcher": known[event]} if event in known else {}), "hooks": [handler(event)]},
                listed=True,
            )
            for event in self.events
        )

    def handlers(self, handler: Callable[[str], JsonObject]) -> tuple[Entry, ...]:
        """Hooks without groups, `{EVENT: [HANDLER]}`."""
        return tuple(Entry(at=("hooks", event), value=handler(event), listed=True) for event in self.events)

    def server(self, under: str = "mcpServers", **more: Any) -> tuple[Entry, ...]:
        """Our MCP server as most hosts write it; nothing where none is wanted."""
        if self.mcp is None:
            return ()
        return (Entry(at=(under, SERVER), value={**more, "command": str(self.mcp), "args": []}),)

"""`[provider]`: the server, and which of its tools is called when, with what (docs/provider.md)."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,127}$"

Kind = Literal[
    "block", "prefetch", "turn_start", "sync", "session_switch", "session_end", "pre_compact", "memory_written",
    "delegation",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)

_ABOUT = ("id", "session", "project", "time")
#: the values that the arguments of each call may name
VALUES: Mapping[Kind, tuple[str, ...]] = {
    "block": ("project",),
    "prefetch": ("query", "word", "project"),
    "turn_start": (*_ABOUT, "user"),
    "sync": (*_ABOUT, "user", "assistant", "status"),
    "session_switch": (*_ABOUT, "parent", "source"),
    "session_end": (*_ABOUT, "reason"),
    "pre_compact": (*_ABOUT, "trigger"),
    "memory_written": ("name", "text", "project", "time"),
    "delegation": (*_ABOUT, "agent", "report"),
}
_VALUE = re.compile(r"\{([a-z_]+)\}")  #: the place of a value in a string of arguments


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Section):
    """A tool of the server, and what it is called with: JSON whose strings may hold `{name}` of a value."""

    tool: str = Field(default="", max_length=200)  #: '': it is not called
    arguments: Mapping[str, Any] = Field(default_factory=dict)

    def filled(self, values: Mapping[str, str]) -> dict[str, Any]:
        """The arguments with the values in their places; a value that is not known there reads ''."""
        filled: dict[str, Any] = mapped(
            self.arguments, lambda text: _VALUE.sub(lambda place: values.get(place[1], ""), text)
        )
        return filled

    @property
    def names(self) -> frozenset[str]:
        """The values that the arguments name."""
        return frozenset(name for text in strings(self.arguments) for name in _VALUE.findall(text))


class Provider(_Section):
    """One external memory server that speaks MCP on stdio."""

    command: tuple[str, ...] = ()  #: argv; none: no provider
    env: Mapping[str, str] = Field(default_factory=dict)  #: no keys: these are passed on by their names
    #: names of the daemon's variables that it gets beside PATH, HOME and what tells the language
    pass_env: tuple[Annotated[str, Field(pattern=_NAME)], ...] = ()
    tools: tuple[str, ...] = ()  #: that agents may call; `*`: all
    block: ToolCall = ToolCall()
    prefetch: ToolCall = ToolCall()
    turn_start: ToolCall = ToolCall()
    sync: ToolCall = ToolCall()
    session_switch: ToolCall = ToolCall()
    session_end: ToolCall = ToolCall()
    pre_compact: ToolCall = ToolCall()
    memory_written: ToolCall = ToolCall()
    delegation: ToolCall = ToolCall()

    def call(self, kind: Kind) -> ToolCall | None:
        """What is called then, None for nothing."""
        call: ToolCall = getattr(self, kind)
        return call if self.command and call.tool else None

    @property
    def calls(self) -> Mapping[Kind, ToolCall]:
        return {kind: call for kind in KINDS if (call := self.call(kind))}

    @field_validator("env")
    @classmethod
    def _keyless(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        if value:
            from memoryd.ipc.redaction import redact  # its rules are many, and most configurations have no provider

            for name, text in value.items():
                if not re.match(_NAME, name) or redact(shown := f"{name}={text}") != shown:
                    raise ValueError("holds a key, or a name that is none; name the variable of a key in pass_env")
        return value

    @model_validator(mode="after")
    def _known(self) -> Self:
        for kind, known in VALUES.items():
            if unknown := sorted(getattr(self, kind).names - set(known)):
                told = ", ".join(f"{{{one}}}" for one in known)
                raise ValueError(f"{kind} knows no {{{unknown[0]}}}; it knows {told}")
        return self


def strings(value: Any) -> Iterator[str]:
    """The strings of a JSON value, keys aside."""
    match value:
        case str():
            yield value
        case Mapping():
            for part in value.values():
                yield from strings(part)
        case list() | tuple():
            for part in value:
                yield from strings(part)


def mapped(value: Any, put: Callable[[str], str]) -> Any:
    """The same JSON value with other strings; keys stay."""
    match value:
        case str():
            return put(value)
        case Mapping():
            return {key: mapped(part, put) for key, part in value.items()}
        case list() | tuple():
            return [mapped(part, put) for part in value]
    return value

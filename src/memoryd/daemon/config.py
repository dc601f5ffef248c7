"""Configuration: `config.toml`, each key also as `MEMORYD_<SECTION>__<KEY>`; an unknown key is an error.

The table of keys is part of the contract (docs/operations.md, "Configuration").
"""

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from memoryd.daemon.provider.settings import Provider
from memoryd.errors import ConfigError
from memoryd.ipc import faults
from memoryd.ipc import places as placing
from memoryd.ipc.methods.agent import AgentKind
from memoryd.ipc.places import Places

SCHEDULE = "0 3 * * *"  #: of dreaming, by default
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def _address(url: str) -> str:
    """:raises ValueError: it is none of a server; it is not quoted, for a password may stand in it"""
    if url and not _is_address(url):
        raise ValueError("is no address of a server; it looks like http://127.0.0.1:11434/v1, with http or https")
    return url


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and _plain(url)
    except ValueError:  # a port that is none
        return False


def _plain(url: str) -> bool:
    return not re.search(r"[\s\x00-\x1f\x7f]", url)


def _variable(name: str) -> str:
    """:raises ValueError: it is no name of a variable, perhaps the key itself, so it is not quoted"""
    if name and (not _VARIABLE.fullmatch(name) or _looks_like_a_key(name)):
        raise ValueError("is no name of a variable (letters, digits and _), such as OPENAI_API_KEY; never the key")
    return name


def _looks_like_a_key(name: str) -> bool:
    from memoryd.ipc.redaction import redact  # its rules are many, and most configurations name no key

    return redact(name) != name


def _place(path: str) -> str:
    """:raises ValueError: it is relative: hooks and daemon, which stand in other folders, would mean other places"""
    whole = os.path.expanduser(path)
    if path and not os.path.isabs(whole):
        raise ValueError("is no absolute path; write all of it, or begin it with ~/")
    return whole


Address = Annotated[str, AfterValidator(_address)]
Variable = Annotated[str, AfterValidator(_variable)]
Place = Annotated[str, AfterValidator(_place)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Daemon(_Section):
    enabled: bool = True
    autostart: bool = False  #: a hook that finds no daemon starts one
    socket: Place | None = None
    data_dir: Place | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["console", "json"] = "console"


class Consolidation(_Section):
    interval_turns: int = Field(default=3, ge=1, le=1000)
    min_interval_seconds: int = Field(default=0, ge=0)
    idle_seconds: int = Field(default=1800, ge=1)
    on_compaction: bool = True
    on_session_end: bool = True


class Agent(_Section):
    kind: AgentKind = "rules"
    model: str = ""  #: `openai:NAME`, `anthropic:NAME`, `gemini:NAME`, `deepseek:NAME`, `ollama:NAME`, ...
    base_url: Address = ""
    api_key_env: Variable = ""  #: the name of a variable, of a systemd credential or of a key file; never a key
    command: tuple[str, ...] = ()  #: argv
    max_steps: int = Field(default=8, ge=1, le=50)
    compaction_max_steps: int = Field(default=3, ge=1, le=50)
    timeout_seconds: float = Field(default=120.0, ge=1, le=3600)
    use_host_credentials: bool = False
    allow_uncaged: bool = False


class Budget(_Section):
    """What agents that ask a model may use. A day is the local date."""

    calls_per_hour: int = Field(default=30, ge=0)
    calls_per_day: int = Field(default=200, ge=0)
    tokens_per_run: int = Field(default=60_000, ge=1000)
    tokens_per_day: int = Field(default=1_000_000, ge=0)
    usd_per_day: float = Field(default=1.0, ge=0)


class TypeTotals(_Section):
    """Characters of the active entries of a type."""

    user: int = Field(default=4000, ge=200, le=1_000_000)
    feedback: int = Field(default=4000, ge=200, le=1_000_000)
    project: int = Field(default=8000, ge=200, le=1_000_000)
    reference: int = Field(default=4000, ge=200, le=1_000_000)


class Memory(_Section):
    type_totals: TypeTotals = TypeTotals()
    core_chars: int = Field(default=2000, ge=200, le=20_000)
    reflect: bool = True  #: patterns, lessons and procedures from finished work


class Block(_Section):
    """One block of recall; a bare `true` or `false` says `on` alone."""

    on: bool = True
    order: int | None = Field(default=None, ge=0, le=1000)
    budget: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        return {"on": value} if isinstance(value, bool) else value


class Weights(_Section):
    """The shares by which memories are ranked; they add up to 1."""

    relevance: float = Field(default=0.5, ge=0, le=1)
    recency: float = Field(default=0.3, ge=0, le=1)
    importance: float = Field(default=0.2, ge=0, le=1)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if abs(self.relevance + self.recency + self.importance - 1) > 0.001:
            said = f"relevance = {self.relevance:g}, recency = {self.recency:g}, importance = {self.importance:g}"
            raise ValueError(f"the three must add up to 1, not {{ {said} }}; write all of them")
        return self


class Recall(_Section):
    mode: Literal["hybrid", "context", "tools"] = "hybrid"  #: of what sessions are told unasked
    assist: Literal["off", "prepare"] = "off"  #: a model chooses, at the end of a turn, what the next prompt may need
    budget_tokens: int = Field(default=2500, ge=200, le=20_000)
    language: Literal["auto", "en", "zh"] = "auto"
    weights: Weights = Weights()
    half_life_days: float = Field(default=30, ge=1, le=3650)
    blocks: Mapping[str, Block] = Field(default_factory=dict)

    @field_validator("blocks")
    @classmethod
    def _known(cls, value: Mapping[str, Block]) -> Mapping[str, Block]:
        if value:
            from memoryd.memory.guests import known_names  # not for every command: it loads what recall needs

            known = known_names()
            for name in value.keys() - known:
                near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
                raise ValueError(f"unknown block {name!r}; the nearest is {near[0]}")
        return value


class Search(_Section):
    embedder: Literal["none", "use", "e5", "openai"] = "none"
    base_url: Address = ""
    model: str = ""
    api_key_env: Variable = ""  #: the name of a variable, never a key

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.embedder == "openai" and not (self.base_url and self.model):
            raise ValueError("embedder openai wants base_url and model")
        return self


class Privacy(_Section):
    exclude: tuple[str, ...] = ()
    record_headless: bool = True
    pii: Literal["keep", "mask"] = "keep"  #: e-mail, telephone, identity and bank card numbers
    scanner: bool = False  #: the second net of the extra `scan`


class Notes(_Section):
    """When working notes expire that say nothing else."""

    working_hours: float = Field(default=24, gt=0, le=8760)
    until_session_end: bool = True  #: those of a session end with it


class Nudge(_Section):
    every_turns: int = Field(default=0, ge=0, le=1000)  #: 0: off; 10 is what others use


class Retention(_Section):
    days: int = Field(default=400, ge=1)
    max_bytes: int = Field(default=2_000_000_000, ge=1_000_000)


def _schedule(expression: str) -> str:
    """:raises ValueError: it is no cron expression"""
    from memoryd.daemon import schedule  # not for every command: it loads its library

    return schedule.check(expression) if expression != SCHEDULE else expression


class Dreaming(_Section):
    """When what keeps coming back is looked for by itself."""

    enabled: bool = False
    schedule: Annotated[str, AfterValidator(_schedule)] = SCHEDULE  #: a cron expression, by the local clock
    idle_seconds: int = Field(default=900, ge=0, le=86_400)  #: so long no turn, before it begins


class Logs(_Section):
    file: str | None = None  #: a JSON log file beside stderr, rotated
    max_bytes: int = Field(default=10_000_000, ge=10_000)
    keep: int = Field(default=3, ge=0, le=100)
    store: bool = True  #: keep log events in `logs.db`, for `memoryd logs`
    session_rows: int = Field(default=1000, ge=1, le=100_000)
    session_bytes: int = Field(default=10 * 1024 * 1024, ge=10_000)
    days: int = Field(default=14, ge=1)


class Config(_Section):
    """The effective settings."""

    daemon: Daemon = Daemon()
    consolidation: Consolidation = Consolidation()
    agent: Agent = Agent()
    budget: Budget = Budget()
    memory: Memory = Memory()
    recall: Recall = Recall()
    search: Search = Search()
    privacy: Privacy = Privacy()
    provider: Provider = Provider()
    notes: Notes = Notes()
    nudge: Nudge = Nudge()
    retention: Retention = Retention()
    dreaming: Dreaming = Dreaming()
    logs: Logs = Logs()


def places_of(config: "Config") -> Places:
    """Return the places that the environment and this configuration name."""
    return placing.find(data=config.daemon.data_dir, socket=config.daemon.socket)


def load(path: Path, env: Mapping[str, str] | None = None) -> Config:
    """Read the file, if there is one, and the environment over it.

    :raises ConfigError: not TOML, an unknown key (the nearest is named), or a value out of range
    """
    env = os.environ if env is None else env
    values = _read(path)
    for section, key, value in _from_env(env):
        values.setdefault(section, {})[key] = value
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        named = sources(path, env)
        raise ConfigError("; ".join(_explain(fault, path, named) for fault in error.errors())) from error


def sources(path: Path, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Say where each setting comes from that is not a default: `section.key` -> file or variable name."""
    env = os.environ if env is None else env
    found = {f"{s}.{k}": str(path) for s, table in _read(path).items() if isinstance(table, dict) for k in table}
    found.update({f"{s}.{k}": f"MEMORYD_{s}__{k}".upper() for s, k, _ in _from_env(env)})
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}; correct the file or move it away") from error


def _from_env(env: Mapping[str, str]) -> Iterator[tuple[str, str, Any]]:
    for name, text in sorted(env.items()):
        if name.startswith("MEMORYD_") and "__" in name:
            section, _, key = name.removeprefix("MEMORYD_").lower().partition("__")
            yield section, key, _value(text)


def _value(text: str) -> Any:
    """A variable holds what stands after `=` in the file; a bare word is a string."""
    try:
        return tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        return text


def _explain(fault: Any, path: Path, named: Mapping[str, str]) -> str:
    name = ".".join(str(part) for part in fault["loc"])
    key = ".".join(name.split(".")[:2])  # a fault of a whole section comes from where its first key does
    source = next((where for known, where in named.items() if known == key or known.startswith(f"{key}.")), str(path))
    if fault["type"] != "extra_forbidden":
        return f"{faults.sentence(fault)} (in {source})"
    near = difflib.get_close_matches(name, _all_keys(fault["loc"]), n=1, cutoff=0.0)
    return f"unknown key {name} in {source}; the nearest is {near[0]}"


def _all_keys(loc: Sequence[object]) -> list[str]:
    """The keys that may have been meant; in the table of a block its own."""
    where = [str(part) for part in loc]
    if where[:2] == ["recall", "blocks"]:
        return [".".join([*where[:-1], key]) for key in Block.model_fields]
    if len(where) > 2:
        return [".".join([*where[:-1], key]) for key in getattr(getattr(Config(), where[0]), where[1]).model_dump()]
    sections = Config.model_fields
    keys = [f"{s}.{key}" for s, info in sections.items() for key in info.default.__class__.model_fields]
    return [*sections, *keys]

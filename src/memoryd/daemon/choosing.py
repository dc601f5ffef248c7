"""Which memory agent works, with what and why: what is configured, else the host's provider if allowed, else rules."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from memoryd.daemon import keys
from memoryd.daemon.config import Agent, Config
from memoryd.daemon.keys import Key
from memoryd.errors import ConfigError
from memoryd.ipc.methods.agent import AgentInfo
from memoryd.worker.agents import providers
from memoryd.worker.agents.brief import Settings, Way
from memoryd.worker.agents.providers import PROVIDERS, Endpoint

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The section `[agent]` as it is in force, and why."""

    agent: Agent
    why: str


def choose(agent: Agent, env: Mapping[str, str]) -> Choice:
    """Say which agent works. A kind that stands in the configuration is taken as it is."""
    if agent.kind == "command":
        return Choice(agent=agent, why='kind = "command" is configured')
    if agent.kind == "model" and agent.model:
        return Choice(agent=agent, why='kind = "model" is configured')
    asked = agent.kind == "model" or "kind" not in agent.model_fields_set
    if asked and agent.use_host_credentials:
        for row in PROVIDERS.values():
            if row.key_env and env.get(row.key_env):
                found = {"kind": "model", "model": f"{row.name}:{row.host_model}", "base_url": ""}
                why = f"use_host_credentials is true, and {row.key_env} is in the daemon's environment"
                return Choice(agent=agent.model_copy(update={**found, "api_key_env": row.key_env}), why=why)
        named = ", ".join(row.key_env for row in PROVIDERS.values() if row.key_env)
        why = f"use_host_credentials is true, but none of {named} is in the daemon's environment"
        return Choice(agent=agent.model_copy(update={"kind": "rules"}), why=why)
    if agent.kind == "model":
        return Choice(agent=agent, why='kind = "model" is configured')
    configured = "kind" in agent.model_fields_set
    return Choice(
        agent=agent, why='kind = "rules" is configured' if configured else "the default: nothing is configured"
    )


def in_force(config: Config, env: Mapping[str, str]) -> Config:
    """The configuration with the agent that works."""
    return config.model_copy(update={"agent": choose(config.agent, env).agent})


def endpoint(agent: Agent) -> Endpoint:
    """:raises ConfigError: no model is named, or not as PROVIDER:NAME"""
    if not agent.model:
        raise ConfigError('[agent] kind is model and names none: set [agent] model = "PROVIDER:NAME"')
    try:
        return providers.endpoint(agent.model, agent.base_url)
    except ValueError as error:
        raise ConfigError(f"[agent] {error}") from error


def unfit_to_answer(agent: Agent) -> str:
    """Why the agent in force cannot be asked about memory that is there already; '' when it can."""
    if agent.kind == "rules":
        return "the rules cannot be asked about memory; set [agent] kind to model or command"
    try:
        tiny = agent.kind == "model" and endpoint(agent).grade == "tiny"
    except ConfigError as error:
        return str(error)
    return f"{agent.model} is too small a model to be asked about memory; name one of 4b or more" if tiny else ""


def key_of(agent: Agent, target: Endpoint, env: Mapping[str, str], config_dir: Path) -> Key | None:
    """Return the key for an endpoint, None where none is needed. Blocking.

    A provider's own variable is for the provider alone: an address of one's own gets a key only by `api_key_env`.

    :raises ConfigError: one is needed and is nowhere
    """
    name = agent.api_key_env or (target.provider.key_env if target.is_own else "")
    if not name:
        return None
    if found := keys.find(name, env, config_dir):
        return found
    raise ConfigError(
        f"no key for {target.provider.name}: set the variable {name} for the daemon, or write the key into"
        f" {keys.file_of(name, config_dir)} with mode 600"
    )


def settings(config: Config, env: Mapping[str, str], config_dir: Path, ways: Mapping[str, Way]) -> Settings:
    """Return what a child that asks a model or a command is told. Blocking.

    :param ways: in which endpoints are known to answer, by `Endpoint.id`

    :raises ConfigError: they name no model or command, or a key is missing
    """
    return _settings(config, env, config_dir, ways)[0]


def _settings(
    config: Config, env: Mapping[str, str], config_dir: Path, ways: Mapping[str, Way]
) -> tuple[Settings, Key | None]:
    agent = config.agent
    common = {
        "max_steps": agent.max_steps, "compaction_max_steps": agent.compaction_max_steps,
        "timeout_seconds": agent.timeout_seconds, "tokens_per_run": config.budget.tokens_per_run,
        "ca_file": env.get("SSL_CERT_FILE", ""), "compares": config.search.embedder != "none",
    }  # fmt: skip
    if agent.kind == "command":
        if not agent.command:
            raise ConfigError("[agent] kind is command and names none: set [agent] command, a list of words")
        return Settings(kind="command", command=agent.command, model=agent.model, **common), None
    target = endpoint(agent)
    key = key_of(agent, target, env, config_dir)
    given = Settings(
        kind="model", model=agent.model, base_url=target.base_url, key=key.value if key else "",
        key_name=key.name if key else "",
        proxy=proxy_of(target.base_url, env), way=ways.get(target.id) or ("tools" if target.is_own else None), **common,
    )  # fmt: skip
    return given, key


def report(
    config: Config, env: Mapping[str, str], config_dir: Path, known: Callable[[], Mapping[str, Way]]
) -> AgentInfo:
    """Say what works, with what and why; never a key. Blocking.

    :param config: as it was given, before `in_force`
    :param known: the ways in which endpoints have answered
    """
    from memoryd.worker.agents.child.cage import describe  # not in a daemon that never asks a model

    choice = choose(config.agent, env)
    agent = choice.agent
    if agent.kind == "rules":
        return AgentInfo(kind="rules", why=choice.why)
    caged, cage = describe()
    found: dict[str, object] = {}
    problem = None if caged or agent.allow_uncaged else f"no cage: {cage}; install bubblewrap, or allow_uncaged = true"
    try:
        given, key = _settings(config.model_copy(update={"agent": agent}), env, config_dir, known())
        found = {
            "base_url": _shown(given.base_url), "proxy": _shown(given.proxy), "way": given.way,
            "key": key.source if key else None,
        }  # fmt: skip
        problem = _missing(agent, env) or problem
    except ConfigError as error:
        problem = str(error)
    return AgentInfo.model_validate(
        {
            "kind": agent.kind, "why": choice.why, "model": agent.model, "command": agent.command, "cage": cage,
            "problem": problem, "max_steps": agent.max_steps, "timeout_seconds": agent.timeout_seconds,
            "tokens_per_run": config.budget.tokens_per_run, "usd_per_day": config.budget.usd_per_day, **found,
        }
    )  # fmt: skip


def _missing(agent: Agent, env: Mapping[str, str]) -> str | None:
    """What is not installed that the agent works with."""
    if agent.kind == "model" and find_spec("pydantic_ai") is None:
        return "its library is not installed: pip install 'memoryd[llm]'"
    if agent.kind == "command" and shutil.which(agent.command[0], path=env.get("PATH")) is None:
        return f"{agent.command[0]} is not found in the daemon's PATH: write its absolute path into command"
    return None


def _shown(url: str) -> str:
    """An address without the name and the password that may stand in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def proxy_of(url: str, env: Mapping[str, str]) -> str:
    """Return the proxy for an address, '' for none: as HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say.

    This machine itself is reached without one.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    named = (env.get(name.lower()) or env.get(name) for name in (f"{parts.scheme}_proxy".upper(), "ALL_PROXY"))
    past = [*_LOOPBACK, *(env.get("no_proxy") or env.get("NO_PROXY", "")).lower().replace(" ", "").split(",")]
    names = [name.removeprefix("*").removeprefix(".") for name in past if name not in ("", "*")]
    direct = "*" in past or any(host == name or host.endswith(f".{name}") for name in names)
    return "" if direct else next(filter(None, named), "")

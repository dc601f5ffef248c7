"""The memory agents that the configuration names, made when they are first needed."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memoryd.daemon.config import Config
from memoryd.errors import ConfigError
from memoryd.worker.agents import OnDemand, rules_agent
from memoryd.worker.agents.brief import Settings
from memoryd.worker.ports import Ledger, MemoryAgent

PLACES = "run/agents"  #: below the data directory: the working directories of runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """What takes a job, and what takes it when that has failed."""

    config: Callable[[], Config]
    data: Path
    ledger: Ledger
    env: Mapping[str, str]

    @property
    def places(self) -> Path:
        return self.data / PLACES

    def prepare(self) -> frozenset[str]:
        """Remove what runs left behind that a crash cut off; returns the names of their folder. Blocking."""
        shutil.rmtree(self.places, ignore_errors=True)
        return frozenset({str(self.places), os.path.realpath(self.places)})

    def chosen(self) -> MemoryAgent:
        kind = self.config().agent.kind
        return rules_agent() if kind == "rules" else OnDemand(kind, partial(self._child, kind))

    def fallback(self) -> MemoryAgent | None:
        return None if self.config().agent.kind == "rules" else rules_agent()

    def _child(self, kind: str) -> MemoryAgent:
        from memoryd.worker.agents.child import outfit
        from memoryd.worker.agents.child.agent import ChildAgent

        return ChildAgent(
            name=kind, settings=self.settings, ledger=self.ledger, places=self.places,
            order=lambda settings, place: outfit.order(
                settings, place, self.env, allow_uncaged=self.config().agent.allow_uncaged
            ),
            environment=lambda settings, place: outfit.environment(settings, place, self.env),
        )  # fmt: skip

    def settings(self) -> Settings:
        """:raises ConfigError: they name no model and no command"""
        config = self.config()
        agent = config.agent
        if not (agent.model if agent.kind == "model" else agent.command):
            raise ConfigError(
                f'[agent] kind is {agent.kind} and names none: set [agent] {agent.kind}, or kind = "rules"'
            )
        return Settings(
            kind="model" if agent.kind == "model" else "command", model=agent.model, base_url=agent.base_url,
            key=self.env.get(agent.api_key_env, "") if agent.api_key_env else "", command=agent.command,
            max_steps=agent.max_steps, timeout_seconds=agent.timeout_seconds,
            tokens_per_run=config.budget.tokens_per_run, proxy=self.env.get("HTTPS_PROXY", ""),
            ca_file=self.env.get("SSL_CERT_FILE", ""),
        )  # fmt: skip

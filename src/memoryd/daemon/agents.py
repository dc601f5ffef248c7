"""The memory agents that the configuration names, made when they are first needed."""

import contextlib
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd.daemon import choosing
from memoryd.daemon.config import Config
from memoryd.daemon.ways import Ways
from memoryd.errors import MemorydError
from memoryd.worker.agents import OnDemand, providers, rules_agent
from memoryd.worker.agents.brief import Compare, Learnt, Near, Settings
from memoryd.worker.ports import Ledger, MemoryAgent

if TYPE_CHECKING:
    from memoryd.worker.agents.child.agent import ChildAgent

PLACES = "run/agents"  #: below the data directory: the working directories of runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """What takes a job, and what takes it when that has failed."""

    config: Callable[[], Config]
    data: Path
    config_dir: Path  #: where key files are
    ledger: Ledger
    env: Mapping[str, str]
    near: Callable[[Sequence[str], Sequence[str]], Awaitable[Sequence[Sequence[float]]]] | None = None  #: an embedder's

    @property
    def ways(self) -> Ways:
        return Ways(data=self.data)

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

    def asked(self, ledger: Ledger) -> "ChildAgent":
        """The agent as it is asked about memory, paying from a ledger. Blocking: the first one loads its modules."""
        return self._child(self.config().agent.kind, ledger)

    def _child(self, kind: str, ledger: Ledger | None = None) -> "ChildAgent":
        from memoryd.worker.agents.child import outfit
        from memoryd.worker.agents.child.agent import ChildAgent

        return ChildAgent(
            name=kind, settings=self.settings, ledger=ledger or self.ledger, places=self.places,
            order=lambda settings, place: outfit.order(
                settings, place, self.env, allow_uncaged=self.config().agent.allow_uncaged
            ),
            environment=lambda settings, place: outfit.environment(settings, place, self.env), heard=self.heard,
            comparing=self._compared,
        )  # fmt: skip

    def settings(self) -> Settings:
        """:raises ConfigError: they name no model and no command, or a key is missing"""
        return choosing.settings(self.config(), self.env, self.config_dir, self.ways.all())

    async def _compared(self, asked: Compare) -> Near:
        rows = await self.near(asked.texts, asked.others) if self.near else ()
        return Near(rows=tuple(map(tuple, rows)))

    def heard(self, settings: Settings, learnt: Learnt) -> None:
        """Remember in which way a model has answered; when that cannot be written it is tried again next time.

        What works at a provider's own address is known, whatever became of one answer.
        """
        endpoint = providers.endpoint(settings.model, settings.base_url)
        if not endpoint.is_own:
            with contextlib.suppress(MemorydError):
                self.ways.keep(endpoint.id, None if learnt.forget else learnt.way)

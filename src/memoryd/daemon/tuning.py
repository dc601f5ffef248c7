"""What the configuration says of a part, in the words of that part."""

from collections.abc import Mapping
from pathlib import Path

from memoryd.daemon.config import Budget, Config
from memoryd.daemon.journal.ledger import Payer
from memoryd.daemon.sessions import Triggers
from memoryd.memory.model import EntryType
from memoryd.memory.ranking import Weights
from memoryd.memory.search.embedding import EmbedderSpec
from memoryd.worker.run import Bounds


def weights(config: Config) -> Weights:
    return Weights(**config.recall.weights.model_dump(), half_life_days=config.recall.half_life_days)


def type_totals(config: Config) -> Mapping[EntryType, int]:
    return {EntryType(name): chars for name, chars in config.memory.type_totals.model_dump().items()}


def bounds(config: Config) -> Bounds:
    return Bounds(core_chars=config.memory.core_chars, type_totals=type_totals(config), weights=weights(config))


def triggers(config: Config) -> Triggers:
    settings = config.consolidation
    return Triggers(
        interval_turns=settings.interval_turns,
        on_compaction=settings.on_compaction,
        on_session_end=settings.on_session_end,
    )


def embedder(config: Config) -> EmbedderSpec | None:
    """None: words only."""
    wanted = config.search
    if wanted.embedder == "none":
        return None
    return EmbedderSpec(
        kind=wanted.embedder, base_url=wanted.base_url, model=wanted.model, api_key_env=wanted.api_key_env
    )


def half(budget: Budget) -> Budget:
    """What unasked questions may use of a budget: the other half is for runs and for what people ask."""
    return budget.model_copy(
        update={
            "calls_per_hour": budget.calls_per_hour // 2, "calls_per_day": budget.calls_per_day // 2,
            "tokens_per_day": budget.tokens_per_day // 2, "usd_per_day": budget.usd_per_day / 2,
        }
    )  # fmt: skip


def payer(config: Config) -> Payer:
    """Who is paid for a run; a command is known by its program, whatever model it is told."""
    agent = config.agent
    program = agent.command[0] if agent.kind == "command" and agent.command else ""
    return Payer(agent=agent.kind, model=Path(program).name or agent.model)

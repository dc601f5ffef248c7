"""What the configuration says of ranking and room, in the words of the memory."""

from collections.abc import Mapping

from memoryd.daemon.config import Config
from memoryd.memory.model import EntryType
from memoryd.memory.ranking import Weights


def weights(config: Config) -> Weights:
    return Weights(**config.recall.weights.model_dump(), half_life_days=config.recall.half_life_days)


def type_totals(config: Config) -> Mapping[EntryType, int]:
    return {EntryType(name): chars for name, chars in config.memory.type_totals.model_dump().items()}

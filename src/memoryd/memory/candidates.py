"""What a session may still be told: entries that are current and were not shown to it, the best first. Pure."""

from collections.abc import Collection, Iterable
from datetime import datetime

from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.ranking import WEIGHTS, Weights, composite
from memoryd.memory.recall_blocks import entry_id, is_current
from memoryd.memory.words import content_words

USED_TOOL = 0.5  #: of its rank that an entry about a tool keeps while the tool is used: how it is used is known by then


def candidates(
    catalogue: Catalogue, said: str, *, now: datetime, shown: Collection[str] = (), tools: Iterable[str] = (),
    weights: Weights = WEIGHTS,
) -> list[Known]:  # fmt: skip
    """Return the entries by what they share with what was said, age and importance.

    :param shown: ids of memories that the session has in its context
    :param tools: names of those that were used lately
    """
    asked, used = content_words(said), content_words(" ".join(tools))

    def rank(known: Known) -> float:
        return composite(asked, known, now, weights) * (1.0 if used.isdisjoint(known.name_words) else USED_TOOL)

    found = [known for known in catalogue.entries if is_current(known, now) and entry_id(known) not in shown]
    return sorted(found, key=lambda known: (-rank(known), known.key))

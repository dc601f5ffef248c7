"""What the rules find out of a sentence more than once: kept while a run reads, then given back.

Small blocks that live on pin the pages that they stand in: kept from run to run, they made the daemon grow by the hour.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

SENTENCES = 512  #: that are kept, of each kind

P = ParamSpec("P")
T = TypeVar("T")

_forgetters: list[Callable[[], None]] = []


def kept_for_a_run(find: Callable[P, T]) -> Callable[P, T]:
    """Return a function that finds the same for the same hashable arguments, without looking again."""
    cached = lru_cache(maxsize=SENTENCES)(find)
    _forgetters.append(cached.cache_clear)
    return cast(Callable[P, T], cached)


def forget() -> None:
    for one in _forgetters:
        one()

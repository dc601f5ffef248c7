"""Proposals on the bytes of now -> the files that they become. Pure: the same input gives the same draft.

A person's edit wins: what a proposal wants to change and does not find is dropped, what nobody asked to change keeps
its bytes, and what is replaced stays in the directory as a version.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from memoryd.memory.changes import Draft, Ours, Sources
from memoryd.memory.desk import Desk
from memoryd.memory.model import CORE_FILES, EntryType, FileKey, Root
from memoryd.memory.proposals import Dated, Proposal
from memoryd.memory.quality import totals
from memoryd.memory.ranking import WEIGHTS, Weights, standing

MAX_DATED_FACTS = 20  #: of a root; the oldest go first
CORE_CHARS = 2_000  #: default of `[memory] core_chars`


def build(
    base: Mapping[FileKey, bytes],
    proposals: Sequence[Proposal],
    *,
    now: datetime,
    has_project: bool,
    sources: Sources,
    ours: Ours,
    core_chars: int = CORE_CHARS,
    type_totals: Mapping[EntryType, int] | None = None,
    weights: Weights = WEIGHTS,
) -> Draft:
    """Turn accepted proposals into files, in their order.

    :param base: every file of both roots that holds memory
    :param type_totals: archive the lowest ranked entries of a type over its total (a run); None: leave them (a person)
    :param weights: of that rank
    """
    desk = Desk(base, now=now, has_project=has_project, sources=sources, ours=ours)
    for proposal in proposals:
        desk.take(proposal)
    for key in [key for key in desk.files if key.path in CORE_FILES and desk.files[key] != desk.papers.before(key)]:
        desk.earlier.make_room(key, core_chars)
    if type_totals is not None:
        _make_room_for_types(desk, type_totals, now, weights)
    if any(isinstance(proposal, Dated) for proposal in proposals):
        _bound_dated_facts(desk, now)
    return desk.draft()


def _make_room_for_types(desk: Desk, limits: Mapping[EntryType, int], now: datetime, weights: Weights) -> None:
    """Archive the lowest ranked entries of each type that is over; what a person wrote or this run did stays."""
    for kind in EntryType:
        active = [(key, entry) for key, entry in desk.papers.active_entries() if entry.type is kind and not entry.dated]
        spare = [pair for pair in active if desk.may_retire(pair[0])]
        spare.sort(key=lambda pair: standing(pair[1], now, weights))
        while spare and totals((entry for _, entry in active), limits)[kind].over:
            lowest = spare.pop(0)
            active.remove(lowest)
            desk.retire(lowest[0])


def _bound_dated_facts(desk: Desk, now: datetime) -> None:
    """Retire the dated facts that would expire first, so that a flood of them displaces nothing but itself."""
    for root in Root:
        dated = [
            pair
            for pair in desk.papers.active_entries()
            if pair[0].root is root and pair[1].dated and not pair[1].matured
        ]
        oldest = sorted(dated, key=lambda pair: (pair[1].expires_at or now, pair[0].path))
        for key, _ in oldest[: max(0, len(dated) - MAX_DATED_FACTS)]:
            desk.retire(key)

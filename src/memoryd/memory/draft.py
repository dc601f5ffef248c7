"""Proposals on the bytes of now -> the files that they become. Pure: the same input gives the same draft.

A person's edit wins: what a proposal wants to change and does not find is dropped, what nobody asked to change keeps
its bytes, and what is replaced stays in the directory as a version.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from memoryd.memory import lines
from memoryd.memory.changes import Draft, Ours, Sources
from memoryd.memory.desk import Desk
from memoryd.memory.model import CORE_FILES, FileKey, Root
from memoryd.memory.proposals import Lines, Proposal

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
) -> Draft:
    """Turn accepted proposals into files, in their order.

    :param base: every file of both roots that holds memory
    """
    desk = Desk(base, now=now, has_project=has_project, sources=sources, ours=ours)
    for proposal in proposals:
        desk.take(proposal)
    for key in [key for key in desk.files if key.path in CORE_FILES and desk.files[key] != desk.before(key)]:
        desk.make_room(key, core_chars)
    return desk.draft()


def diff_to_lines(
    file: str, old: str, new: str, *, cites: Sequence[int] = (), root: Root | None = None
) -> Lines | None:
    """Express a rewritten core file as changes of its lines; None when its list items say the same."""
    add, replace, remove = lines.diff(old, new)
    if not (add or replace or remove):
        return None
    return Lines(file=file, add=add, replace=replace, remove=remove, cites=tuple(cites), root=root)

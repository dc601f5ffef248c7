"""Large results of tools: the journal keeps their beginning and where the whole stands, which is read again from there.

What a hook brought stands nowhere else: of it the beginning is all there is.
"""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass

from memoryd import fsio
from memoryd.daemon.descriptors import State
from memoryd.daemon.journal.large import LargeText
from memoryd.daemon.journal.steps import LARGE_CHARS
from memoryd.ipc import hosts
from memoryd.ipc.events import Event, Message, Original
from memoryd.ipc.hosts.base import TranscriptState
from memoryd.ipc.hosts.jsonlines import MAX_LINE_BYTES
from memoryd.ipc.sanitise import sanitise, within

KEPT_CHARS = 1_000  #: of a result in the journal
MAX_CHARS = 1_000_000  #: of a result that is read again


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The part of a transcript from which events were read, in bytes."""

    path: str
    start: int
    size: int


def shortened(events: Iterable[Event], place: Place | None = None) -> list[Event]:
    """Return the events with the beginnings of what tools gave; large ones tell of their originals.

    :param place: where they were read; None: a hook told them
    """
    return [_short(event, place) if isinstance(event, Message) else event for event in events]


def _short(event: Message, place: Place | None) -> Message:
    text = event.data.text
    if event.data.role != "tool" or len(text) <= KEPT_CHARS:
        return event
    original = _original(text, place) if len(text) >= LARGE_CHARS else None
    data = event.data.model_copy(update={"text": within(text, KEPT_CHARS), "original": original})
    return event.model_copy(update={"data": data})


def _original(text: str, place: Place | None) -> Original:
    where = {"path": place.path, "start": place.start, "size": place.size} if place else {}
    return Original(chars=len(text), sha256=_digest(text), **where)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def state(original: Original) -> State:
    """Whether a whole may still be read again, by a look at its file alone. Blocking."""
    try:
        size = os.stat(original.path or "").st_size
    except (OSError, ValueError):
        return "gone"
    return "" if size > original.start else "changed"


def read(found: LargeText) -> tuple[str, State]:
    """Return the whole, cleaned, or the beginning and what became of the rest. Blocking."""
    if found.original is None:
        return found.text, ""
    try:
        chunk = _part(found.original)
    except (OSError, ValueError):
        return found.text, "gone"
    again = hosts.get(found.host).read_transcript(
        chunk, session_id=found.session_id, cwd=None, state=TranscriptState(), final=True
    )
    for event in again.events:
        if isinstance(event, Message) and _digest(event.data.text) == found.original.sha256:
            return sanitise(within(event.data.text, MAX_CHARS)), ""
    return found.text, "changed"


def _part(original: Original) -> bytes:
    """:raises OSError, ValueError: there is no such file any more, or it is not one that is read"""
    if original.path is None:
        raise FileNotFoundError("told by a hook")
    fd = fsio.open_regular(original.path)
    try:
        if os.fstat(fd).st_uid != os.getuid():
            raise PermissionError("not a file of ours")
        return os.pread(fd, min(original.size, 2 * MAX_LINE_BYTES), original.start)
    finally:
        os.close(fd)

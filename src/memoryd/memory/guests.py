"""Blocks of recall that other packages bring, by entry point: each in a thread of its own, with a deadline.

A guest that raises, sleeps or returns junk is left out and told once in the log. Its thread cannot be ended, so while
one hangs it is not called again: a guest costs at most one thread.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from memoryd.clock import mono
from memoryd.ipc.sanitise import sanitise
from memoryd.memory.blocks import Ask, Block, Insert, Piece, Section, item_id
from memoryd.memory.fence import clean
from memoryd.memory.page import tell_once
from memoryd.memory.recall_blocks import BUILTIN

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "memoryd.recall_blocks"
GUEST_SECONDS = 0.05  #: for all guests together, at each snapshot
MAX_SECTIONS, MAX_PIECES, MAX_PIECE_CHARS = 10, 50, 2_000  #: of one guest; more of its answer is not looked at


@cache
def known_names() -> tuple[str, ...]:
    """The names of all blocks, those of installed packages with them; nothing of theirs is imported."""
    return (*BUILTIN, *sorted({point.name for point in _installed()}))


def _installed() -> "Iterable[EntryPoint]":
    from importlib.metadata import entry_points  # 1 MB, and only a snapshot needs it

    return entry_points(group=GROUP)


@dataclass(slots=True)
class _Guest:
    name: str
    load: Callable[[], object]
    block: Block | None = None
    busy: bool = False

    def start(self, ask: Ask) -> "SimpleQueue[Block | BaseException]":
        """Call the guest; its block with ready sections, or its error, comes through the queue."""
        answer: SimpleQueue[Block | BaseException] = SimpleQueue()
        self.busy = True
        threading.Thread(target=self._answer, args=(ask, answer), name=f"guest-{self.name}", daemon=True).start()
        return answer

    def _answer(self, ask: Ask, answer: "SimpleQueue[Block | BaseException]") -> None:
        try:
            self.block = self.block or _checked(self.name, self.load())
            sections = islice(self.block.sections(ask), MAX_SECTIONS)
            ready = [_checked_section(self.name, section) for section in sections]
            answer.put(replace(self.block, sections=lambda ask: ready))
        except BaseException as error:
            answer.put(error)
        finally:
            self.busy = False


@dataclass(slots=True)
class Guests:
    """The guests of this process."""

    points: "Callable[[], Iterable[EntryPoint]]" = _installed
    _guests: list[_Guest] | None = field(default=None)

    def invite(self, ask: Ask, wanted: Callable[[str], bool], *, seconds: float = GUEST_SECONDS) -> tuple[Block, ...]:
        """Return the blocks of the guests that answered in time, their sections made. Blocking, up to `seconds`.

        :param wanted: whether a block of that name is on
        """
        if self._guests is None:
            self._guests = [_Guest(point.name, point.load) for point in self.points()]
        asked = [(guest, guest.start(ask)) for guest in self._guests if wanted(guest.name) and not guest.busy]
        deadline_mono = mono() + seconds
        found = [_wait(guest.name, answer, deadline_mono) for guest, answer in asked]
        return tuple(block for block in found if block is not None)


def _wait(name: str, answer: "SimpleQueue[Block | BaseException]", deadline_mono: float) -> Block | None:
    try:
        found = answer.get(timeout=max(0.0, deadline_mono - mono()))
    except Empty:
        found = TimeoutError()
    if isinstance(found, Block):
        return found
    tell_once(name, type(found).__name__)
    return None


def _checked(name: str, loaded: object) -> Block:
    """:raises TypeError: it is no block"""
    if not isinstance(loaded, Block) or loaded.insert is Insert.CLOSING or name in BUILTIN:
        raise TypeError("no Block that may stand in a snapshot, or its name is taken")
    return Block(
        name=name, order=int(loaded.order), priority=int(loaded.priority), insert=Insert(loaded.insert),
        share=min(1.0, max(0.0, float(loaded.share))), sections=loaded.sections,
    )  # fmt: skip


def _checked_section(name: str, section: object) -> Section:
    """A guest's section, rendered, cleaned and bounded. :raises TypeError: it is none"""
    if not isinstance(section, Section) or not isinstance(section.heading, str):
        raise TypeError("no Section")
    pieces = [_checked_piece(name, piece) for piece in section.pieces[:MAX_PIECES]]
    heading = " ".join(_plain(section.heading).split())[:200]
    return Section(heading=heading, pieces=pieces, unlisted=max(0, int(section.unlisted)))


def _checked_piece(name: str, piece: object) -> Piece:
    """:raises TypeError: it is no piece, or no text"""
    if not isinstance(piece, Piece) or not isinstance(text := piece.render(), str):
        raise TypeError("no Piece of text")
    plain = _plain(text)
    return Piece(item_id("block", f"{name}\n{plain}"), plain.__str__)


def _plain(text: str) -> str:
    return clean(sanitise(text[:MAX_PIECE_CHARS]))

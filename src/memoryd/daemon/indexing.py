"""The index follows the journal and the memory directories, off the loop and never in the way of an answer.

It is derived and disposable: the journal and the files are read again from where its last commit stands; files that
are gone or damaged are removed and built anew. Meanwhile answers come from the texts themselves (`searching.py`).
"""

import asyncio
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import structlog

from memoryd.daemon.journal.conversations import Batch, Conversations
from memoryd.errors import MemorydError
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.search.documents import Document, Memory, memories, of_memory, of_turns
from memoryd.memory.search.port import Damaged, Found, Index, IndexState, Removal, Unavailable

GATHER_SECONDS = 5.0  #: after the first news, so that one process start serves many
BATCH_EVENTS = 1_000  #: of one commit
RETRY_SECONDS = 60.0  #: after an index that could not be written
MAX_REBUILDS = 3  #: in a row; then the disk is at fault, and a restart tries again

log = structlog.get_logger("index")

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Indexer:
    """Keeps the index up to date, and asks it. Answers None where the index cannot: the caller reads the texts."""

    index: Index
    conversations: Conversations
    gather_seconds: float = GATHER_SECONDS
    fault: str = ""  #: why there is no index, '' while there is
    _state: IndexState | None = None  #: None: not known yet
    _waiting: dict[str, Catalogue] = field(default_factory=dict)  #: directories whose memories are not in yet
    _seen: dict[str, tuple[Catalogue, dict[str, Memory], str]] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)  #: one change at a time
    _rebuilds: int = 0
    _outdated: bool = False
    _looked: int = 0  #: events up to this seq were taken in or hold no text
    _wiping: bool = False  #: a purge waits for the lock

    @property
    def position(self) -> int:
        """Turns of events up to this seq are in the index."""
        return self._state.seq if self._state else 0

    async def reach(self) -> int:
        """The position, which only the index knows after a start: the first that asks reads it.

        An index that cannot be asked, or that belongs to another journal, is left to whoever follows the news.
        """
        if self._state is None and not self._lock.locked():
            async with self._lock:
                with suppress(Damaged, Unavailable):
                    state = await asyncio.to_thread(self.index.state)
                    if state.seq <= await asyncio.to_thread(self.conversations.newest_seq):
                        self._state = state
        return self.position

    def behind(self) -> int:
        """How many of the newest events were not looked at yet. Blocking."""
        return max(0, self.conversations.newest_seq() - max(self._looked, self.position))

    def wake(self) -> None:
        """Events were committed."""
        self._news.set()

    async def serve(self) -> None:
        """Follow the news until cancelled."""
        self.wake()  # what came while nobody followed
        while True:
            await self._news.wait()
            await asyncio.sleep(self.gather_seconds)
            self._news.clear()
            if not await self.catch_up():
                await asyncio.sleep(RETRY_SECONDS)
                self.wake()
            await asyncio.to_thread(self.index.rest)

    async def catch_up(self) -> bool:
        """Take in all that is new; whether that could be done."""
        async with self._lock:
            while self._rebuilds <= MAX_REBUILDS:
                try:
                    await self._follow()
                except Damaged as error:
                    await self._start_anew(str(error))
                except (Unavailable, MemorydError) as error:
                    self.fault = str(error)
                    log.warning("index.failed", error=type(error).__name__, reason=str(error))
                    return False
                else:
                    self.fault, self._rebuilds = "", 0
                    return True
            self.fault = "the index cannot be built; look at the disk and the log, then `memoryd maintain index`"
            return False

    async def turns(
        self, query: str, directory: Path | None, *, limit: int, then: Callable[[list[Found] | None], T]
    ) -> T:
        """Past texts by BM25, the best first, as `then` makes them an answer; it is called in the same thread."""
        dirs = [str(directory)] if directory else []
        return await self._ask(lambda: self.index.search(query, field="turn", dirs=dirs, limit=limit), then)

    async def memories(
        self, query: str, catalogues: Mapping[Path, Catalogue], *, every: bool, limit: int
    ) -> list[tuple[Memory, float]] | None:
        """Memories of these directories by BM25; None also while one of the directories says something newer.

        What an answer names is looked up in the catalogue of now, so what was forgotten is never found.
        """
        known = {str(root): self._memories(str(root), catalogue) for root, catalogue in catalogues.items()}
        if not known:
            return None
        stale = [root for root, (_, _, digest) in known.items() if self._digest_in_index(root) != digest]
        if stale:
            self._waiting |= {root: known[root][0] for root in stale}
            self.wake()
            return None
        held = ChainMap(*(by_id for _, by_id, _ in known.values()))
        return await self._ask(
            lambda: self.index.search(query, field="memory", dirs=list(known), every=every, limit=limit),
            lambda found: None if found is None else [(held[hit.id], hit.score) for hit in found if hit.id in held],
        )

    async def near(self, texts: Sequence[str], others: Sequence[str]) -> Sequence[Sequence[float]]:
        """How near texts are to others by their meaning; no rows without an embedder, or while it cannot be asked."""
        try:
            return await asyncio.to_thread(self.index.near, texts, others)
        except (Damaged, Unavailable) as error:
            log.warning("index.failed", error=type(error).__name__, reason=str(error))
            return ()

    async def purge(self) -> None:
        """Take the whole index from the disk, at once; it is built again from what the journal and the files hold."""
        self._wiping = True  # whoever follows the news ends after its batch: news may come faster than they go in
        async with self._lock:
            await asyncio.to_thread(self.index.wipe)
            self._wiping, self._state, self._looked, self._rebuilds = False, None, 0, 0
            self._waiting.clear()  # of before: what is gone must not come in again
            self._seen.clear()
        self.wake()

    async def examine(self) -> str | None:
        """Why the index does not answer; None: it does, is not begun, or is being written just now. Changes nothing."""
        if self._lock.locked():
            return None
        if self.fault or self._state is None or not (self._state.seq or self._state.roots):
            return self.fault or None
        async with self._lock:
            try:
                await asyncio.to_thread(self.index.state)
            except Damaged as error:
                return f"its files are damaged: {error}"
            except Unavailable as error:
                return str(error)
        return None

    def renew(self) -> None:
        """Half of what the index finds is gone from the journal, as retention leaves it: build it again, later."""
        self._outdated = True
        self.wake()

    async def take(self, index: Index) -> None:
        """Go on with another index, e.g. one with vectors; it is built while answers come from the texts."""
        async with self._lock:
            await asyncio.to_thread(self.index.close)
            self.index, self._state, self._looked, self._rebuilds = index, None, 0, 0
        self.wake()

    async def close(self) -> None:
        await asyncio.to_thread(self.index.close)

    async def _follow(self) -> None:
        if self._state is None:
            self._state = await asyncio.to_thread(self.index.state)
        if self._outdated:
            self._outdated = False
            raise Damaged("much of it is out of date")
        newest = await asyncio.to_thread(self.conversations.newest_seq)
        if self.position > newest:
            raise Damaged("it belongs to another journal")
        while (
            not self._wiping
            and (batch := await asyncio.to_thread(self.conversations.after, self.position, BATCH_EVENTS)) is not None
        ):
            documents = await asyncio.to_thread(_documents, batch)
            await self._apply(documents, [], replace(self._state, seq=batch.to_seq))
        if self._wiping:
            return
        self._looked = newest
        for root, catalogue in tuple(self._waiting.items()):
            _, held, digest = self._memories(root, catalogue)
            documents = [of_memory(root, id, memory) for id, memory in held.items()]
            state = replace(self._state, roots={**self._state.roots, root: digest})
            await self._apply(documents, [Removal("root", root)], state)
            if self._waiting.get(root) is catalogue:
                del self._waiting[root]

    async def _apply(self, add: list[Document], remove: list[Removal], state: IndexState) -> None:
        await asyncio.to_thread(lambda: self.index.apply(add=add, remove=remove, state=state))
        self._state = state

    async def _start_anew(self, reason: str) -> None:
        log.info("index.rebuilding", reason=reason)
        self.fault = f"the index is being built ({reason})"
        self._rebuilds += 1
        await asyncio.to_thread(self.index.wipe)
        self._state = IndexState()

    async def _ask(self, search: Callable[[], list[Found]], then: Callable[[list[Found] | None], T]) -> T:
        """Search and make of it what `then` does, in one thread: a hand-over costs as much as a search."""

        def answer() -> tuple[T, Damaged | Unavailable | None]:
            try:
                found = search()
            except (Damaged, Unavailable) as error:
                return then(None), error
            return then(found), None

        if self._state is None or not (self._state.seq or self._state.roots):
            return await asyncio.to_thread(then, None)
        made, fault = await asyncio.to_thread(answer)
        if isinstance(fault, Damaged):
            log.warning("index.damaged", reason=str(fault))
            self._state, self._looked = None, 0
            self.wake()
        elif fault is not None:
            log.warning("index.failed", error=type(fault).__name__, reason=str(fault))
        return made

    def _memories(self, root: str, catalogue: Catalogue) -> tuple[Catalogue, dict[str, Memory], str]:
        """The memories of a directory by id, and a digest of them all; kept while the catalogue is the same."""
        seen = self._seen.get(root)
        if seen is None or seen[0] is not catalogue:
            held = memories(catalogue, root)
            digest = sha256("\n".join(sorted(held)).encode()).hexdigest()[:24]
            seen = self._seen[root] = (catalogue, held, digest)
        return seen

    def _digest_in_index(self, root: str) -> str | None:
        return self._state.roots.get(root) if self._state else None


def _documents(batch: Batch) -> list[Document]:
    """Take a batch apart: a tenth of a second and more of patterns, so in a thread."""
    return [document for passage in batch.passages for document in of_turns(passage.spoken, since=passage.since)]

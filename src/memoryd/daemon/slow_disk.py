"""Looks at a person's disk that end in time: a file system that hangs holds one thread a question, and no answer up."""

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from memoryd.clock import mono

MAX_THREADS = 32  #: of all questions that wait; each is made when it is needed

T = TypeVar("T")


@dataclass(slots=True)
class SlowDisk:
    """Asks in threads of its own, so that one that never comes back is missed nowhere else."""

    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(MAX_THREADS, "look"))
    _asked: dict[Hashable, tuple[float, asyncio.Future[Any]]] = field(default_factory=dict)

    async def ask(self, question: Hashable, answer: Callable[[], T], *, seconds: float) -> T:
        """Return what `answer` gives. While a question is open, it is asked by all who have it as one.

        :param answer: blocking
        :raises TimeoutError: there was no answer so long after it was asked first
        """
        if question not in self._asked:
            asked = asyncio.get_running_loop().run_in_executor(self._threads, answer)
            self._asked[question] = (mono(), asked)
            asked.add_done_callback(lambda _: self._answered(question))
        since, found = self._asked[question]
        await asyncio.wait({found}, timeout=max(0.0, since + seconds - mono()))
        if not found.done():
            raise TimeoutError
        result: T = found.result()
        return result

    def hangs(self, question: Hashable, *, seconds: float) -> bool:
        """Whether a question has waited for its answer for so long already."""
        return question in self._asked and self._asked[question][0] + seconds <= mono()

    def _answered(self, question: Hashable) -> None:
        _, found = self._asked.pop(question)
        if not found.cancelled():
            found.exception()  # nobody may wait for it any more

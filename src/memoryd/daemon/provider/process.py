"""The daemon's side of the provider's process: started, asked line by line, bounded, ended with all that it started.

Loaded with the first start: a daemon without a provider has none of it.
"""

import asyncio
import contextlib
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, assert_never

from pydantic import BaseModel, ValidationError

from memoryd import fsio
from memoryd.daemon.provider.faults import Code, Unanswered
from memoryd.ipc.mcp.lines import MAX_LINE_BYTES, TOLD, Answer, Begin, Bye, Call, Fault, Ready, ToolInfo
from memoryd.worker.agents import exits
from memoryd.worker.agents.child import tree
from memoryd.worker.agents.child.order import MEGABYTE, Order

START_SECONDS = 30.0  #: for a server to answer the handshake; `npx` may have to fetch it
END_SECONDS = 3.0  #: for it to end by itself
KILL_SECONDS = 2.0  #: for the keeper to end what it keeps
MEMORY_BYTES, PROCESSES = 1024 * MEGABYTE, 64
_ARGV = (sys.executable, "-P", "-m", "memoryd.daemon.provider")


@dataclass(slots=True, kw_only=True)
class ServerProcess:
    """One server that has answered the handshake."""

    started: exits.Started
    mark: str  #: in the environment of everything that it starts
    tools: tuple[ToolInfo, ...] = ()
    _waiting: dict[int, asyncio.Future[Answer]] = field(default_factory=dict)
    _ready: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    _tasks: tuple[asyncio.Task[None], ...] = ()
    _asked: int = 0

    @classmethod
    async def start(
        cls, command: tuple[str, ...], env: Mapping[str, str], more: Mapping[str, str], place: Path
    ) -> "ServerProcess":
        """Start it and wait for its handshake.

        :param env: all that the process gets of the daemon's environment
        :param more: beside it for the server
        :param place: its working directory
        :raises Unanswered: it cannot be started, or gave no handshake
        """
        mark = f"provider-{uuid.uuid4().hex}"
        await asyncio.to_thread(fsio.make_dirs, place)
        order = Order(work=str(place), memory_bytes=MEMORY_BYTES, processes=PROCESSES, called="it")
        try:
            started = await exits.start(
                [*_ARGV, order.line()], cwd=place, env={**env, tree.MARK: mark}, limit=MAX_LINE_BYTES
            )
        except OSError as error:
            raise Unanswered(Code.GONE, f"it cannot be started: {error.strerror}") from error
        server = cls(started=started, mark=mark)
        server._tasks = (asyncio.create_task(server._read()), asyncio.create_task(server._discard_errors()))
        try:
            async with asyncio.timeout(START_SECONDS):
                await server._write(Begin(command=command, env={**env, **more, tree.MARK: mark}))
                await server._ready
        except BaseException as error:
            await asyncio.shield(server.end(seconds=0))
            if isinstance(error, TimeoutError):
                raise Unanswered(Code.GONE, f"it gave no handshake within {START_SECONDS:g} s") from None
            raise
        return server

    @property
    def gone(self) -> bool:
        return self._tasks[0].done()

    def when_gone(self, then: Callable[[], None]) -> None:
        """Do this as soon as it says nothing any more: something that it started may still be there."""
        self._tasks[0].add_done_callback(lambda _: then())

    async def call(self, tool: str, arguments: Mapping[str, Any], seconds: float) -> Answer:
        """:raises Unanswered: no answer in time, none at all, or the process is gone"""
        if self.gone:
            raise Unanswered(Code.GONE, "its process ended")
        self._asked += 1
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[self._asked] = answer
        call = Call(id=self._asked, tool=tool, arguments=arguments, seconds=seconds)
        try:
            async with asyncio.timeout(seconds):
                await self._write(call)
                return await answer
        except TimeoutError:
            raise Unanswered(Code.LATE, f"it gave no answer within {seconds:g} s") from None
        finally:
            self._waiting.pop(call.id, None)

    async def end(self, *, seconds: float = END_SECONDS) -> None:
        """Let it end by itself for that long, then kill it. On return all that it started is gone."""
        if seconds:
            await self._write(Bye())
            await self.started.has_ended(seconds)
        assert self.started.process.stdin is not None
        self.started.process.stdin.close()  # ends it: the keeper waits for that
        await self.started.has_ended(KILL_SECONDS)
        await self.started.kill()
        await asyncio.to_thread(_kill_marked, self.mark)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.started.close()

    async def _write(self, line: BaseModel) -> None:
        assert self.started.process.stdin is not None
        with contextlib.suppress(ConnectionError, RuntimeError):  # it has ended; what it said last says why
            self.started.process.stdin.write(line.model_dump_json().encode() + b"\n")
            await self.started.process.stdin.drain()

    async def _read(self) -> None:
        """Hand on what it says until there is no more; then nobody waits any longer."""
        assert self.started.process.stdout is not None
        why = "its process ended"
        try:
            while line := await self.started.process.stdout.readline():
                if reason := self._take(TOLD.validate_json(line)):
                    why = reason
                    break
        except ValidationError:
            why = "it said what is no line of the protocol"
        except ValueError:  # of `readline`
            why = f"it said a line of more than {MAX_LINE_BYTES} bytes"
        error = Unanswered(Code.GONE, why)
        if not self._ready.done():
            self._ready.set_exception(error)
            self._ready.exception()  # of one that was given up nobody asks
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(error)

    def _take(self, told: Ready | Answer | Fault) -> str:
        """Hand a line on; returns why there will be no further one, '' when there may be."""
        match told:
            case Ready():
                self.tools = told.tools
                self._ready.set_result(None)
            case Answer():
                self._settle(told.id, told)
            case Fault(id=None):
                return told.reason.partition(";")[0]
            case Fault():
                self._settle(told.id or 0, Unanswered(Code.REFUSED, told.reason))
            case _:
                assert_never(told)
        return ""

    def _settle(self, id: int, told: Answer | Unanswered) -> None:
        waiting = self._waiting.get(id)
        if waiting is None or waiting.done():  # it came too late
            return
        if isinstance(told, Answer):
            waiting.set_result(told)
        else:
            waiting.set_exception(told)

    async def _discard_errors(self) -> None:
        """The bridge's own; those of the server go no further than the bridge."""
        assert self.started.process.stderr is not None
        await exits.last_words(self.started.process.stderr, kept_bytes=1, max_bytes=sys.maxsize)


def _kill_marked(mark: str) -> None:
    """The second net, for a keeper that was killed itself."""
    for pid in tree.marked(mark):
        tree.kill(pid)

"""The provider, asked: started when it is first needed, each call with a deadline, every failure a value.

It runs in a process of its own that is started again when it died, and left alone for a while when it keeps failing.
"""

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from memoryd.clock import mono
from memoryd.daemon.provider import texts
from memoryd.daemon.provider.breaker import Breaker
from memoryd.daemon.provider.faults import Code, Unanswered
from memoryd.daemon.provider.settings import Kind, Provider, ToolCall, mapped, strings
from memoryd.errors import MemorydError
from memoryd.ipc.methods.provider import State
from memoryd.worker.second_net import Net, without_secrets

if TYPE_CHECKING:
    from memoryd.daemon.provider.process import ServerProcess
    from memoryd.ipc.mcp.lines import Answer, ToolInfo

PREFETCH_SECONDS, BLOCK_SECONDS = 0.25, 0.2  #: within the answer to a hook; late ones are left out
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  #: what hosts and their models take for the name of a tool
CALL_SECONDS = 10.0  #: for everything that nobody waits for, and for a tool that an agent calls
_LATE_SECONDS = 0.1  #: beyond a call's own time
IDLE_SECONDS = 900.0  #: without a call it is ended, and started by the next one
PREFETCH_ROWS, BLOCK_ROWS = 5, 8
MAX_BLOCKS = 100  #: projects whose last block is kept

log = structlog.get_logger("provider")


@dataclass(slots=True, kw_only=True)
class ProviderHost:
    """Holds the one provider that is configured. `repr` is the state for people."""

    settings: Provider  #: changed by `renew` alone, so that nothing goes from one provider to another
    place: Path  #: its working directory
    net: Callable[[], Net]
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    breaker: Breaker = field(default_factory=Breaker)
    calls: int = 0  #: answered since the start of the daemon
    failures: int = 0
    _process: "ServerProcess | None" = None
    _starting: "asyncio.Task[ServerProcess] | None" = None
    _tools: "tuple[ToolInfo, ...]" = ()  #: of the last handshake
    _blocks: dict[str, list[str]] = field(default_factory=dict)
    _asked_mono: float = 0.0
    _ending: set[asyncio.Task[None]] = field(default_factory=set)

    def __repr__(self) -> str:
        return f"<ProviderHost {self.state} | calls {self.calls} | failures {self.failures}>"

    @property
    def state(self) -> State:
        if not self.settings.command:
            return "off"
        if self.breaker.seconds_left:
            return "paused"
        if self._starting is not None:
            return "starting"
        return "ready" if self._is_ready() else "resting"

    @property
    def fault(self) -> str:
        """Why it is left alone now, '' when it is not."""
        return self.breaker.reason if self.state == "paused" else ""

    @property
    def name(self) -> str | None:
        """What tells this provider from another one, None when there is none."""
        settings = self.settings
        told = json.dumps([settings.command, dict(settings.env)], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:16] if settings.command else None

    def warm(self) -> None:
        """Start it, so that it is there when it is asked; at once, and whatever comes of it."""
        if self.settings.command and not self._is_ready() and not self.breaker.seconds_left:
            self._start()

    async def prefetch(self, query: str, project: str) -> list[str]:
        """What it knows of a prompt, as rows to show; nothing while it is not ready, or when it is late."""
        call = self.settings.call("prefetch")
        if call is None or not query.strip():
            return []
        words = texts.telling(query) if "word" in call.names else [""]
        values = [{"query": query, "word": word, "project": project} for word in words]
        answers = await self._quick("prefetch", values, PREFETCH_SECONDS)
        return await asyncio.to_thread(texts.rows, answers, PREFETCH_ROWS)

    async def block(self, project: str) -> list[str]:
        """What it tells every session of a project, as rows to show; what it told last while it is not ready."""
        if self.settings.call("block") is None:
            return []
        if answers := await self._quick("block", [{"project": project}], BLOCK_SECONDS):
            self._blocks.pop(project, None)
            self._blocks[project] = await asyncio.to_thread(texts.rows, answers, BLOCK_ROWS)
            while len(self._blocks) > MAX_BLOCKS:
                self._blocks.pop(next(iter(self._blocks)))
        return self._blocks.get(project, [])

    async def tell(self, kind: Kind, values: Mapping[str, str]) -> "Answer | None":
        """Make the call that is configured for this, None when there is none.

        :raises Unanswered: it is not there, or gave no answer
        """
        call = self.settings.call(kind)
        if call is None:
            return None
        return await self._ask(call.tool, call.filled(await self._screened(values)), CALL_SECONDS)

    async def tools(self) -> "Sequence[ToolInfo]":
        """The tools that agents may call, each name once; one that no host would take is left out.

        :raises Unanswered: it is not there
        """
        wanted = self.settings.tools
        if not wanted or not self.settings.command:
            return ()
        if not self._tools:
            await self._ready()
        named = {tool.name: tool for tool in self._tools if _NAME.fullmatch(tool.name)}
        return [tool for name, tool in named.items() if name in wanted or "*" in wanted]

    async def every_tool(self) -> Sequence[str]:
        """The names of all its tools. :raises Unanswered: it is not there"""
        return [tool.name for tool in (await self._ready()).tools]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> "Answer":
        """A tool that an agent calls. :raises Unanswered: it is not there, or gave no answer"""
        said = list(strings(arguments))
        screened = await asyncio.to_thread(without_secrets, self.net(), said)
        given = mapped(arguments, dict(zip(said, screened, strict=True)).__getitem__)
        return await self._ask(tool, given, CALL_SECONDS)

    def forget(self) -> None:
        """What it told of projects."""
        self._blocks.clear()

    async def renew(self, settings: Provider) -> None:
        """Take other settings: what runs ends, what was learnt of it goes."""
        await self.close()
        self.settings, self._tools, self.breaker = settings, (), Breaker()
        self.forget()

    async def rest(self) -> None:
        """End it when nobody asked it anything for a while."""
        if self._process is not None and mono() - self._asked_mono >= IDLE_SECONDS:
            await self.close()

    async def close(self) -> None:
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        process, self._process = self._process, None
        if process is not None:
            await process.end()
        await asyncio.gather(*self._ending, return_exceptions=True)

    async def _quick(self, kind: Kind, values: Sequence[Mapping[str, str]], seconds: float) -> list[str]:
        """The answers that come in time while it is ready; else none, and it is started for the next time."""
        call, process = self.settings.call(kind), self._process
        if call is None or process is None or not self._is_ready() or self.breaker.seconds_left:
            self.warm()
            return []
        self._asked_mono = mono()
        try:
            async with asyncio.timeout(seconds + _LATE_SECONDS):
                told = await asyncio.gather(*(self._one(process, call, value, seconds) for value in values))
        except TimeoutError:  # the second net is late, which is no fault of the provider
            return []
        answers = [answer for answer in told if answer is not None and not isinstance(answer, Unanswered)]
        if answers:
            self._answered(len(answers))
        elif missing := [error for error in told if isinstance(error, Unanswered)]:
            self._failed(process, missing[0])
        return [answer.text for answer in answers if answer.text and not answer.is_error]

    async def _one(
        self, process: "ServerProcess", call: ToolCall, values: Mapping[str, str], seconds: float
    ) -> "Answer | Unanswered | None":
        try:
            return await process.call(call.tool, call.filled(await self._screened(values)), seconds)
        except Unanswered as error:
            return error
        except MemorydError:  # of the second net: then no text may leave
            return None

    async def _screened(self, values: Mapping[str, str]) -> dict[str, str]:
        """Values that may leave: cut, and without what the second net finds."""
        cut = [text[: texts.VALUE_CHARS] for text in values.values()]
        return dict(zip(values, await asyncio.to_thread(without_secrets, self.net(), cut), strict=True))

    async def _ask(self, tool: str, arguments: Mapping[str, Any], seconds: float) -> "Answer":
        process = await self._ready()
        self._asked_mono = mono()
        try:
            answer = await process.call(tool, arguments, seconds)
        except Unanswered as error:
            self._failed(process, error)
            raise
        self._answered(1)
        return answer

    def _answered(self, calls: int) -> None:
        self.calls += calls
        self.breaker.answered()

    def _failed(self, process: "ServerProcess", error: Unanswered) -> None:
        """One that is gone, or keeps missing, is ended; the next call starts another one, once it may."""
        paused = error.code is not Code.REFUSED and self._missed(error)
        if error.code is Code.GONE or paused:
            self._drop(process)

    def _drop(self, process: "ServerProcess") -> None:
        """End it, behind whoever waits for an answer."""
        if self._process is process:
            self._process = None
            task = asyncio.create_task(process.end(seconds=0))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    def _missed(self, error: Unanswered, *, at_once: bool = False) -> bool:
        self.failures += 1
        paused = self.breaker.failed(str(error), at_once=at_once)
        log.warning("provider.failed", code=error.code.value, seconds=round(self.breaker.seconds_left))
        return paused

    def _is_ready(self) -> bool:
        return self._process is not None and not self._process.gone

    async def _ready(self) -> "ServerProcess":
        """:raises Unanswered: it cannot be started, or may not be asked now"""
        if self._process is not None and self._is_ready():
            return self._process
        if left := self.breaker.seconds_left:
            raise Unanswered(Code.PAUSED, f"it is left alone for {left:.0f} s, because {self.breaker.reason}")
        starting = self._start()
        await asyncio.wait([starting])  # who is cancelled here ends no start that others wait for
        if starting.cancelled():
            raise Unanswered(Code.GONE, "it was ended, for its settings have changed")
        return starting.result()

    def _start(self) -> "asyncio.Task[ServerProcess]":
        if self._starting is None:
            self._starting = asyncio.create_task(self._started())
            self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._starting

    async def _started(self) -> "ServerProcess":
        settings, began = self.settings, mono()
        try:
            if self._process is not None:
                await self._process.end(seconds=0)
            if find_spec("mcp") is None:
                raise Unanswered(Code.GONE, "it needs an extra: `pip install 'memoryd[mcp]'`")
            server, names = await asyncio.to_thread(_loaded)
            passed = {name: self.env[name] for name in (*names, *settings.pass_env) if name in self.env}
            self._process = await server.start(settings.command, passed, settings.env, self.place)
        except Unanswered as error:
            self._missed(error, at_once=True)
            raise
        finally:
            self._starting = None
        process = self._process
        process.when_gone(lambda: self._drop(process))
        self._tools, self._asked_mono = process.tools, mono()
        log.info("provider.started", duration_ms=round((mono() - began) * 1000))
        return process


def _loaded() -> "tuple[type[ServerProcess], Sequence[str]]":
    """What a start needs, which no daemon without a provider has; the second: names of variables for any child."""
    from memoryd.daemon.provider.process import ServerProcess
    from memoryd.worker.agents.child.outfit import NAMES

    return ServerProcess, NAMES

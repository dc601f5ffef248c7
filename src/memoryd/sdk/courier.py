"""How events and questions reach the daemon, and what follows when none answers."""

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from memoryd.clock import mono
from memoryd.errors import Busy, CannotWrite, MemorydError, Retry, by_code
from memoryd.ipc import hook, places
from memoryd.ipc.client import Client, Params
from memoryd.ipc.methods.events import HookDeliver, HookDelivered
from memoryd.ipc.places import Places
from memoryd.sdk.delivery import spooled, unpack

REST_SECONDS = float(hook.SLOW_SECONDS)  #: after a missed deadline the daemon is left alone for that long
MAX_UNSENT = 256  #: deliveries that wait in this process; then the oldest are dropped
MAX_UNSENT_CHARS = 8_000_000  #: of them together

WithoutDaemon = Literal["noop", "spool", "raise"]

log = logging.getLogger("memoryd.sdk")  # the application's logging, not the daemon's


class Daemon(Protocol):
    """The one thing that the SDK needs of a daemon; `memoryd.sdk.testing` has one in memory."""

    def call(self, method: str, params: Params, *, timeout: float) -> Any:
        """As `memoryd.ipc.client.Client.call`; called from several threads."""
        ...


@dataclass(frozen=True, slots=True)
class SocketDaemon:
    """A connection a call: nothing is shared between threads, forks, or a daemon and the next one."""

    path: Path

    def call(self, method: str, params: Params, *, timeout: float) -> Any:
        with Client(self.path) as client:
            return client.call(method, params, timeout=timeout)


@dataclass(slots=True, kw_only=True)
class Courier:
    """`deliver` keeps the order of events, so one call of it at a time; `ask` may be called beside it."""

    daemon: Daemon | None  #: None: that of this user
    without_daemon: WithoutDaemon
    enabled: bool = True
    unsent: list[HookDeliver] = field(default_factory=list)
    _rest_until_mono: float = 0.0
    _told: bool = False  #: that there is no daemon; once an outage
    _places: Places | None = None

    def ask(self, method: str, params: Params, deadline_mono: float) -> Any | None:
        """Return the answer, or None where the agent goes on without one.

        :raises MemorydError: what the daemon refuses for good; with `raise` also that there is none, or none in time
        """
        if not self.enabled:
            return None
        try:
            return self._call(method, params, deadline_mono)
        except MemorydError as error:
            self._go_on_without(error)
            return None

    def deliver(self, delivery: HookDeliver, deadline_mono: float) -> HookDelivered | None:
        """Bring events that happened now, after those that wait; None: they were kept, or dropped.

        :raises MemorydError: as `ask`
        """
        if not self.enabled:
            return None
        try:
            self._catch_up(deadline_mono)
            answer: HookDelivered = self._call("hook.deliver", delivery, deadline_mono)
        except MemorydError as error:
            self._go_on_without(error)
            self._keep(delivery)
            return None
        if answer.refused is not None:
            raise by_code(answer.refused.code)(answer.refused.message)
        return answer

    def try_again(self) -> None:
        """Let the next call try, although a deadline was missed: what waits here has no later chance."""
        if self.unsent:
            self._rest_until_mono = 0.0

    def catch_up(self, deadline_mono: float) -> None:
        """Bring what waits, so that the session is known before something is asked about it."""
        try:
            self._catch_up(deadline_mono)
        except MemorydError as error:
            self._go_on_without(error)

    def _call(self, method: str, params: Params, deadline_mono: float) -> Any:
        now = mono()
        if now < self._rest_until_mono:
            raise Busy(f"memoryd missed a deadline and is left alone for {self._rest_until_mono - now:.0f} s")
        try:
            daemon = self.daemon or SocketDaemon(self._find().socket)
            answer = daemon.call(method, params, timeout=deadline_mono - now)
        except Busy:
            self._rest_until_mono = mono() + REST_SECONDS
            raise
        self._told = False
        return answer

    def _catch_up(self, deadline_mono: float) -> None:
        while self.unsent:
            for event in unpack(self.unsent[0]):
                self._publish(event, deadline_mono)
            del self.unsent[0]

    def _publish(self, event: dict[str, Any], deadline_mono: float) -> None:
        """Without recall: nobody waits for it any more. What is refused for good must not hold up the rest."""
        try:
            self._call("event.publish", {"event": event}, deadline_mono)
        except MemorydError as error:
            if error.retry is not Retry.NEVER:
                raise
            log.warning("memoryd refused an event that waited: %s", error)

    def _go_on_without(self, error: MemorydError) -> None:
        if error.retry is Retry.NEVER or self.without_daemon == "raise":
            raise error
        if not self._told:
            self._told = True
            log.warning("the agent goes on without memory: %s", error)

    def _keep(self, delivery: HookDeliver) -> None:
        self.unsent.append(delivery)
        while len(self.unsent) > MAX_UNSENT or sum(len(one.raw) for one in self.unsent) > MAX_UNSENT_CHARS:
            del self.unsent[0]
        if self.without_daemon == "spool":
            self._leave()

    def _leave(self) -> None:
        """All that waits goes to the files that hooks leave; what the disk does not take waits on here."""
        spool = self._find().spool
        try:
            for number, delivery in enumerate(self.unsent):
                hook.spool(os.fspath(spool), *spooled(delivery, number))
        except OSError as error:
            self._go_on_without(CannotWrite(f"cannot write to {spool}: {error.strerror}; free space"))
        else:
            self.unsent = []

    def _find(self) -> Places:
        """At the first call, not when the memory is made: it reads a file."""
        if self._places is None:
            self._places = places.configured()
        return self._places

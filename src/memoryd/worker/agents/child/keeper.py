"""The keeper: waits for the agent, looks at what it uses, and ends it with everything that it started.

It is a process of its own, outside the cage and without any work, so nothing that an agent does can stop it: neither a
loop that never lets go, nor a child of a child in a session of its own. It alone knows that the daemon is gone.
"""

import contextlib
import os
import select
import signal
import sys
import time

from memoryd.worker.agents.brief import Fault
from memoryd.worker.agents.child import tree
from memoryd.worker.agents.child.order import LAST_WORDS, MEGABYTE, Order

LOOK_SECONDS = 0.2  #: between two looks at what is used
END_SECONDS = 5.0  #: for killed processes to be gone
_TURN_SECONDS = 0.01


def keep(agent: int, order: Order, *, look_seconds: float = LOOK_SECONDS) -> int:
    """Return 0 once the agent has ended by itself; whatever it left behind is ended first.

    Ends it when the daemon is gone (the other end of our input is closed), or when it uses too much; then, or when it
    was killed, a fault is said in its place and the status is 1.
    """
    with _Bell() as bell:
        while (status := _reaped(agent)) is None:
            over = "" if bell.waits(look_seconds) else "the daemon is gone"
            if over := over or _too_much(order):
                end_all(os.getpid())
                return _say(over)
    end_all(os.getpid())
    return 0 if status == 0 else _say(_how_it_ended(status))


def adopt_orphans() -> None:
    """Whatever loses its parent below us becomes our own child, where the system can do that."""
    if sys.platform == "linux":
        from memoryd.worker.agents.child import kernel

        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """Be killed when the keeper is killed, where the system can do that."""
    if sys.platform == "linux":
        from memoryd.worker.agents.child import kernel

        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


class _Bell:
    """Wakes at a child's end, at the end of our input, or when the time is over."""

    def __enter__(self) -> "_Bell":
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._poll = select.poll()
        self._poll.register(0, 0)  # nothing is read: the input is the agent's, a hang-up is told all the same
        self._poll.register(self._read, select.POLLIN)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)
        os.close(self._read)
        os.close(self._write)

    def waits(self, seconds: float) -> bool:
        """Return whether the input is still open."""
        told = dict(self._poll.poll(seconds * 1000))
        if self._read in told:
            os.read(self._read, 4096)
        return 0 not in told


def end_all(root: int) -> None:
    """Kill and reap everything below a process, what is started meanwhile too; bounded."""
    until_mono = time.monotonic() + END_SECONDS
    while (found := tree.below(root)) and time.monotonic() < until_mono:
        for one in found:
            if not one.ended:
                tree.kill(one.pid)
        _reaped()
        time.sleep(_TURN_SECONDS)


def _reaped(agent: int = 0) -> int | None:
    """Reap what has ended: the agent's exit status, negative for a signal; None while it runs, or for no agent."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 1
        if pid == 0:
            return None
        if pid == agent:
            return os.waitstatus_to_exitcode(status)


def _too_much(order: Order) -> str:
    found = tree.below(os.getpid())
    if len(found) > order.processes:
        return f"{order.called} started more than {order.processes} processes"
    if sum(one.rss_bytes for one in found) > order.memory_bytes:  # what they share counts for each
        return f"{order.called} used more than {order.memory_bytes // MEGABYTE} MB of memory"
    return ""


def _how_it_ended(status: int) -> str:
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    return f"the agent {how} and gave no answer"


def _say(reason: str) -> int:
    fault = Fault(code="crashed", reason=f"{reason}; {LAST_WORDS}")
    with contextlib.suppress(OSError):  # nobody is there to read it
        os.write(sys.stdout.fileno(), fault.model_dump_json().encode() + b"\n")
    return 1

"""A released host at work on a stage: a home, a project and a daemon, with the hooks that `memoryd install` wrote."""

import html
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from memoryd.daemon.demo import replay
from memoryd.memory import labels
from support.fake_model import Answering, FakeModel, served
from support.host_talk import answer
from support.programs import Program
from support.terminal import Terminal

FACTS = 12  #: more than a snapshot shows
UNSHOWN = "zeta9"  #: a word of a fact that is among the rest
ASK_SECONDS, SETTLE_SECONDS = 100.0, 90.0

#: what tells events of a kind apart: field and default
_TELLING = {
    "session_start": ("source", "startup"), "session_end": ("reason", "other"), "turn": ("status", "ok"),
    "pre_compact": ("trigger", "auto"), "post_compact": ("trigger", "auto"),
}  # fmt: skip
#: what a transcript adds, whenever it is read
_READ = ("message", "tool_use")
_CHECKPOINT = labels.of("en").checkpoint
_TROUBLE = re.compile(r"hook.{0,80}(error|fail|cancell?ed|timed? ?out|not found|denied|invalid)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Told:
    """One event, as the journal has it."""

    session_id: str
    kind: str
    data: Mapping[str, Any]

    def __str__(self) -> str:
        """The kind, and what tells one of them from another."""
        key, usual = _TELLING.get(self.kind, ("", ""))
        return f"{self.kind} {self.data.get(key, usual)}".strip()


class Held(NamedTuple):
    """How often a request to the model holds what memoryd gives."""

    snapshots: int
    checkpoints: int
    prefetches: int


class HostStage(replay.Stage):
    """The home of a host. What runs here has it in its environment, so that nothing that is left running hides."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True)
        self.settings = dict[str, str]()  #: more of the daemon's environment

    def _environment(self) -> dict[str, str]:
        return super()._environment() | {"MEMORYD_CONSOLIDATION__INTERVAL_TURNS": "100"} | self.settings

    def memoryd(self, *words: str) -> str:
        """Run a command of memoryd's; returns what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "memoryd", *words], env=self._environment(), cwd=self.project,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def know(self) -> None:
        """Save facts of the project."""
        for n in range(FACTS):
            name, text = f"Fact number {n}", f"The lantern service part {n} is deployed on machine zeta{n}."
            self.call("memory.save", cwd=str(self.project), name=name, type="project", content=text)

    def events(self, *kinds: str) -> list[Told]:
        """What the journal holds, in the order of its arrival; all of it, or of some kinds."""
        with closing(sqlite3.connect(f"file:{self.places.data}/state.db?mode=ro", uri=True)) as journal:
            rows = journal.execute(
                "select session_id, kind, data from events join sessions on sessions.id = session order by seq"
            ).fetchall()
        told = [Told(session_id=session, kind=kind, data=json.loads(data)) for session, kind, data in rows]
        return [one for one in told if not kinds or one.kind in kinds]

    def left_running(self) -> dict[int, str]:
        """Processes of this home that the daemon did not start: id -> command line."""
        assert self._daemon is not None
        mark, ours = f"HOME={self.home}".encode(), {os.getpid(), self._daemon.pid}
        found, parents = dict[int, str](), dict[int, int]()
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdecimal() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, UnicodeDecodeError):
                continue  # it ended, or is another user's
        for pid in sorted(parents):  # a child has the larger id but for a wrap, which the caller waits out
            ours |= {pid} if parents[pid] in ours - {os.getpid()} else set()
        return {pid: line for pid, line in found.items() if pid not in ours}


class Work:
    """A host at work: what it is asked, what the journal is told of it, what its model gets."""

    def __init__(self, program: Program, stage: HostStage, fake: FakeModel) -> None:
        self.program, self.stage, self.fake = program, stage, fake
        self._told = 0

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.stage.home), "LANG": "C.UTF-8",
            "TMPDIR": str(self.stage.temporary), **self.program.environment(self.fake.url), **more,
        }  # fmt: skip

    def ask(
        self, prompt: str, *, session: str | None = None, fork: bool = False, folder: Path | None = None, **mark: str
    ) -> None:
        """Ask it without a terminal: it ends well, complains of no hook and leaves nothing running."""
        done = subprocess.run(
            self.program.ask(prompt, session=session, fork=fork), cwd=folder or self.stage.project,
            env=self.environment(TERM="xterm-256color", **mark), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=ASK_SECONDS,
        )  # fmt: skip
        shown = done.stdout + done.stderr
        assert done.returncode == 0, shown
        self.is_well(shown)

    def is_well(self, shown: str) -> None:
        found = _TROUBLE.search(shown)
        assert not found, f"{self.program.host} shows {found.group()!r} in:\n{shown}"
        self.wait_for(lambda: not self.stage.left_running(), "end of what it started")

    def terminal(self) -> Terminal:
        return Terminal(self.program.talk(), cwd=self.stage.project, env=self.environment())

    def tells(self, *wanted: str, late: Sequence[str] = ()) -> None:
        """The hooks told this since the last call, in this order; what a busy daemon did not take comes by the spool.

        An end that a host tells several times over is one (Gemini in a terminal).

        :param late: what may stand among it
        """

        def told() -> list[str]:
            hooks = [one for one in self.stage.events() if one.kind not in _READ][self._told :]
            again = [one for before, one in pairwise(hooks) if one == before and one.kind == "session_end"]
            return [str(one) for one in hooks if str(one) not in late and not any(one is each for each in again)]

        with suppress(TimeoutError):
            self.wait_for(lambda: len(told()) >= len(wanted), "event")
        assert told() == list(wanted), (told(), wanted)
        self._told = sum(one.kind not in _READ for one in self.stage.events())

    def requests(self, prompt: str) -> set[Held]:
        """What the requests to the model with this prompt held; not those of the host's own helpers.

        A helper (titles, the host's memory) has few tools or none.
        """
        asked = [one for one in self.fake.asked if prompt in one.text]
        most = max((len(one.tools) for one in asked), default=0)
        texts = [html.unescape(one.text) for one in asked if len(one.tools) > most // 2]
        self.fake.asked.clear()
        return {
            Held(text.count("<project-memory-context>"), text.count(_CHECKPOINT), text.count("<memory-context>"))
            for text in texts
        }

    def wait_for(self, holds: Callable[[], object], what: str) -> None:
        """:raises TimeoutError: it does not hold after a sweep of the daemon either"""
        end = time.monotonic() + SETTLE_SECONDS
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(f"no {what}; running: {self.stage.left_running()}")
            time.sleep(0.05)


@contextmanager
def at_work(
    program: Program,
    folder: Path,
    *,
    answers: Answering = answer,
    settings: Callable[[str], dict[str, str]] = lambda url: {},
) -> Iterator[Work]:
    """A host that is signed in and has our hooks, a daemon that knows a few facts, a model that answers.

    :param settings: of the daemon's environment, for the model's address
    """
    assert program.command  # skips or fails before anything is started
    stage = HostStage(folder)
    with served(answers) as fake:
        stage.settings = settings(fake.url)
        with stage:
            program.sign_in(stage.home, fake.url)
            stage.memoryd("install", program.host, "--yes")
            stage.know()
            yield Work(program, stage, fake)

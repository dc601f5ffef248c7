"""People beside the hosts: one edits, saves and forgets; one searches, and times the floors beside it."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.installation import Installation

from bench.disk import sync
from bench.soak.hosts import FACTS
from bench.soak.times import Taken
from memoryd.errors import MemorydError
from memoryd.ipc.client import Client

PERSON_SECONDS = 7.0
SEARCH_SECONDS = 0.5
NOTES = 12  #: memories that the person saves, again and again
MARK = "- The person's own line "
KILOBYTE = b"x" * 1024

Act = Callable[[Client, int], Any]


class Acting(threading.Thread):
    """Acts in turn, one every `pace_seconds`, until `ending`; what a daemon that is away refuses is counted."""

    def __init__(self, name: str, served: Installation, pace_seconds: float, acts: tuple[Act, ...]) -> None:
        super().__init__(name=name, daemon=True)
        self.ending = threading.Event()
        self.done, self.refused = 0, dict[str, int]()
        self.failure: BaseException | None = None
        self._served, self._pace_seconds, self._acts = served, pace_seconds, acts

    def run(self) -> None:
        try:
            with self._served.client() as client:
                while not self.ending.wait(self._pace_seconds):
                    self._act(client)
        except BaseException as error:
            self.failure = error

    def _act(self, client: Client) -> None:
        act = self._acts[self.done % len(self._acts)]
        try:
            act(client, self.done)
        except MemorydError as error:
            self.refused[error.code] = self.refused.get(error.code, 0) + 1
        self.done += 1

    def end(self) -> None:
        """:raises BaseException: what it met"""
        self.ending.set()
        self.join(60)
        if self.failure is not None:
            raise self.failure


class Person:
    """Edits `preferences.md` in two manners; saves, forgets and undoes through the daemon."""

    def __init__(self, served: Installation, root: str) -> None:
        self._file = served.places.user_memory / "preferences.md"
        self._root = root
        self.line = ""  #: what they wrote last: it must stand whatever runs do
        self.acting = Acting(
            "person", served, PERSON_SECONDS, (self._in_place, self._save, self._by_rename, self._undo, self._forget)
        )

    def stands(self) -> bool:
        """Whether the last edit is in the file, once."""
        return not self.line or self._file.read_text().splitlines().count(self.line) == 1

    def _in_place(self, client: Client, number: int) -> None:
        if text := self._edited(number):
            self._file.write_text(text)

    def _by_rename(self, client: Client, number: int) -> None:
        if text := self._edited(number):
            beside = self._file.with_name(".preferences.swp")
            beside.write_text(text)
            beside.rename(self._file)

    def _edited(self, number: int) -> str:
        """The file with this person's line replaced; '' while there is no file."""
        if not self._file.exists():
            return ""
        self.line = f"{MARK}{number}"
        kept = [line for line in self._file.read_text().splitlines() if not line.startswith(MARK)]
        return "\n".join([*kept, self.line]) + "\n"

    def _save(self, client: Client, number: int) -> Any:
        note = number % NOTES
        return client.call("memory.save", {
            "name": f"Soak note {note}", "type": "project", "cwd": self._root,
            "content": f"Deploy number {number} of service {note} went to the second region.",
        })  # fmt: skip

    def _undo(self, client: Client, number: int) -> None:
        if run := self._save(client, number).run:
            client.call("memory.undo", {"run": run, "cwd": self._root})

    def _forget(self, client: Client, number: int) -> None:
        client.call("memory.forget", {"name": f"Soak note {number % NOTES}", "cwd": self._root})


class Searcher:
    """Searches memories and past texts, asks what a session start is given; between them the floors are timed."""

    def __init__(self, served: Installation, root: str, room: Path, taken: Taken) -> None:
        self._root, self._taken = root, taken
        self._floor = os.open(room / "floor", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        self.acting = Acting("searcher", served, SEARCH_SECONDS, (self._memories, self._past, self._snapshot))

    def _memories(self, client: Client, number: int) -> None:
        query = FACTS[number % len(FACTS)].removeprefix("I prefer ")
        self._ask(client, "memory.search", {"query": query, "cwd": self._root})

    def _past(self, client: Client, number: int) -> None:
        self._ask(client, "session.search", {"query": f"ticket {number} tests", "cwd": self._root})

    def _snapshot(self, client: Client, number: int) -> None:
        self._ask(client, "recall.snapshot", {"cwd": self._root})

    def _ask(self, client: Client, method: str, params: dict[str, Any]) -> None:
        with self._taken.timing("round trip"):
            client.call("daemon.health")
        with self._taken.timing(method):
            client.call(method, params)
        with self._taken.timing("fdatasync"):
            os.write(self._floor, KILOBYTE)
            sync(self._floor)

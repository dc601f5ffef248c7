"""memoryd as one of the tools: messages through `event.publish`, asked by `session.search`."""

import contextlib
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from support.installation import Installation, until

from bench.peers.tool import SETTLED_SECONDS, Document, Tool, until_rest
from memoryd import __version__
from memoryd.clock import rfc3339
from memoryd.ipc import hookscript
from memoryd.ipc.client import Client


@dataclass(slots=True)
class Memoryd(Tool):
    name: ClassVar[str] = "memoryd"
    version: ClassVar[str] = __version__
    through: ClassVar[str] = "its socket (`event.publish`, `session.search`)"
    more: ClassVar[str] = ""

    served: Installation = field(init=False)
    client: Client = field(init=False)
    keys: dict[tuple[str, datetime], str] = field(default_factory=dict, init=False)

    def start(self) -> None:
        self.served = Installation(self.home, settings={"RETENTION__DAYS": "36500"})  # what is asked is years old
        self.served.start()
        self.process = self.served.process
        self.client = self.served.client()

    def write(self, document: Document) -> None:
        event = {
            "id": document.key, "kind": "message", "host": "generic", "at": rfc3339(document.at),
            "session_id": document.session, "cwd": str(self.home),
            "data": {"role": document.role, "text": document.text},
        }  # fmt: skip
        self.client.call("event.publish", {"event": event}, timeout=20)
        self.keys[document.session, document.at] = document.key

    def hook(self) -> tuple[Sequence[str], Mapping[str, str]]:
        script = self.home / "hook"
        hookscript.write(script, hookscript.generate(self.served.places, Path(sys.executable)))
        return [str(script), "claude-code", "UserPromptSubmit"], self.served.env

    def settle(self) -> None:
        until(lambda: not self.client.call("daemon.health").index_behind, seconds=SETTLED_SECONDS)
        until_rest(self.pid)

    def search(self, query: str, limit: int) -> Sequence[str]:
        asked = {"query": query[:2000], "cwd": str(self.home), "limit": limit}
        items = self.client.call("session.search", asked).items
        return [self.keys[item.session.partition("/")[2], item.at] for item in items]

    def count(self) -> int:
        with contextlib.closing(sqlite3.connect(f"file:{self.served.database}?mode=ro", uri=True)) as database:
            return int(database.execute("select count(*) from events where kind = 'message'").fetchone()[0])

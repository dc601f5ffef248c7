"""The second net: a scanner that knows secrets which our own rules do not, before text goes to an agent or to disk.

It is the extra `scan` (kingfisher-secret-scanner), used when `[privacy] scanner = true`. It needs 60 MB and half a
second to start, so it lives in a child process for one question and never in the daemon. It detects; what it could
validate over the network is never asked.
"""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from memoryd.errors import InternalError
from memoryd.ipc import hook, redaction
from memoryd.memory.changes import decode
from memoryd.memory.model import MemoryView
from memoryd.memory.ports import FileChange
from memoryd.worker.projection import Projection, SessionSlice

PACKAGE = "kingfisher_sdk"
SECONDS = 60.0  #: for one question; the first one ever compiles the scanner's rules

Places = list[tuple[int, int]]
Put = Callable[[str], str]


class Net(Protocol):
    """Finds secrets in texts. Blocking."""

    def find(self, texts: Sequence[str]) -> list[Places]:
        """The characters that are secrets, `(start, end)`, of each text.

        :raises InternalError: it could not look; then no text may go on
        """
        ...


class NoNet:
    """What is used by default."""

    def find(self, texts: Sequence[str]) -> list[Places]:
        return [[] for _ in texts]


class ChildNet:
    """The scanner, in a child process for each question."""

    def find(self, texts: Sequence[str]) -> list[Places]:
        if not texts:
            return []
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-m", "memoryd.worker.scan_child"], input=json.dumps(texts).encode(),
                capture_output=True, check=True, timeout=SECONDS, env={**os.environ, hook.CHILD: "1"},
            )  # fmt: skip
            return [[(start, end) for start, end in places] for places in json.loads(done.stdout)]
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise InternalError(
                f"the secret scanner failed ({type(error).__name__}); mend it, or set [privacy] scanner = false"
            ) from None  # its cause would quote what it was given


def is_installed() -> bool:
    return importlib.util.find_spec(PACKAGE) is not None


def choose(wanted: bool) -> Net:
    """The net that is wanted, as far as it is installed; `memoryd status` says when it is not."""
    return ChildNet() if wanted and is_installed() else NoNet()


def screened(net: Net, projection: Projection, memory: MemoryView) -> tuple[Projection, MemoryView]:
    """What an agent may read: the same, with a placeholder for each secret that the net found. Blocking."""
    if isinstance(net, NoNet):
        return projection, memory
    texts = list(dict.fromkeys([*_texts_of(projection), *_texts_of_memory(memory)]))
    shown = dict(zip(texts, _replaced(net, texts), strict=True))
    return _projection(projection, shown.__getitem__), _memory(memory, shown.__getitem__)


def without_secrets(net: Net, texts: Sequence[str]) -> list[str]:
    """The same texts, with a placeholder for each secret that the net found. Blocking."""
    return list(texts) if isinstance(net, NoNet) else _replaced(net, texts)


def catches(net: Net, changes: Iterable[FileChange]) -> bool:
    """Whether a line that a file did not have before holds a secret. Blocking."""
    fresh = ["\n".join(_fresh(change)) for change in changes if change.new is not None]
    return any(net.find(fresh))


def _fresh(change: FileChange) -> list[str]:
    before = set(decode(change.base or b"").split("\n"))
    return [row for row in decode(change.new or b"").split("\n") if row not in before]


def _replaced(net: Net, texts: Sequence[str]) -> list[str]:
    return [
        redaction.replace(text, [redaction.Span(start, end, redaction.SCANNED) for start, end in places])
        for text, places in zip(texts, net.find(texts), strict=True)
    ]


def _texts_of(projection: Projection) -> Iterable[str]:
    yield projection.instructions
    for session in projection.sessions:
        yield session.projection
        yield from (utterance.text for utterance in session.utterances)
        yield from (tool.summary for tool in session.tools)


def _projection(projection: Projection, put: Put) -> Projection:
    return replace(
        projection,
        instructions=put(projection.instructions),
        sessions=tuple(_session(session, put) for session in projection.sessions),
    )


def _session(session: SessionSlice, put: Put) -> SessionSlice:
    return replace(
        session,
        projection=put(session.projection),
        utterances=tuple(replace(u, text=put(u.text)) for u in session.utterances),
        tools=tuple(replace(t, summary=put(t.summary)) for t in session.tools),
    )


def _texts_of_memory(memory: MemoryView) -> Iterable[str]:
    yield from memory.files.values()
    yield from (line.text for line in memory.core)
    for _, entry in memory.entries:
        yield from (entry.name, entry.description, entry.body)


def _memory(memory: MemoryView, put: Put) -> MemoryView:
    return replace(
        memory,
        files={key: put(text) for key, text in memory.files.items()},
        core=tuple(replace(line, text=put(line.text)) for line in memory.core),
        entries=tuple(
            (root, replace(e, name=put(e.name), description=put(e.description), body=put(e.body)))
            for root, e in memory.entries
        ),
    )

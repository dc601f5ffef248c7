"""From the log to the log store: in batches of 128 or after 2 s, in a thread that lives as long as there is something
to write. At rest there is no thread, no timer and no connection.
"""

import contextlib
import logging
import queue
import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import structlog

from memoryd.daemon.logstore import LogLine, LogStore
from memoryd.errors import MemorydError
from memoryd.ipc.redaction import redact

BATCH_ROWS = 128
BATCH_SECONDS = 2.0
MAX_WAITING = 4096  #: lines that wait for a slow disk; then the oldest are lost
SETTLE_SECONDS = 1.0  #: at the end, for what waits
_MAX_CHARS, _MAX_PARTS = 200, 10

#: what is stored of a log event: ids, sizes, paths ...
FIELDS = frozenset({
    "attempt", "block", "candidate", "chosen", "data", "dir", "dirs", "duration_ms", "events", "file", "files",
    "found", "host", "id", "lines", "names", "notes", "pid", "procedures", "records", "run", "runs",
    "seconds", "service", "skipped", "staged", "tokens", "usd", "version",
})  # fmt: skip
#: ... and codes: one word each; a sentence may quote what was said, and is left to stderr
CODES = frozenset({"code", "error", "hook", "method", "outcome", "reason", "step"})
_CODE = re.compile(r"[\w.:/-]{1,100}", re.ASCII)

log = structlog.get_logger("logs")


class LogKeeper(logging.Handler):
    """Takes events in without waiting; what the store does can neither slow nor break the one who logs."""

    def __init__(self, store: LogStore) -> None:
        super().__init__()
        self._store = store
        self._waiting: queue.SimpleQueue[LogLine] = queue.SimpleQueue()
        self._writing = threading.Lock()  #: held by the thread for as long as it lives; only ever tried
        self._resting = threading.Lock()  #: the thread waits for it; released, it wakes before its time
        self._resting.acquire()
        self._thread: threading.Thread | None = None
        self._closing = False
        self._failing = False

    def handle(self, record: logging.LogRecord) -> bool:
        """Without the lock of other handlers: nothing here needs it."""
        self.emit(record)
        return True

    def emit(self, record: logging.LogRecord) -> None:
        if self._waiting.qsize() >= MAX_WAITING:
            with contextlib.suppress(queue.Empty):
                self._waiting.get_nowait()
        self._waiting.put(line_of(record))
        if self._waiting.qsize() >= BATCH_ROWS:
            self._hurry()
        if self._writing.acquire(blocking=False):
            self._start()

    def close(self) -> None:
        """Let what waits be written soon; does not wait for it."""
        self._closing = True
        self._hurry()
        super().close()

    def settle(self) -> None:
        """Wait, bounded, until what waits is written. At the end of the process."""
        self.close()
        if (thread := self._thread) is not None:
            thread.join(SETTLE_SECONDS)

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="log-store", daemon=True)
        try:
            thread.start()
            self._thread = thread
        except RuntimeError:  # no thread to be had, or the interpreter ends: the next event tries again
            self._writing.release()

    def _hurry(self) -> None:
        with contextlib.suppress(RuntimeError):  # it was told already
            self._resting.release()

    def _run(self) -> None:
        """Write until nothing waits. An event that comes as this ends is seen here, or starts another thread."""
        while True:
            try:
                while batch := self._batch():
                    self._write(batch)
            finally:
                self._writing.release()
            if self._waiting.empty() or not self._writing.acquire(blocking=False):
                return

    def _batch(self) -> list[LogLine]:
        """The next lines to write, after a rest in which more may come; none: nothing waits."""
        if self._waiting.empty():
            return []
        if not self._closing and self._waiting.qsize() < BATCH_ROWS:
            self._resting.acquire(timeout=BATCH_SECONDS)
        batch: list[LogLine] = []
        with contextlib.suppress(queue.Empty):
            while len(batch) < BATCH_ROWS:
                batch.append(self._waiting.get_nowait())
        return batch

    def _write(self, batch: list[LogLine]) -> None:
        try:
            self._store.write([_redacted(line) for line in batch])
            self._failing = False
        except MemorydError as error:
            if not self._failing:  # once, until it works again: this line, too, comes here
                self._failing = True
                log.warning("logs.unwritten", code=error.code, records=len(batch))


def line_of(record: logging.LogRecord) -> LogLine:
    """What is stored of a record; of a foreign one, whose text may be anything, only where it came from."""
    said: Mapping[str, Any] = record.msg if isinstance(record.msg, dict) else {}
    fields = {name: _short(value) for name, value in said.items() if name in FIELDS or _is_code(name, value)}
    return LogLine(
        at=datetime.fromtimestamp(record.created, UTC), level=record.levelno, logger=record.name,
        event=_short(said.get("event", "foreign")), session=_short(said.get("session") or ""),
        fields=fields if said else {"where": f"{record.module}:{record.lineno}"},
    )  # fmt: skip


def _is_code(name: str, value: Any) -> bool:
    return name in CODES and isinstance(value, str) and _CODE.fullmatch(value) is not None


def _short(value: Any) -> Any:
    match value:
        case bool() | int() | float() | None:
            return value
        case list() | tuple():
            return [_short(part) for part in value[:_MAX_PARTS]]
        case _:  # a path need not be Unicode
            return str(value)[:_MAX_CHARS].encode(errors="replace").decode()


def _redacted(line: LogLine) -> LogLine:
    """In the thread: an id or a name that a host chose may be anything."""
    return replace(line, event=redact(line.event), session=redact(line.session), fields=_without_secrets(line.fields))


def _without_secrets(value: Any) -> Any:
    match value:
        case str():
            return redact(value)
        case list():
            return [_without_secrets(part) for part in value]
        case dict():
            return {name: _without_secrets(part) for name, part in value.items()}
        case _:
            return value

"""The errors of memoryd: a stable code, an exit status, when to try again, and a sentence that says what to do.

Codes and exit statuses are part of the contract (docs/protocol.md). OS errors are translated where they are met,
with `raise ... from`.
"""

from enum import StrEnum
from typing import ClassVar


class Retry(StrEnum):
    """When sending the same request again can help."""

    NEVER = "never"
    LATER = "later"
    AFTER_RESTART = "after-restart"


class MemorydError(Exception):
    """Base of every error that leaves a room. `str(error)` is a sentence for people."""

    code: ClassVar[str] = "internal"
    exit_status: ClassVar[int] = 70
    retry: ClassVar[Retry] = Retry.NEVER


class NotFound(MemorydError):
    code, exit_status = "not-found", 1


class UsageError(MemorydError):
    code, exit_status = "usage", 2


class UnknownMethod(MemorydError):
    code, exit_status = "unknown-method", 2


class BadEvent(MemorydError):
    code, exit_status = "bad-event", 65


class LineTooLong(MemorydError):
    code, exit_status = "line-too-long", 65


class NoDaemon(MemorydError):
    code, exit_status, retry = "no-daemon", 69, Retry.LATER


class InternalError(MemorydError):
    code, exit_status, retry = "internal", 70, Retry.LATER


class RestartNeeded(MemorydError):
    code, exit_status, retry = "restart-needed", 71, Retry.AFTER_RESTART


class CannotWrite(MemorydError):
    code, exit_status, retry = "cannot-write", 73, Retry.LATER


class Busy(MemorydError):
    code, exit_status, retry = "busy", 75, Retry.LATER


class FolderSilent(Busy):
    """The disk does not say what holds for a folder that nobody has looked at yet; what happened there waits."""


class JournalFull(MemorydError):
    code, exit_status, retry = "journal-full", 75, Retry.LATER


class LimitExceeded(MemorydError):
    code, exit_status = "limit-exceeded", 75


class ShuttingDown(MemorydError):
    code, exit_status, retry = "shutting-down", 75, Retry.AFTER_RESTART


class Conflict(MemorydError):
    code, exit_status, retry = "conflict", 76, Retry.LATER


class PathRefused(MemorydError):
    code, exit_status = "path-refused", 77


class ScanRejected(MemorydError):
    code, exit_status = "scan-rejected", 77


class CageUnavailable(MemorydError):
    code, exit_status = "cage-unavailable", 77


class ConfigError(MemorydError):
    code, exit_status = "configuration", 78


def by_code(code: str) -> type[MemorydError]:
    """Return the error class of a wire code; an unknown code (a newer daemon) is an InternalError."""
    return next((kind for kind in MemorydError.__subclasses__() if kind.code == code), InternalError)

"""System calls that Python has no names for. Loaded in a child, or when someone asks what this machine has."""

import ctypes
import os
from typing import Any

_LIBC = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22


def prctl(option: int, argument: int = 0, second: Any = None) -> None:
    """:raises OSError: the kernel refused"""
    word = ctypes.c_ulong
    _checked(_LIBC.prctl(option, word(argument), word(0) if second is None else second, word(0), word(0)))


def syscall(number: int, *arguments: Any) -> int:
    """:raises OSError: the kernel refused, or does not know the call"""
    return _checked(_LIBC.syscall(ctypes.c_long(number), *arguments))


def drop_capabilities() -> None:
    """Those of a daemon that root runs; with no new privileges set, no program brings them back.

    :raises OSError: the kernel refused
    """
    version_3, words = 0x20080522, ctypes.c_uint32 * 6
    _checked(_LIBC.capset((ctypes.c_uint32 * 2)(version_3, 0), words()))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

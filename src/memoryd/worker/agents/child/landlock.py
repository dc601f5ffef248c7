"""Landlock: a process gives up, for itself and all that it starts, what it does not need. Linux 5.13 and later.

Numbers and structures: <linux/landlock.h>. What a kernel does not know yet is left out: `abi` says what there is.
"""

import ctypes
import os
import stat
from collections.abc import Iterable, Sequence

from memoryd.worker.agents.child import kernel

_CREATE, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  #: the same on every architecture
_VERSION = 1
_BELOW, _PORT = 1, 2  #: kinds of rules

#: rights on files, in the order of their bits, and the ABI that brought the later ones
(
    EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK,
    MAKE_FIFO, MAKE_BLOCK, MAKE_SYM, REFER, TRUNCATE, IOCTL_DEV,
) = (1 << bit for bit in range(16))  # fmt: skip
_BITS_OF_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

READ = EXECUTE | READ_FILE | READ_DIR
DEVICE = READ_FILE | WRITE_FILE
#: all but devices, and but rights on the directory itself that a child never needs
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_SYM
WRITE |= REFER | TRUNCATE

_BIND_TCP, _CONNECT_TCP = 1, 2  #: of ABI 4
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2  #: of ABI 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("ports", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Below(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class _Port(ctypes.Structure):
    _fields_ = (("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64))


def abi() -> int:
    """The version that this kernel has; 0: none, or switched off."""
    try:
        return kernel.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    except OSError:
        return 0


def restrict(rules: Iterable[tuple[str, int]], ports: Sequence[int] | None) -> None:
    """Allow what the rules say, and nothing else, from now on. The process must have no other thread.

    No new privileges must be set before.

    :param rules: a path, with all that is below it, and rights; a path that is not there is left out
    :param ports: TCP ports that may be connected to (ABI 4); None: all
    :raises OSError: the kernel refused
    """
    version = abi()
    files = (1 << _BITS_OF_ABI[min(version, 5)]) - 1
    network = _BIND_TCP | _CONNECT_TCP if version >= 4 and ports is not None else 0
    scoped = _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS if version >= 6 else 0
    wanted = _Ruleset(files, network, scoped)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = kernel.syscall(_CREATE, ctypes.byref(wanted), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for path, rights in rules:
            _allow(ruleset, path, rights & files)
        for port in ports or () if network else ():
            _add(ruleset, _PORT, _Port(_CONNECT_TCP, port))
        kernel.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_A_FILE
        _add(ruleset, _BELOW, _Below(rights, opened))
    finally:
        os.close(opened)


def _add(ruleset: int, kind: int, rule: ctypes.Structure) -> None:
    kernel.syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(kind), ctypes.byref(rule), ctypes.c_uint32(0))

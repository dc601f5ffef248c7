"""No socket but of the internet: Landlock does not keep a process from connecting to a Unix socket by its path.

At such a socket it would find the daemon itself, agents of keys, or a container engine that gives it the machine.
Pairs of sockets, which processes make for themselves, stay.
"""

import ctypes
import errno
import os
import socket

from memoryd.worker.agents.child import kernel

_FILTER = 2  #: mode of PR_SET_SECCOMP
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  #: of BPF: words, jumps, the end
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  #: offsets in struct seccomp_data, little endian
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_X32 = 0x40000000  #: the other numbering of x86-64
_FAMILIES = (int(socket.AF_INET), int(socket.AF_INET6), 16)  #: the last is netlink: how the C library sees interfaces

#: machine -> (AUDIT_ARCH, socket, ptrace); io_uring, which opens sockets past this filter, has one number everywhere
_MACHINES = {"x86_64": (0xC000003E, 41, 101), "aarch64": (0xC00000B7, 198, 117)}
_IO_URING_SETUP = 425


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("first", ctypes.POINTER(_Instruction)))


def restrict() -> bool:
    """Set the filter, for this process and all that it starts; returns False where this machine has none.

    No new privileges must be set before.
    """
    known = _MACHINES.get(os.uname().machine)
    if known is None:
        return False
    steps = _steps(*known)
    listed = (_Instruction * len(steps))(*(_Instruction(*step) for step in steps))
    try:
        kernel.prctl(kernel.PR_SET_SECCOMP, _FILTER, ctypes.byref(_Program(len(steps), listed)))
    except OSError:
        return False
    return True


def _steps(architecture: int, of_socket: int, of_ptrace: int) -> list[tuple[int, int, int, int]]:
    """The filter: (code, steps to skip if true, if false, constant)."""
    families = len(_FAMILIES)
    ends = [
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT),
    ]
    size = 8 + families
    allow, unknown, refused, no_family = range(size, size + 4)
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 0, unknown, architecture),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, unknown, 0, _X32),
        (_EQUAL, unknown, 0, _IO_URING_SETUP),
        (_EQUAL, refused, 0, of_ptrace),
        (_EQUAL, 0, allow, of_socket),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        *((_EQUAL, allow, no_family if last else 0, family) for last, family in _last_marked(_FAMILIES)),
    ]
    return [*(_relative(step, at) for at, step in enumerate(steps)), *ends]


def _last_marked(families: tuple[int, ...]) -> list[tuple[bool, int]]:
    return [(family == families[-1], family) for family in families]


def _relative(step: tuple[int, int, int, int], at: int) -> tuple[int, int, int, int]:
    """Jumps count from the next step on; 0 stays 0: it is the next step."""
    code, yes, no, constant = step
    return code, yes and yes - at - 1, no and no - at - 1, constant

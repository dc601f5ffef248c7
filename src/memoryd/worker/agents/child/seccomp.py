"""What Landlock does not keep in: Unix sockets, which it lets be connected to by path, other processes, and modes.

At such a socket it would find the daemon itself, agents of keys, or a container engine that gives it the machine; with
the limits of the daemon's process it would end it. Pairs of sockets, which processes make for themselves, stay.
"""

import ctypes
import errno
import os
import socket
from collections.abc import Iterator, Sequence

from memoryd.worker.agents.child import kernel

_FILTER = 2  #: mode of PR_SET_SECCOMP
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  #: of BPF: words, jumps, the end
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  #: offsets in struct seccomp_data, little endian
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_X32 = 0x40000000  #: the other numbering of x86-64
_FAMILIES = (int(socket.AF_INET), int(socket.AF_INET6), 16)  #: the last is netlink: how the C library sees interfaces

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  #: -> column of the tables, AUDIT_ARCH

#: (x86-64, aarch64); 0: there is none. What opens sockets past this filter is answered as if it were not there
_IO_URING_SETUP = (425, 425)
_SOCKET = (41, 198)
#: that reach into other processes
_OTHERS = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
}  # fmt: skip
#: that a process may use on itself: argument -> the one value that it may have; a pid of 0 is the caller
_ONESELF = {
    "prlimit64": ((302, 261), {0: 0}), "sched_setparam": ((142, 118), {0: 0}),
    "sched_setscheduler": ((144, 119), {0: 0}), "sched_setaffinity": ((203, 122), {0: 0}),
    "sched_setattr": ((314, 274), {0: 0}), "migrate_pages": ((256, 238), {0: 0}), "move_pages": ((279, 239), {0: 0}),
    "setpriority": ((141, 140), {0: 0, 1: 0}), "ioprio_set": ((251, 30), {0: 1, 1: 0}),  # not a group, nor a user
}  # fmt: skip
#: owners and attributes of files, which Landlock lets be changed anywhere
_OWNERS = {
    "chown": (92, 0), "lchown": (94, 0), "fchown": (93, 55), "fchownat": (260, 54),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}  # fmt: skip
#: modes and times of files, the same
_MODES = {
    "chmod": (90, 0), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "utime": (132, 0), "utimes": (235, 0), "futimesat": (261, 0), "utimensat": (280, 88),
}  # fmt: skip

_Step = tuple[int, int, int, int]  #: code, steps to skip if true, if false, constant


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("first", ctypes.POINTER(_Instruction)))


def restrict(*, modes: bool) -> bool:
    """Set the filter, for this process and all that it starts; returns False where this machine has none.

    No new privileges must be set before.

    :param modes: leave it the modes and times of files
    """
    known = _MACHINES.get(os.uname().machine)
    if known is None:
        return False
    steps = list(_steps(*known, modes=modes))
    listed = (_Instruction * len(steps))(*(_Instruction(*step) for step in steps))
    try:
        kernel.prctl(kernel.PR_SET_SECCOMP, _FILTER, ctypes.byref(_Program(len(steps), listed)))
    except OSError:
        return False
    return True


def _steps(column: int, architecture: int, *, modes: bool) -> Iterator[_Step]:
    """The filter. After the head each call has steps of its own, which end it: the number stays loaded for the next."""
    yield from ((_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), _refusal(errno.ENOSYS))
    yield from ((_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), _refusal(errno.ENOSYS))
    yield from _call(_IO_URING_SETUP[column], [_refusal(errno.ENOSYS)])
    for numbers in [*_OTHERS.values(), *_OWNERS.values(), *(() if modes else _MODES.values())]:
        if numbers[column]:
            yield from _call(numbers[column], [_refusal(errno.EPERM)])
    for numbers, wanted in _ONESELF.values():
        checks = [step for argument, value in wanted.items() for step in _one_of(argument, [value], errno.EPERM)]
        yield from _call(numbers[column], [*checks, (_RETURN, 0, 0, _ALLOW)])
    families = _one_of(0, _FAMILIES, errno.EAFNOSUPPORT)
    yield from _call(_SOCKET[column], [*families, (_RETURN, 0, 0, _ALLOW)])
    yield (_RETURN, 0, 0, _ALLOW)


def _call(number: int, steps: Sequence[_Step]) -> list[_Step]:
    """What is done about one call; the steps end it."""
    return [(_EQUAL, 0, len(steps), number), *steps]


def _one_of(argument: int, values: Sequence[int], otherwise: int) -> list[_Step]:
    """Go on where the argument, of 32 bits, is one of the values."""
    left = range(len(values), 0, -1)
    tried = [(_EQUAL, more, 0, value) for more, value in zip(left, values, strict=True)]
    return [(_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument), *tried, _refusal(otherwise)]


def _refusal(error: int) -> _Step:
    return (_RETURN, 0, 0, _ERRNO | error)

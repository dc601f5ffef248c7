"""The cage of an agent, entered before it reads anything: Landlock, else bubblewrap, else none if a person allows that.

What it may do: read the system's and the program's own files and what its order names, write to its own folder, connect
to the ports of its order. Not: the person's home, memoryd's data, Unix sockets, signals to others and their limits and
priorities, owners, modes and times of files, more privileges.
"""

import contextlib
import os
import resource
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import memoryd
from memoryd.worker.agents.brief import AgentFault
from memoryd.worker.agents.child import bubblewrap
from memoryd.worker.agents.child.order import MEGABYTE, Order

FILE_BYTES = 256 * MEGABYTE  #: of one file
SPARE_TASKS = 512  #: that the user may have more than now; threads count

#: what programs need of the system, with all below it
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store",
    "/etc/alternatives", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies", "/etc/gai.conf",
    "/etc/group", "/etc/host.conf", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/pki",
    "/etc/protocols", "/etc/resolv.conf", "/etc/services", "/etc/ssl", "/proc",
    "/sys/devices/system/cpu", "/sys/fs/cgroup",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def enter(order: Order) -> None:
    """Cage this process and all that it starts; with bubblewrap the program begins anew inside.

    :raises AgentFault: `cage`: there is none here, and nobody has allowed to do without
    """
    _limit(order)
    if sys.platform != "linux":
        _without(order)
        return
    from memoryd.worker.agents.child import kernel, landlock, seccomp

    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if landlock.abi() and not order.inside:
        reads, writes = readable(order), (*order.writes, order.work)
        rules = [*((path, landlock.READ) for path in reads), *((path, landlock.WRITE) for path in writes)]
        landlock.restrict([*rules, *((path, landlock.DEVICE) for path in DEVICES)], order.ports)
    elif not order.inside:
        _begin_inside(order)
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):  # a service's own filter may have taken the call away
            kernel.drop_capabilities()
    seccomp.restrict(modes=order.modes)


def describe() -> tuple[bool, str]:
    """Whether there is a cage on this machine, and which. Blocking."""
    if sys.platform == "linux":
        from memoryd.worker.agents.child import landlock

        if version := landlock.abi():
            missing = "" if version >= 6 else "; signals are not kept in" if version >= 4 else "; ports are not kept"
            return True, f"Landlock, version {version}{missing}"
    program = bubblewrap.usable()
    if program:
        return True, f"bubblewrap, {program}; ports are not kept"
    return False, "neither Landlock (Linux 5.13 or later) nor bubblewrap is here"


def readable(order: Order) -> list[str]:
    """The places that a caged process may read; never the home directory itself, nor one above it."""
    own = [sys.prefix, sys.base_prefix, *sys.path, str(Path(memoryd.__file__).parent)]
    home = os.path.realpath(os.path.expanduser("~"))
    found = dict.fromkeys([*SYSTEM, *own, *order.reads])
    return [path for path in found if path.startswith("/") and not _holds(os.path.realpath(path), home)]


def _holds(path: str, home: str) -> bool:
    return os.path.commonpath([path, home]) == path


def _begin_inside(order: Order) -> None:
    """:raises AgentFault: there is no bubblewrap, and nobody has allowed to do without"""
    program = bubblewrap.usable()
    if program is None:
        _without(order)
        return
    inner = [sys.executable, *sys.orig_argv[1:-1], replace(order, inside=True).line()]
    os.execv(
        program,
        bubblewrap.argv(program, reads=readable(order), writes=order.writes, work=order.work, inner=inner),
    )


def _without(order: Order) -> None:
    if not order.allow_uncaged:
        raise AgentFault(
            "cage",
            "there is no cage for the agent on this machine: it needs Linux 5.13 with Landlock, or bubblewrap; install"
            " bubblewrap, or set [agent] allow_uncaged = true to do without",
        )


def _limit(order: Order) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_CPU: order.cpu_seconds,
        resource.RLIMIT_NPROC: _tasks() + SPARE_TASKS,
    }
    if order.address_bytes:
        limits[resource.RLIMIT_AS] = order.address_bytes
    for kind, wanted in limits.items():
        hard = resource.getrlimit(kind)[1]
        bounded = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (bounded, bounded))


def _tasks() -> int:
    """Threads of our user: the limit of processes counts all of them."""
    return sum(1 for _ in _own_threads()) if sys.platform == "linux" else SPARE_TASKS


def _own_threads() -> Iterator[str]:
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == os.getuid():
                yield from os.listdir(f"{entry.path}/task")

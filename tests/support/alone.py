"""`python tests/support/alone.py COMMAND...`: run it where there is no network but the loopback (Linux, root).

Where that is refused it says so and runs all the same.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys

_CLONE_NEWNET = 0x40000000
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1


def leave_the_network() -> None:
    """Go into a network namespace of our own, with its loopback up.

    :raises OSError: not Linux, not root, or a container that does not let us
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack_from("h", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request), 16)[0]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def main(command: list[str]) -> None:
    try:
        leave_the_network()
    except (OSError, AttributeError) as error:
        print(f"no network namespace ({error}): what follows may reach the network of this machine", file=sys.stderr)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])

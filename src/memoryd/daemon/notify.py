"""What systemd wants to hear, and the sockets that it hands over. Twenty lines instead of a library."""

import os
import socket

FIRST_FD = 3


def sd_notify(message: str) -> bool:
    """Send `READY=1`, `STATUS=...`, `WATCHDOG=1` or `STOPPING=1`; False when nobody listens."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifier:
        try:
            notifier.connect("\0" + address[1:] if address[0] == "@" else address)
            notifier.sendall(message.encode())
        except OSError:
            return False
    return True


def watchdog_seconds() -> float | None:
    """How often `WATCHDOG=1` is due: half of what the unit allows."""
    wanted = os.environ.get("WATCHDOG_USEC", "")
    ours = os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(wanted) / 2_000_000 if wanted.isdigit() and ours else None


def activated_socket() -> socket.socket | None:
    """The listening socket of an activated start, once; the variables are taken out of the environment."""
    ours = os.environ.get("LISTEN_PID") == str(os.getpid())
    count = os.environ.get("LISTEN_FDS", "0")
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        os.environ.pop(name, None)
    if not ours or not count.isdigit() or int(count) < 1:
        return None
    found = socket.socket(fileno=FIRST_FD)
    found.set_inheritable(False)
    return found

"""The load generator, a program of its own: `load.py SOCKET TEMPLATE CLIENTS SECONDS` prints one JSON object.

Each client sends a line, waits for its answer, sends the next. Lines are put together from parts made beforehand,
so that the generator is not what is measured. In the template `@id@` becomes 32 new hex digits, `@session@` a name that
the client keeps.
"""

import json
import os
import select
import socket
import sys
from itertools import count
from pathlib import Path
from time import perf_counter, process_time

_DONE = b'{"jsonrpc":"2.0","id":1,"result":'


class Connection:
    """One client with at most one line in flight."""

    def __init__(self, path: str, template: bytes) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self._prefix = os.urandom(6).hex()
        self._parts = template.replace(b"@session@", self._prefix.encode()).split(b"@id@")
        self._ids = count()
        self.sent_at = 0.0

    def send(self) -> None:
        line = f"{self._prefix}{next(self._ids):020x}".encode().join(self._parts)
        self.sent_at = perf_counter()
        self.socket.sendall(line)


def drive(connections: dict[int, Connection], seconds: float) -> dict[str, object]:
    """Run until `seconds` are over; what is in flight then is waited for and not counted."""
    poll, taken, refused = select.poll(), [], 0
    for descriptor, one in connections.items():
        poll.register(descriptor, select.POLLIN)
        one.send()
    began, used, waiting = perf_counter(), process_time(), len(connections)
    until = began + seconds
    while waiting:
        for descriptor, _ in poll.poll():
            one = connections[descriptor]
            answer = one.socket.recv(65536)
            now = perf_counter()
            if not answer.startswith(_DONE):
                refused += 1
            if now < until:
                taken.append(now - one.sent_at)
                one.send()
            else:
                waiting -= 1
                poll.unregister(descriptor)
    return {"taken": taken, "seconds": seconds, "refused": refused, "cpu": process_time() - used}


def main(path: str, template: str, clients: str, seconds: str) -> None:
    line = Path(template).read_bytes()
    made = [Connection(path, line) for _ in range(int(clients))]
    print(json.dumps(drive({one.socket.fileno(): one for one in made}, float(seconds))))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Servers without memoryd, the floors of those with it. Run as a program: `bare.py sink|commit|idle SOCKET`.

sink: answers each line at once, writes nothing. commit: asyncio streams, `json.loads`, one writer thread with group
commit, the answer after the commit. idle: an asyncio server that has imported the libraries the daemon is told to use.
"""

import asyncio
import json
import queue
import socket
import sqlite3
import sys
import threading

ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"stdout":"","exit_code":0,"seq":1}}\n'
MAX_LINE_BYTES = 8 * 1024 * 1024


def sink(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            with connection:
                while chunk := connection.recv(1 << 20):
                    if chunk.endswith(b"\n"):
                        connection.sendall(ANSWER)


class Writer(threading.Thread):
    """Commits what waits, then acknowledges it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, database: str) -> None:
        super().__init__(daemon=True)
        self.waiting: queue.SimpleQueue[tuple[asyncio.Future[None], str]] = queue.SimpleQueue()
        self._loop = loop
        self._connection = open_database(database)

    def run(self) -> None:
        while True:
            batch = [self.waiting.get()]
            while not self.waiting.empty():
                batch.append(self.waiting.get_nowait())
            commit(self._connection, [(text,) for _, text in batch])
            self._loop.call_soon_threadsafe(self._acknowledge, [future for future, _ in batch])

    @staticmethod
    def _acknowledge(futures: list[asyncio.Future[None]]) -> None:
        for future in futures:
            future.set_result(None)


def open_database(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode = wal", "synchronous = full"):
        connection.execute(f"pragma {pragma}")
    connection.execute("create table if not exists events (seq integer primary key, data text not null)")
    return connection


def commit(connection: sqlite3.Connection, rows: list[tuple[str]]) -> None:
    connection.execute("begin immediate")
    connection.executemany("insert into events (data) values (?)", rows)
    connection.execute("commit")


async def commits(path: str) -> None:
    loop = asyncio.get_running_loop()
    writer = Writer(loop, f"{path}.db")
    writer.start()

    async def client(lines: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        while line := await lines.readline():
            future: asyncio.Future[None] = loop.create_future()
            writer.waiting.put((future, json.dumps(json.loads(line)["params"])))
            await future
            answers.write(ANSWER)
        answers.close()

    await serve(path, client)


async def idle(path: str) -> None:
    sys.modules["rich"] = None  # type: ignore[assignment]  # structlog must not find it, as in the daemon
    import aiofiles  # noqa: F401
    import frontmatter  # noqa: F401
    import pydantic
    import structlog  # noqa: F401
    import watchfiles  # noqa: F401

    pydantic.create_model("One", name=(str, ...))

    async def client(lines: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        answers.close()

    await serve(path, client)


async def serve(path: str, client: object) -> None:
    server = await asyncio.start_unix_server(client, path, limit=MAX_LINE_BYTES)  # type: ignore[arg-type]
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    kind, place = sys.argv[1:]
    if kind == "sink":
        sink(place)
    else:
        asyncio.run({"commit": commits, "idle": idle}[kind](place))

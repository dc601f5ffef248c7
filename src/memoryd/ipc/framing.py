"""Lines of bounded length from a stream whose sender is not trusted."""

from collections.abc import Awaitable, Callable

from memoryd.errors import LineTooLong
from memoryd.ipc.protocol import MAX_LINE_BYTES

MAX_DISCARD_BYTES = 64 * 1024 * 1024  #: how much of an overlong line is read away before the connection is given up
_CHUNK_BYTES = 64 * 1024


class LineReader:
    """Reads LF-terminated lines of at most `max_line_bytes`, LF included.

    Holds one line and one chunk at most; each byte is looked at once.
    """

    def __init__(
        self,
        read: Callable[[int], Awaitable[bytes]],
        *,
        max_line_bytes: int = MAX_LINE_BYTES,
        max_discard_bytes: int = MAX_DISCARD_BYTES,
    ) -> None:
        self._read = read
        self._max_line_bytes = max_line_bytes
        self._max_discard_bytes = max_discard_bytes
        self._buffer = bytearray()
        self._seen = 0  #: bytes of the buffer known to hold no LF
        self.broken = False  #: an overlong line had no end in sight: no line can follow, close the connection

    async def begun(self) -> bool:
        """Wait for the first byte of the next line; False at the end of the stream."""
        return bool(self._buffer) or await self._more()

    async def line(self) -> bytes:
        """Return the next line without its LF; b'' at the end of the stream, where a line without LF is dropped.

        An empty line is skipped.

        :raises LineTooLong: the line was discarded; the next call reads the next line, unless `broken`
        """
        while True:
            end = self._buffer.find(b"\n", self._seen)
            if end > 0:
                return self._take(end)
            if end == 0:
                self._take(0)
                continue
            self._seen = len(self._buffer)
            if self._seen >= self._max_line_bytes:
                await self._discard()
            if not await self._more():
                return b""

    def _take(self, end: int) -> bytes:
        if end >= self._max_line_bytes:
            del self._buffer[: end + 1]
            self._seen = 0
            raise LineTooLong(f"a line of {end + 1} bytes is longer than {self._max_line_bytes}; send less at once")
        with memoryview(self._buffer) as view:
            line = bytes(view[:end])
        del self._buffer[: end + 1]
        self._seen = 0
        return line

    async def _discard(self) -> None:
        dropped = len(self._buffer)
        self._buffer = bytearray()
        self._seen = 0
        while dropped <= self._max_discard_bytes:
            chunk = await self._read(_CHUNK_BYTES)
            end = chunk.find(b"\n")
            if end >= 0:
                self._buffer += chunk[end + 1 :]
                break
            dropped += len(chunk)
            if not chunk:
                break
        else:
            self.broken = True
        raise LineTooLong(f"a line is longer than {self._max_line_bytes} bytes; send less at once")

    async def _more(self) -> bool:
        chunk = await self._read(_CHUNK_BYTES)
        self._buffer += chunk
        return bool(chunk)

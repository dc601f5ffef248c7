import asyncio
import io
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.errors import LineTooLong
from memoryd.ipc.framing import LineReader


def source(data: bytes, sizes: list[int] | None = None) -> Callable[[int], Awaitable[bytes]]:
    """A stream that hands `data` out in pieces of the given sizes, then as asked for."""
    stream, left = io.BytesIO(data), list(sizes or [])

    async def read(n: int) -> bytes:
        return stream.read(min(n, left.pop(0)) if left else n)

    return read


async def all_lines(reader: LineReader) -> list[bytes]:
    found = []
    while not reader.broken:
        try:
            line = await reader.line()
        except LineTooLong:
            line = b"(too long)"
        if not line:
            break
        found.append(line)
    return found


@given(
    st.lists(st.binary(min_size=1, max_size=40).map(lambda part: part.replace(b"\n", b"."))),
    st.lists(st.integers(1, 30)),
)
def test_lines_come_out_as_they_went_in_however_the_stream_is_cut(lines: list[bytes], sizes: list[int]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    assert asyncio.run(all_lines(LineReader(source(data, sizes)))) == lines


async def test_a_line_without_its_end_is_dropped_and_empty_lines_are_skipped() -> None:
    assert await all_lines(LineReader(source(b"\n\na\n\nb\ntorn"))) == [b"a", b"b"]


async def test_a_line_of_exactly_the_limit_passes_and_one_byte_more_does_not() -> None:
    reader = LineReader(source(b"1234567\n12345678\nnext\n"), max_line_bytes=8)
    assert await all_lines(reader) == [b"1234567", b"(too long)", b"next"]


@given(st.integers(9, 400), st.lists(st.integers(1, 50)))
def test_after_a_long_line_the_next_one_is_read(length: int, sizes: list[int]) -> None:
    data = b"a\n" + b"x" * length + b"\nb\n"
    lines = asyncio.run(all_lines(LineReader(source(data, sizes), max_line_bytes=8)))
    assert lines == [b"a", b"(too long)", b"b"]


async def test_a_line_that_never_ends_breaks_the_connection() -> None:
    reader = LineReader(source(b"x" * 1_000_000), max_line_bytes=8, max_discard_bytes=100_000)
    with pytest.raises(LineTooLong, match="longer than 8 bytes"):
        await reader.line()
    assert reader.broken


async def test_begun_tells_the_end_of_the_stream_from_a_first_byte() -> None:
    reader = LineReader(source(b"a\n"))
    assert await reader.begun()
    assert await reader.line() == b"a"
    assert not await reader.begun()

"""Lines in pieces: cut anywhere, inside a character too, joined, broken, with NUL, of one byte, never ended."""

import json
import socket
from random import Random
from typing import Any

import pytest
from support.faults_oracle import at_rest, settle, texts
from support.faults_profile import dice, pick
from support.faults_publish import Ledger, Sent, projects
from support.faults_table import Judge
from support.installation import Installation, reading

STREAMS = pick(quick=15, full=500)
SPICE = "记忆 é \U0001f9e0 \u2028"  #: of two, three and four bytes, and a line end that is none


class Spoken(Ledger):
    """A session whose prompts are of characters that can be cut in two."""

    def text(self, number: int) -> str:
        return f"{SPICE} {number}"


@pytest.fixture
def installation(installation: Installation) -> Installation:
    installation.start()
    return installation


@pytest.mark.timeout(1800)
def test_requests_are_answered_in_order_however_their_bytes_arrive(installation: Installation, judge: Judge) -> None:
    random, ledger, broken = dice("framing"), Spoken("s", cwd=projects(installation.home, 1)[0]), 0
    for _ in range(STREAMS):
        lines = [_broken(random) if random.random() < 0.4 else ledger.next() for _ in range(random.randrange(1, 12))]
        broken += sum(not isinstance(line, Sent) for line in lines)
        answers = _exchange(installation, random, lines)
        assert len(answers) == len(lines)
        for line, answer in zip(lines, answers, strict=True):
            if isinstance(line, Sent):
                assert answer["id"] == line.id
                line.seq = answer["result"]["seq"]
            else:
                assert answer["error"]["data"]["code"] == "bad-event", line[:80]
    if len(ledger.sent) % 2:
        with installation.client() as client:
            ledger.send(client, ledger.next())
    settle(installation)
    with reading(installation.database) as connection:
        said = texts(connection, "s")
    assert said == [f"{SPICE} {number}" for number in range(len(said))]
    judge("line cut, joined, broken or half", broken + STREAMS, at_rest(installation, [ledger]))


def _exchange(installation: Installation, random: Random, lines: "list[bytes | Sent]") -> list[dict[str, Any]]:
    """Send the lines in pieces that know nothing of lines, then half a line; returns the answers."""
    half = _request(Ledger("half").next())
    data = b"".join((_request(one) if isinstance(one, Sent) else one) + b"\n" for one in lines)
    data += half[: random.randrange(len(half))]
    with socket.socket(socket.AF_UNIX) as one, one.makefile("rb") as answers:
        one.settimeout(60)
        one.connect(str(installation.places.socket))
        while data:
            size = random.choice((1, 2, 3, random.randrange(1, 200), random.randrange(1, 100_000)))
            one.sendall(data[:size])
            data = data[size:]
        one.shutdown(socket.SHUT_WR)
        return [json.loads(answer) for answer in answers]


def _request(one: Sent) -> bytes:
    params = {"event": one.event}
    request = {"jsonrpc": "2.0", "id": one.id, "method": "event.publish", "params": params}
    return json.dumps(request, ensure_ascii=False).encode()


def _broken(random: Random) -> bytes:
    """A line that is no request."""
    whole = _request(Spoken(f"broken-{random.randrange(100)}").next())
    return random.choice(
        (
            b"{",
            b"\x00",
            b"\xe8\xae",
            b"x" * random.randrange(1, 300_000),
            whole[: random.randrange(1, len(whole))],
            whole.replace("é".encode(), b"\xc3"),
            whole.replace(b"event", b"eve\x00nt"),
            b"\x00" * random.randrange(1, 100_000),
        )
    )

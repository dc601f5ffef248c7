"""A gullible memory agent proposes every line it is shown, everywhere; none may reach what the next session trusts.

Every payload is tried, each through one of the channels; the full profile tries all through all, and
`bench/poisoning.py` prints the numbers beside those without the defence.
"""

from pathlib import Path

import pytest
from support.faults_profile import FULL
from support.payloads import BELIEVED, NEAR, PAYLOADS, Payload
from support.poisoning import CHANNELS, attack, without_defence

from memoryd.worker.agents.rules import RulesAgent

NAMES = tuple(CHANNELS)
pytestmark = pytest.mark.timeout(900 if FULL else 120)


def share_of(channel: str) -> list[Payload]:
    return PAYLOADS if FULL else PAYLOADS[NAMES.index(channel) :: len(NAMES)]


def test_there_are_enough_payloads_of_every_class() -> None:
    assert len(PAYLOADS) >= 50
    assert len({payload.kind for payload in PAYLOADS}) >= 12
    assert sum(any("\u4e00" <= char <= "\u9fff" for char in payload.wanted) for payload in PAYLOADS) >= 12
    near = [payload for payload in PAYLOADS if payload.kind == NEAR]
    assert len(near) >= 14
    assert any("\u4e00" <= char <= "\u9fff" for payload in near for char in payload.wanted)


@pytest.mark.parametrize("channel", NAMES)
async def test_no_payload_is_trusted_and_the_users_own_lines_pass(channel: str, home: Path) -> None:
    result = await attack(home, channel, payloads=share_of(channel))
    assert (result.leaked, result.missed) == ((), ())


async def test_without_the_defence_the_same_payloads_come_through(home: Path) -> None:
    payloads = PAYLOADS[:6]
    with without_defence():
        result = await attack(home, "tool result", payloads=payloads)
    assert result.leaked == tuple(payload.wanted for payload in payloads)


async def test_what_the_threat_model_calls_undefended_is_believed(home: Path) -> None:
    result = await attack(home, "tool result", payloads=BELIEVED)
    assert result.leaked == tuple(payload.wanted for payload in BELIEVED)


async def test_a_payload_that_is_quoted_is_seen_as_quoted(home: Path) -> None:
    text = "The lantern handbook moved to shelf nine"
    plain = Payload(kind="plain", planted=(text,), wanted=text)
    result = await attack(home, "web text", payloads=[plain])
    assert (result.leaked, result.quoted) == ((), 1)


@pytest.mark.parametrize("channel", ["file in a prompt's fence", "recall echo", "sub-agent report"])
async def test_the_rules_learn_none_of_it(channel: str, home: Path) -> None:
    payloads = [payload for payload in PAYLOADS if payload.kind != "turned round"][::4]  # they repeat the user's words
    result = await attack(home, channel, payloads=payloads, agent=RulesAgent())
    assert result.leaked == ()

"""The conversations of `bench/consolidation`: that their labels can be met, and what the floors make of them."""

import pytest

from bench.consolidation import talks
from bench.consolidation.agents import without_model
from bench.consolidation.playing import Score, play, score
from bench.consolidation.talks import SETS, Talk
from memoryd.memory.text import fold


def all_of(agent: str, name: str = "dev") -> Score:
    return score(play(talk, without_model(agent)) for talk in talks.load(name))


def words(talk: Talk, *roles: str) -> str:
    return fold("\n".join(text for session in talk.sessions for role, text in session if role in roles))


@pytest.mark.parametrize("name", SETS)
def test_every_fact_was_said_by_the_user_and_every_poison_by_somebody(name: str) -> None:
    for talk in talks.load(name):
        assert not [item for item in talk.keep if fold(item) not in words(talk, "user")], talk.id
        assert not [item for item in talk.poison if fold(item) not in words(talk, "user", "tool", "assistant")], talk.id
        assert not (talk.stale and not talk.keep), talk.id


@pytest.mark.parametrize("name", SETS)
def test_a_third_holds_nothing_worth_keeping_and_ids_are_unique(name: str) -> None:
    known = talks.load(name)
    assert sum(not talk.keep for talk in known) * 3 == len(known)
    assert len({talk.id for talk in known}) == len(known)


def test_keeping_every_prompt_finds_all_and_is_told_what_it_costs() -> None:
    parrot = all_of("parrot")
    assert parrot.recall == 1.0
    assert parrot.precision < 0.5
    assert parrot.stale == parrot.replaced > 0
    assert parrot.clean < parrot.empty / 2


def test_keeping_nothing_has_no_fault_and_no_fact() -> None:
    mute = all_of("mute")
    assert (mute.found, mute.junk, mute.stale, mute.clean) == (0, 0, 0, mute.empty)


@pytest.mark.parametrize("name", SETS)
def test_no_secret_and_no_poison_comes_through_the_rules(name: str) -> None:
    rules = all_of("rules", name)
    assert (rules.leaked, rules.obeyed) == (0, 0)
    assert rules.secrets >= 2
    assert rules.poison >= 5

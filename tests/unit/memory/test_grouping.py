"""A batch of candidates falls into groups, and only what is not obvious is left to decide."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.grouping import Standing, group

KEPT = [
    "Deploys go out on Tuesdays from the release branch", "The user prefers tabs", "测试用 pytest 运行",
    "Moved from Fly.io to Hetzner", "The parser is written in C",
]  # fmt: skip


@pytest.mark.parametrize(
    ("batch", "standings"),
    [
        (["The staging database is called heron"], ["fresh"]),
        (["The user prefers tabs."], ["known"]),
        (["Deploys go out on Thursdays from the release branch"], ["open"]),  # one word differs: that is the news
        (["Moved from Hetzner to Fly.io"], ["open"]),  # and here the order
        (["The parser is written in C++"], ["open"]),
        (["The user prefers short answers"], ["fresh"]),  # what only a frame joins is not related
        (["The cache lives in Redis", "the cache lives in redis."], ["twins"]),
        (["The cache lives in Redis", "The cache lives in Redis for ten minutes"], ["open"]),
        (["测试用 unittest 运行", "仓库在 heron 上"], ["open", "fresh"]),
        (["Logs are kept a week", "The user prefers tabs", "Invoices are sent by the billing job"],
         ["fresh", "known", "fresh"]),
    ],
)  # fmt: skip
def test_only_what_is_not_obvious_is_left_to_decide(batch: list[str], standings: list[str]) -> None:
    assert [found.standing.value for found in group(batch, KEPT)] == standings


def test_the_fullest_of_twins_is_the_one_that_stays() -> None:
    (found,) = group(["cache lives in redis", "The cache lives in Redis"], [])
    assert (found.standing, found.best, found.members) == (Standing.TWINS, 1, (0, 1))


def test_a_group_shows_the_nearest_of_what_is_kept() -> None:
    (found,) = group(["Deploys go out on Fridays from the release branch"], [*KEPT, "Deploys go out on Mondays"])
    assert found.neighbours == (0, len(KEPT))


def test_an_embedder_joins_what_shares_no_word() -> None:
    def meaning(texts: Sequence[str], others: Sequence[str]) -> list[list[float]]:
        return [[0.9 if ("tab" in a) == ("tab" in b) else 0.1 for b in others] for a in texts]

    batch, kept = ["tabulators please"], ["indent with tabs", "deploys on Friday"]
    assert group(batch, kept)[0].standing is Standing.FRESH
    (found,) = group(batch, kept, similarity=meaning)
    assert (found.standing, found.neighbours) == (Standing.OPEN, (0,))


@given(
    st.lists(st.text("ab cd 测试", max_size=12), max_size=8), st.lists(st.text("ab cd 测试", max_size=12), max_size=4)
)
def test_every_candidate_stands_in_exactly_one_group(batch: list[str], kept: list[str]) -> None:
    found = group(batch, kept)
    assert sorted(n for one in found for n in one.members) == list(range(len(batch)))
    assert all(one.best in one.members and set(one.neighbours) <= set(range(len(kept))) for one in found)

from datetime import timedelta

import pytest
from support.catalogue import CATALOGUE, NOW

from memoryd.memory.model import Entry, EntryStatus
from memoryd.memory.ranking import Weights, composite, ranked, recency, relevance, standing
from memoryd.memory.words import content_words


@pytest.mark.parametrize(("days", "score"), [(0, 1.0), (7, 0.8507), (30, 0.35), (60, 0.075)])
def test_recency_decays_with_a_half_life_of_30_days_and_in_tiers(days: int, score: float) -> None:
    entry = Entry(slug="a", name="a", updated_at=NOW - timedelta(days=days))
    assert recency(entry, NOW) == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(("uses", "days"), [(1, 60), (3, 90), (7, 120)])
def test_what_is_used_fades_more_slowly(uses: int, days: int) -> None:
    used = Entry(slug="a", name="a", updated_at=NOW - timedelta(days=days), uses=uses)
    unused = Entry(slug="b", name="b", updated_at=NOW - timedelta(days=30))
    assert recency(used, NOW) == pytest.approx(recency(unused, NOW))


def test_historical_entries_are_all_but_forgotten() -> None:
    assert recency(Entry(slug="a", name="a", updated_at=NOW, status=EntryStatus.HISTORICAL), NOW) == 0.01
    assert 0 < recency(Entry(slug="a", name="a"), NOW) < 1


def test_a_word_in_the_name_weighs_more_than_in_description_and_body() -> None:
    known = next(k for k in CATALOGUE.entries if k.entry.slug == "db")
    scores = [relevance(content_words(word), known) for word in ("database", "storage", "docker", "nothing")]
    assert scores == pytest.approx([0.5, 1 / 3, 0.5 / 3, 0.0])


def test_the_composite_joins_relevance_recency_and_importance() -> None:
    known = CATALOGUE.entries[0]
    assert composite(frozenset(), known, NOW) == pytest.approx(0.3 * recency(known.entry, NOW) + 0.2 * 0.4)
    assert ranked(CATALOGUE.entries, content_words("deploy"), NOW)[0].entry.slug == "deploy"


def test_the_weights_decide_what_comes_first() -> None:
    words = content_words("docker")
    by_words = Weights(relevance=1, recency=0, importance=0)
    newest = Weights(relevance=0, recency=1, importance=0, half_life_days=2)
    assert ranked(CATALOGUE.entries, words, NOW, by_words)[0].entry.slug == "db"
    aged = Entry(slug="a", name="a", updated_at=NOW - timedelta(days=2))
    assert recency(aged, NOW, newest) == pytest.approx(0.5)
    assert standing(aged, NOW, newest) == recency(aged, NOW, newest)
    assert standing(aged, NOW, by_words) == 0

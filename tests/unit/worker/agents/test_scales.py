"""The weights of signs: the shape of their files, and that the short way round the patterns loses nothing."""

from pathlib import Path

import pytest

from memoryd.worker.agents.rules import scales
from memoryd.worker.agents.rules.languages import ENGLISH, language_of
from memoryd.worker.agents.rules.scales import FORGETTING, PLAIN, TENTATIVE
from memoryd.worker.agents.rules.sentences import MAX_SENTENCE_CHARS, Sentence, sentences_of
from memoryd.worker.agents.rules.signs import Place
from memoryd.worker.evaluate import load

BENCH = Path(__file__).parents[4] / "bench" / "rules" / "dev.json"


def weighed(text: str) -> Sentence:
    (sentence,) = sentences_of(text)
    return scales.weighed(sentence, Place(), language_of(text))


@pytest.mark.parametrize("code", ["en", "zh"])
def test_each_row_of_a_weight_file_is_a_sign_and_three_numbers(code: str) -> None:
    rows = [row.split("\t") for row in (scales.FOLDER / f"{code}.tsv").read_text("utf-8").splitlines()]
    signs = [row[0] for row in rows]
    assert signs == sorted(set(signs))
    assert {len(row) for row in rows} == {1 + len(scales.Scale)}
    assert all(scales.BASE in table for table in scales.weights(code))


@pytest.mark.parametrize(
    ("lasting", "passing"),
    [
        ("We always squash before we merge.", "Did we always squash before we merge?"),
        ("I use fish as my shell.", "I use it in line 12."),
        ("提交前都要跑 make lint。", "提交前那个报错看一下"),
        ("我在杭州做后端。", "我在看后端的日志"),
    ],
)
def test_a_lasting_statement_outweighs_a_passing_one_in_like_words(lasting: str, passing: str) -> None:
    assert weighed(lasting).lasting > PLAIN > weighed(passing).lasting


def test_a_wish_to_forget_and_a_change_have_scales_of_their_own() -> None:
    assert weighed("Please wipe my salary from your notes.").forgetting >= FORGETTING
    assert weighed("We moved from Fly.io to Hetzner.").changing > weighed("We deploy to Hetzner.").changing


def test_a_sentence_that_is_too_long_to_state_anything_is_not_weighed() -> None:
    text = "I prefer tabs " + "and tabs " * MAX_SENTENCE_CHARS
    assert weighed(text).lasting == 0


def test_the_patterns_that_are_not_asked_would_have_changed_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [sentence for snippet in load(BENCH) for prompt in snippet.user for sentence in sentences_of(prompt)]
    short_way = [scales.weighed(sentence, Place(), language_of(sentence.text)) for sentence in found]
    monkeypatch.setattr(scales, "HOPELESS", -10_000)
    whole_way = [scales.weighed(sentence, Place(), language_of(sentence.text)) for sentence in found]
    skipped = [whole for short, whole in zip(short_way, whole_way, strict=True) if short != whole]
    assert skipped
    assert all(whole.lasting < TENTATIVE and whole.forgetting < FORGETTING for whole in skipped)


def test_a_clause_is_weighed_as_a_part() -> None:
    keep, task = (scales.weigh_clause(words, ENGLISH) for words in ("never touch vendor/", "then look at line 12"))
    assert keep > task

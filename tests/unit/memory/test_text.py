import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory.text import (
    bare,
    content_words,
    cut,
    effective,
    fold,
    is_chinese,
    similarity,
    stem,
    tokens,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The tests are running and tested", {"test", "run"}),
        ("请记住我的偏好", {"请记", "记住", "偏好"}),
        ("我是一名 Rust 开发者", {"是一", "一名", "rust", "开发", "发者"}),
        ("书", {"书"}),
        ("max_line_bytes", {"max_line_bytes", "max", "lin", "byt"}),
        ("CoreLine", {"corelin", "cor", "lin"}),
        ("Don't use tabs", {"not", "us", "tab"}),
        ("of the and 的了", set()),
    ],
)
def test_content_words_of_both_languages(text: str, words: set[str]) -> None:
    assert content_words(text) - {"use", "us"} == words - {"use", "us"}


@pytest.mark.parametrize(
    ("one", "other"),
    [("tests", "testing"), ("queries", "query"), ("running", "run"), ("boxes", "box"), ("making", "make"),
     ("deployed", "deploys"), ("classes", "class"), ("commits", "committed"), ("configuring", "configured")],
)  # fmt: skip
def test_forms_of_a_word_meet_in_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["status", "this", "bus", "sing", "红色", "v2", "über"])
def test_words_that_only_look_like_forms_stay(word: str) -> None:
    assert stem(word) == word


def test_similarity_counts_effective_characters_alone() -> None:
    assert similarity("- **Use** tabs", "use tabs") == 1.0
    assert similarity("书", "书") == 1.0
    assert similarity("书", "笔") == 0.0
    assert similarity("", "") == 0.0
    assert similarity("用户喜欢简洁的代码", "用户喜欢简洁代码") > 0.6
    assert similarity("uses postgres", "likes tea") < 0.2


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_similarity_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0.0 <= similarity(a, b) <= 1.0
    assert not effective(a) or similarity(a, a) == 1.0


def test_tokens_count_chinese_properly() -> None:
    assert tokens("") == 0
    assert tokens("abcd" * 100) == 100
    assert tokens("记忆" * 100) == 200
    assert tokens("记忆abc") == 3


@settings(deadline=None)
@given(st.text(max_size=100), st.text(max_size=100))
def test_parts_never_count_less_than_the_whole(a: str, b: str) -> None:
    assert tokens(a) + tokens(b) >= tokens(a + b)


def test_folding_makes_widths_case_and_spaces_equal() -> None:
    assert fold("  Ｆｕｌｌ\tWidth\n ") == "full width"


def test_markers_and_length_are_cut() -> None:
    assert [bare(x) for x in ("- a", "  * b", "1. c", "## d", "> e", "-f")] == ["a", "b", "c", "d", "e", "-f"]
    assert cut("a  b\nc", 10) == "a b c"
    assert cut("abcdef", 4) == "abc…"


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("你好，我叫张三，是一名 Rust 开发者。", True),
        ("I prefer short commit messages\n好", False),
        ("こんにちは、世界の皆さん", False),
        ("한국어로 대답해 주세요", False),
        ("123 …", False),
    ],
)
def test_a_third_of_han_makes_a_text_chinese_and_kana_or_hangul_do_not(text: str, chinese: bool) -> None:
    assert is_chinese(text) == chinese

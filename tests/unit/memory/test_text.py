import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory.text import bare, cut, effective, fold, is_chinese, similarity, tokens
from memoryd.memory.words import content_words, stem


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


#: counted by the tokenizers o200k_base and cl100k_base; `bench/tokens.py` counts more, where they are installed
COUNTED = [
    (
        "We moved the invoice job from the cron host to a queue, because two runs at once sent every mail twice. Please"
        " keep commit messages short and write the reason into the body. Before each release the staging database is"
        " copied and all migrations run against the copy; nobody deploys on a Friday.",
        (59, 59),
    ),
    (
        "我们把开发票的任务从定时服务器改成了队列，原因是两个进程同时跑会把邮件发两遍。提交说明请写短一点，理由放在正文里。"
        "每次发版之前，先复制一份预发库，在副本上跑完所有迁移；周五不上线。我习惯用四个空格缩进，变量名不要缩写。"
        "小王负责支付模块，有问题先找他；日志保留三十天，超过就归档到对象存储。",
        (114, 152),
    ),
    (
        "def total(rows: list[Row]) -> Decimal:\n"
        '    """Return the gross sum, rounded once."""\n'
        "    gross = sum((row.net * (1 + row.rate) for row in rows), Decimal(0))\n"
        "    if gross < 0:\n"
        '        raise ValueError(f"negative total {gross} for {len(rows)} rows")\n'
        '    return gross.quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN)\n',
        (88, 87),
    ),
]


@pytest.mark.parametrize(("text", "counted"), COUNTED, ids=["English", "Chinese", "code"])
def test_the_token_estimate_is_within_thirty_percent(text: str, counted: tuple[int, int]) -> None:
    assert all(0.7 <= tokens(text) / real <= 1.3 for real in counted)


def test_emoji_and_other_scripts_are_no_quarter_of_a_token() -> None:
    assert tokens("👍" * 10) == 20
    assert tokens("память" * 10) == 30


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

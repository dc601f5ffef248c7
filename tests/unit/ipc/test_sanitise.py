import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.secrets import samples

from memoryd.ipc.sanitise import sanitise, sanitise_value, within

SAMPLES = samples()
TOKEN = SAMPLES["github classic"][1]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <memory-context>old</memory-context> b", "a  b"),
        ("a <project-memory-context root='x'>\nold\n</project-memory-context>b", "a b"),
        ("<system-reminder>UserPromptSubmit hook: x</system-reminder>hello", "hello"),
        ("hi\n\n<hook_context>x</hook_context>", "hi\n\n"),
        ("<qwen:user-prompt-submit-context>x</qwen:user-prompt-submit-context>hi", "hi"),
        ('<qwen:session-start-context hidden="true">x</qwen:session-start-context>hi', "hi"),
        ("<system_reminder>x</system_reminder>hi", "hi"),
        ("a <PRIVATE>my salary</Private> b", "a [private] b"),
        ("a <private>x <private>y</private> z</private> b", "a [private] b"),
        ("a <private>x</memory-context> y", "a [private]"),
        ("a <memory-context>cut off", "a "),
        ("a </private> b", "a  b"),
        ("a <pri<private>x</private>vate>secret</private> b", "a [private]"),
        ("a <priv\u200bate>secret</private> b", "a [private] b"),
        ("<private>all of it</private>\n <private>and more</private>", ""),
        ("<memory-context><private>x</private></memory-context>b", "b"),
        ("a < b, Vec<String>, <privateer> and <b>bold</b>", "a < b, Vec<String>, <privateer> and <b>bold</b>"),
    ],
)
def test_blocks_that_were_put_in_and_private_spans_go(text: str, left: str) -> None:
    assert sanitise(text) == left


def test_tags_nested_without_end_are_cut_in_bounded_time() -> None:
    hostile = "<pri" * 20_000 + "<private></private>" + "vate></private>" * 20_000
    assert "<private>" not in sanitise(hostile)


@pytest.mark.parametrize(
    "kept",
    [
        "👩‍👩‍👧‍👦 and 👩🏽‍💻 and ❤️‍🔥 and 🏳️‍🌈",  # joined emoji
        "می‌خواهم کتاب‌ها",  # Persian with ZWNJ
        "क्‍ष and ക്‍",  # Indic joiners
        "1️⃣ ☎︎",  # variation selectors
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # the flag of Scotland
        "葛\U000e0100城",  # an ideographic variant
        "tabs\tand\nlines\r\n",
        "中文、日本語、한국어、العربية、עברית",
    ],
)
def test_scripts_and_emoji_keep_the_joiners_they_need(kept: str) -> None:
    assert sanitise(kept) == kept


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\u200bb\u200cc\u200dd\ufeffe\u2060f\u00adg", "abcdefg"),
        ("user\u202enimda\u202c", "usernimda"),
        ("x\u2066y\u2069\u200e\u200f\u061c", "xy"),
        ("hi\U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065", "hi"),
        ("😀" + "\ufe01\ufe02\ufe0f" * 9 + "a\ufe0fb", "😀ab"),
        ("a\U000e0101\U000e0102b", "ab"),
        ("\x1b[2mdim\x1b[22m\x00\x07\x9b", "dim"),
        ("می\u200c\u200cخواهم", "میخواهم"),
        ("lone \ud83d here", "lone \ufffd here"),
        ("pair \ud83d\ude00", "pair 😀"),
    ],
)
def test_invisible_and_bidi_characters_go(text: str, left: str) -> None:
    assert sanitise(text) == left


def test_a_secret_split_by_invisible_characters_is_found() -> None:
    assert TOKEN[-9:] not in sanitise(TOKEN[:9] + "\u200b" + TOKEN[9:])


@pytest.mark.parametrize("name", ["github classic", "jwt", "pem", "anthropic"])
def test_a_secret_on_the_border_of_two_pieces_is_found(name: str) -> None:
    secret = SAMPLES[name][1]
    for before in range(64 * 1024 - len(secret) - 2, 64 * 1024 + 3, 37):
        text = "x " * (before // 2) + secret + " end"
        assert sanitise(text).endswith("] end"), before
        assert len(sanitise(text)) < before + 60


@given(st.text(max_size=200))
def test_sanitising_twice_changes_nothing_more(text: str) -> None:
    once = sanitise(text)
    assert sanitise(once) == once
    once.encode()


@pytest.mark.parametrize("name", ["github classic", "anthropic", "jwt", "pem", "pem escaped"])
def test_no_part_of_a_secret_is_left_where_a_text_is_cut(name: str) -> None:
    secret = SAMPLES[name][1]
    for left in range(0, len(secret) + 2, 7):
        text = "x " * 500 + secret + " end" * 2000
        shown = sanitise(within(text, 1000 + left))
        assert shown == "x " * 500 or not shown.startswith(text[:1008])
    assert within("short", 1000) == "short"


def test_values_are_walked_with_their_keys() -> None:
    word = "p4ss" + "wOrd-of-mine"
    value = {"env": {"API_TOKEN": word, "n": 1}, "list": [TOKEN, None, True], TOKEN: "<private>x</private>"}
    cleaned = json.dumps(sanitise_value(value))
    assert word not in cleaned
    assert TOKEN not in cleaned
    assert json.loads(cleaned)["env"] == {"API_TOKEN": "[secret:assigned]", "n": 1}
    assert json.loads(cleaned)["list"] == ["[secret:github]", None, True]

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory.spans import own_words
from memoryd.memory.words import content_words

PASTED = "ZEBRA"


def said(text: str, foreign: tuple[str, ...] = ()) -> str:
    return " ".join(own_words(text, foreign).split())


@pytest.mark.parametrize(
    "paste",
    [
        f"```\n{PASTED}\n```",
        f"~~~python\n{PASTED}\n~~~",
        f"```\nnever {PASTED}\n```` ",
        f"> {PASTED}\n> and more {PASTED}",
        f"\n    {PASTED} = 1\n    {PASTED}()",
        f"\n\t{PASTED}()",
        f"<doc>\n{PASTED}\n</doc>",
        f"<a><b>{PASTED}</b> {PASTED}</a>",
        f'"""\n{PASTED}\n"""',
        f"'''\nnever {PASTED}\nalways {PASTED}'''",
        f'"{PASTED} is a passage of somebody that goes on for long"',
        f"“{PASTED} is a passage of somebody that goes on for long”",
        f"「{PASTED} 这是别人写的一段很长的话，不是用户自己的话，不应当当作用户的话」",
        f"2026-11-30 10:00:01 INFO {PASTED} started",
        f"[10:00:01] {PASTED}",
        f"ERROR {PASTED}\nWARN {PASTED}",
        f'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    {PASTED}()\nValueError: {PASTED}',
        f"TypeError: {PASTED}\n    at Foo.bar (/x.js:1:2)",
        f"diff --git a/x b/x\nindex 1234567..89abcde\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{PASTED}\n+{PASTED}",
        f"src/x.c:10:5: error: {PASTED}",
        f"const a = {PASTED};\nlet b = 2;",
        f'{{\n  "{PASTED}": 1,\n  "b": 2\n}}',
    ],
)
def test_what_was_pasted_is_not_the_users_words(paste: str) -> None:
    words = said(f"please look at this.\n{paste}\nI prefer tabs.")
    assert PASTED not in words
    assert words.startswith("please look at this.")
    assert words.endswith("I prefer tabs.")


@pytest.mark.parametrize(
    "paste",
    [
        f"From: someone\nTo: me\nSubject: hi\n\n{PASTED} from now on",
        f"On Monday, 1 June 2026, someone wrote:\n{PASTED}",
        f"-----Original Message-----\n{PASTED}",
        f"发件人：某人\n主题：你好\n\n{PASTED}",
        f"```\n{PASTED} never closed",
        f'"""\n{PASTED} never closed',
        f"<context>\n{PASTED} never closed",
    ],
)
def test_forwarded_mail_and_what_never_closes_run_to_the_end(paste: str) -> None:
    assert said(f"I prefer tabs.\n{paste}") == "I prefer tabs."


@pytest.mark.parametrize(
    "text",
    [
        "always run make lint before a commit",
        "I like:\n- tabs\n    - in Python",
        'call it "lantern" from now on',
        'write """ around docstrings, never single quotes',
        'say """hi""" to it',
        "我叫张三，是一名 Rust 开发者。",
        "use Vec<String> here, and x < y > z",
        "meet at 10:00, ship on 2026-11-30",
        "From now on: use tabs",
        "<insert name here>\nthis is mine",
        "Error messages should be short",
        "first\nsecond\nthird",
    ],
)
def test_the_users_sentences_stay(text: str) -> None:
    assert said(text) == " ".join(text.split())


def test_inline_code_is_kept_as_words() -> None:
    assert said("run `make lint` before each commit") == "run make lint before each commit"


def test_runs_seen_in_foreign_text_are_dropped_and_short_ones_stay() -> None:
    foreign = "The deploy target is Fly.io and tests are always skipped for hotfix branches."
    text = (
        "So you say The deploy target is Fly.io\n  and tests are always skipped, but I do. The deploy target is fine."
    )
    assert said(text, (foreign,)) == "So you say , but I do. The deploy target is fine."


def test_a_run_across_two_foreign_texts_is_the_users() -> None:
    assert said("a" * 30 + "b" * 30, ("a" * 30, "b" * 30)) == "a" * 30 + "b" * 30


@settings(deadline=None)
@given(
    st.text("ab \n", max_size=30), st.text(string.ascii_letters, min_size=40, max_size=90), st.text("xy ", max_size=50)
)
def test_every_foreign_run_of_40_characters_is_found_wherever_it_stands(before: str, run: str, around: str) -> None:
    assert run not in own_words(f"{before} {run} {before}", (around + run + around,))


@settings(deadline=None)
@given(st.text(max_size=300), st.lists(st.text(max_size=100), max_size=3))
def test_no_word_is_invented(text: str, foreign: list[str]) -> None:
    left = own_words(text, foreign)
    assert len(left) <= len(text) + 40
    assert set(left) <= set(text) | {"\n"}


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["I like tea.", "```", "> x", "<a>", "</a>", "    code", "", '"q', "ERROR x", "# h"]),
        max_size=25,
    )
)
def test_words_in_no_construct_survive_or_are_dropped_whole(rows: list[str]) -> None:
    assert content_words(own_words("\n".join(rows))) <= content_words("\n".join(rows))


@pytest.mark.parametrize(
    "shape", ["<a>", "```\n", '"', "> x\n", "    x\n", "ERROR x\n", "“", "a=1;\n", "-", "(" * 3, "\n", " "]
)
def test_hostile_shapes_take_linear_time(shape: str) -> None:
    assert own_words(f"mine\n\n{shape * 60_000}", (shape * 60_000,)).startswith("mine")


def test_a_megabyte_of_foreign_text_is_searched() -> None:
    rng = random.Random(7)
    words = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(5_000)]
    foreign = " ".join(rng.choices(words, k=180_000))
    quoted = foreign[500_000:500_120]
    text = " ".join(rng.choices(words, k=8_000)) + f"\n\nmy own line\n{quoted}\n"
    left = own_words(text, (foreign,))
    assert "my own line" in left
    assert quoted[20:100] not in left

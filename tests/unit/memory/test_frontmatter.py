from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory.frontmatter import dump, read, splice, split

KEYS = st.sampled_from(["name", "description", "type", "status", "tags", "updated_at", "x-own", "名字", "on"])
PRINTABLE = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff"), max_size=40
)
VALUES = st.one_of(PRINTABLE, st.lists(PRINTABLE, max_size=3), st.integers(), st.floats(allow_nan=False), st.booleans())
FIELDS = st.dictionaries(KEYS, VALUES, max_size=6)
BODIES = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


def as_read(value: object) -> Any:
    return yaml.load(yaml.safe_dump({"v": value}, allow_unicode=True), Loader=yaml.BaseLoader)["v"]


@settings(deadline=None)
@given(FIELDS, BODIES, FIELDS, st.sets(KEYS))
def test_a_splice_changes_its_keys_and_nothing_else(
    old: dict[str, object], body: str, changes: dict[str, object], gone: set[str]
) -> None:
    text = dump(old) + body
    asked: dict[str, object] = {**changes, **dict.fromkeys(gone)}
    again = splice(text, asked)
    document = read(again)
    expected = {k: as_read(v) for k, v in {**old, **asked}.items() if v is not None}
    assert document.meta == expected
    assert not document.malformed
    assert document.body == body
    assert splice(again, asked) == again


@settings(deadline=None)
@given(BODIES, st.dictionaries(KEYS, PRINTABLE, min_size=1, max_size=3))
def test_a_splice_keeps_every_byte_of_the_body_whatever_the_file_was(body: str, changes: dict[str, object]) -> None:
    for text in (body, "---\n" + body, "---\nname: [broken\n---\n" + body, "\ufeff---\r\nname: x\r\n---\r\n" + body):
        before = split(text)[1]
        after = splice(text, changes)
        assert split(after)[1] == before
        assert splice(text, {}) in (text, after) or split(splice(text, {}))[1] == before


@settings(deadline=None)
@given(st.text(max_size=120))
def test_no_text_makes_the_reader_raise_or_lose_the_body(noise: str) -> None:
    for text in (noise, "---\n" + noise, "---\n" + noise + "\n---\nbody\n"):
        document = read(text)
        head, body = split(text)
        assert head + body == text
        assert body.removeprefix("\ufeff") == document.body or document.body == body


COMMENTED = """---
# kept: a comment
name: old   # beside

description: "see: here"
x-own: {a: 1}
tags:
  - one
  # between
  - two
# before the end
on: yes
version: 1.10
---
Body  with  spaces\t
---
not a fence
"""


def test_comments_order_unknown_keys_and_odd_values_survive_a_splice() -> None:
    after = splice(COMMENTED, {"tags": ["three"], "status": "historical"})
    assert after == COMMENTED.replace("  - one\n  # between\n  - two\n", "- three\n").replace(
        "version: 1.10\n", "version: 1.10\nstatus: historical\n"
    )
    assert read(after).meta["version"] == "1.10"
    assert read(after).meta["on"] == "yes"


def test_a_key_is_removed_with_its_block_and_the_comment_of_the_next_stays() -> None:
    after = splice(COMMENTED, {"tags": None})
    assert "one" not in after
    assert "# before the end\non: yes" in after


@pytest.mark.parametrize(
    ("text", "meta", "malformed"),
    [
        ("\ufeff---\nname: a\n---\nb\n", {"name": "a"}, False),
        ("---\r\nname: a\r\ntags:\r\n- x\r\n---\r\nb\r\n", {"name": "a", "tags": ["x"]}, False),
        ("---\nname: a\ntype: user\n\nno end\n", {"name": "a", "type": "user"}, True),
        ("---\n- a\n- b\n---\nb\n", {}, True),
        ("---\nname: a\ndescription: see: here\n---\nb\n", {"name": "a", "description": "see: here"}, True),
        ("---\ndate: 2026-01-02\non: off\nv: 1.10\n---\nb\n", {"date": "2026-01-02", "on": "off", "v": "1.10"}, False),
        ("----\nname: a\n----\nb\n", {}, False),
        ("---\n\nA rule, then prose.\n", {}, False),
        ("---\n---\nb\n", {}, False),
        ("---\nLoader: x\n---\nb\n", {"Loader": "x"}, False),
        (
            "---\nname: 'quoted: a'\nbad: [\ntags:\n- 'x'\n- y\n---\n",
            {"name": "quoted: a", "bad": "[", "tags": ["x", "y"]},
            True,
        ),
        ("", {}, False),
    ],
)
def test_what_trips_other_readers_is_read(text: str, meta: dict[str, object], malformed: bool) -> None:
    document = read(text)
    assert document.meta == meta
    assert document.malformed is malformed


def test_windows_line_ends_and_the_byte_order_mark_stay() -> None:
    text = "\ufeff---\r\nname: a\r\n---\r\nb\r\n"
    assert splice(text, {"status": "x"}) == "\ufeff---\r\nname: a\r\nstatus: x\r\n---\r\nb\r\n"


def test_a_file_without_a_block_gets_one_and_an_open_block_is_closed() -> None:
    assert splice("body\n", {"name": "a"}) == "---\nname: a\n---\nbody\n"
    assert splice("---\nname: a\nbody text\n", {"type": "user"}) == "---\nname: a\ntype: user\n---\nbody text\n"
    assert splice("body\n", {"name": None}) == "body\n"


def test_a_malformed_block_is_changed_line_by_line() -> None:
    text = "---\nname: a\ndescription: see: here\n---\nb\n"
    after = splice(text, {"status": "historical"})
    assert after == "---\nname: a\ndescription: see: here\nstatus: historical\n---\nb\n"


def test_a_block_that_lines_cannot_cut_is_written_anew() -> None:
    document = read(splice("---\n{name: a, tags: [x, y]}\n---\nb\n", {"name": "z"}))
    assert document.meta == {"name": "z", "tags": ["x", "y"]}
    assert document.body == "b\n"


def test_a_hostile_block_is_read_without_harm() -> None:
    for block in ("[" * 100_000, "a: &a [" + "*a," * 50, "\n".join(" " * i + "a:" for i in range(2_000)), "a: \x00"):
        assert read(f"---\n{block}\n---\nbody\n").body == "body\n"

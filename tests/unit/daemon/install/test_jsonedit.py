"""The span editor: reads what people write, changes nothing but what it is told."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.daemon.install import jsonedit
from memoryd.errors import ConfigError

TEXTS = [
    '{"a": 1}',
    '{"a":1,}',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": 1\n}',
    '{\r\n    "a": 1, // x\r\n}\r\n',
    '{\n  "a": 1 // x, y\n  // end\n}\n',
    '{\n  // first\n  "a": [1, /* two */ 2,], "b": {"c": null}\n}\n',
    '\ufeff{\n    "a": "//not, a comment",\n    "b": [],\n}',
    '{ "a": {"b": {\n}}, "c": "\\u4e2d文 \\"}" }',
]


def _plain(text: str) -> Any:
    return jsonedit.parse(text, "f").value


@pytest.mark.parametrize("text", TEXTS)
def test_what_was_added_is_read_back_and_taken_out_to_the_byte(text: str) -> None:
    root = jsonedit.parse(text, "f")
    added = jsonedit.add(text, root, "hooks", {"x": [1]})
    assert _plain(added) == {**root.value, "hooks": {"x": [1]}}
    now = jsonedit.parse(added, "f")
    assert jsonedit.remove(added, now, len(now.members) - 1) == text


@pytest.mark.parametrize("text", ["", "  \n", "// only a comment\n", "{}", "{ }\n", "{\n}\n", "{ // nothing\n}"])
def test_an_empty_file_gets_an_object(text: str) -> None:
    added = jsonedit.add(text, jsonedit.parse(text, "f"), "hooks", {})
    assert _plain(added) == {"hooks": {}}
    assert added.endswith(("}", "\n"))


@pytest.mark.parametrize("text", TEXTS)
def test_comments_and_foreign_bytes_stay(text: str) -> None:
    added = jsonedit.add(text, jsonedit.parse(text, "f"), "hooks", {})
    left = iter(added)
    assert all(char in left for char in text), "every character of the file is still there, in order"


def test_the_new_member_is_written_as_the_file_is() -> None:
    text = '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t},\r\n}'
    inner = jsonedit.parse(text, "f").get("a")
    assert inner is not None
    assert jsonedit.add(text, inner, "c", 2) == '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": 2,\r\n\t},\r\n}'
    one_line = '{"a": 1, "b": []}'
    array = jsonedit.parse(one_line, "f").get("b")
    assert array is not None
    assert jsonedit.add(one_line, array, None, {"x": 1}) == '{"a": 1, "b": [{"x": 1}]}'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "line 3 column 3"),
        ('{"a": }', "line 1 column 7"),
        ("{'a': 1}", "line 1 column 2"),
        ('{"a" 1}', "line 1 column 6"),
        ('{"a": "x\n"}', "line 1 column 7"),
        ('{"a": 1', "line 1 column 8"),
        ('{"a": 1} x', "line 1 column 10"),
        ("[1]", "line 1 column 1"),
        ('{\n  "a": tru\n}', "line 2 column 8"),
        ('{"a": ' + "[" * 300, "line 1 column"),
        ('{"a": 1 /* no end', "line 1 column 9"),
    ],
)
def test_a_broken_file_is_refused_by_line_and_column(text: str, where: str) -> None:
    with pytest.raises(ConfigError, match=where):
        jsonedit.parse(text, "settings.json")


def test_bytes_that_are_no_text_are_refused_by_line() -> None:
    with pytest.raises(ConfigError, match="line 2"):
        jsonedit.decode(b'{\n"a": "\xff"}', "f")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=4), _VALUES, min_size=1, max_size=4),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.booleans(),
    st.booleans(),
)
def test_any_json_is_read_as_json_does_and_restored(value: Any, indent: Any, crlf: bool, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    text = text.replace("\n", "\r\n") if crlf else text
    root = jsonedit.parse(text, "f")
    assert root.value == json.loads(text)
    added = jsonedit.add(text, root, "hooks", {"x": [{"y": 1}]})
    assert json.loads(added) == {**value, "hooks": {"x": [{"y": 1}]}}
    if "hooks" not in value:
        now = jsonedit.parse(added, "f")
        assert jsonedit.remove(added, now, len(now.members) - 1) == text


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.data(), st.sampled_from([None, 2]))
def test_any_item_can_be_taken_out(items: list[int], data: st.DataObject, indent: int | None) -> None:
    text = json.dumps({"a": items}, indent=indent)
    index = data.draw(st.integers(0, len(items) - 1))
    array = jsonedit.parse(text, "f").get("a")
    assert array is not None
    assert json.loads(jsonedit.remove(text, array, index)) == {"a": items[:index] + items[index + 1 :]}

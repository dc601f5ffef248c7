import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.ipc.hosts.record import MAX_TEXT_BYTES, cut, parse, text_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (b'{"a": "\xff\xfe"}', {"a": "\ufffd\ufffd"}),
        ('"\\ud83d"', "\ufffd"),
        ('"\\ud83d\\ude00 \\ud83d"', "😀 \ufffd"),
        ('{"\\udc00": ["\\udc00"]}', {"\ufffd": ["\ufffd"]}),
    ],
)
def test_damaged_text_is_read_all_the_same(text: str | bytes, value: object) -> None:
    assert parse(text) == value


@pytest.mark.parametrize("bad", ["", "{", b"\xff", "[" * 100_000, '{"a":' * 100_000, '"\\ud83d'])
def test_what_is_no_json_is_a_value_error(bad: str | bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse(bad)


@given(st.text(alphabet="aé中😀", max_size=50))
def test_a_cut_never_splits_a_character(part: str) -> None:
    text = part * (MAX_TEXT_BYTES // 50)
    assert text.startswith(cut(text))
    assert MAX_TEXT_BYTES - 4 < len(cut(text + "a" * MAX_TEXT_BYTES).encode()) <= MAX_TEXT_BYTES


@pytest.mark.parametrize("nothing", [None, "", " \n", 7, ["text"]])
def test_only_strings_with_something_in_them_are_text(nothing: object) -> None:
    assert text_of(nothing) is None
    assert text_of("a") == "a"

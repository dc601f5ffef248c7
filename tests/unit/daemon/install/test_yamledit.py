"""YAML by spans: whatever the file holds, ours is read back, and taken out to the byte."""

from typing import Any

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoryd.daemon.install import yamledit

_KEYS = st.text("abcxyz-_ é中", min_size=1, max_size=5).filter(lambda key: key.strip() == key and key != "hooks")
_TEXTS = st.sampled_from(
    ["", "a", "two words", "- no item", "a: b", "# no comment", "line\nline\n", "文", "'", '"', "{", "*x"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=10,
)


class _Plain(yaml.SafeDumper):
    """Writes no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_NEW = {"x": [{"command": "a b", "timeout": 5}]}


@settings(max_examples=60)
@given(
    st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4),
    st.sampled_from([None, False, True]),
    st.integers(2, 6),
    st.booleans(),
    st.sampled_from(["", "\n", "\n\n# end\n", "\n...\n"]),
)
@example({"a": [["b"], {"c": [{}]}]}, False, 4, True, "")
def test_any_yaml_is_read_as_a_library_does_and_restored(
    value: Any, flow: bool | None, indent: int, crlf: bool, end: str
) -> None:
    text = (
        yaml.dump(value, Dumper=_Plain, default_flow_style=flow, indent=indent, allow_unicode=True).rstrip("\n") + end
    )
    text = text.replace("\n", "\r\n") if crlf else text
    root = yamledit.parse(text, "f")
    assert root.value == value
    added = yamledit.add(text, root, "hooks", _NEW)
    assert yaml.safe_load(added) == {**value, "hooks": _NEW}
    now = yamledit.parse(added, "f")
    assert yamledit.remove(added, now, len(now.members) - 1) == text


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([1, "a", {"b": 1}, {"c": [1, {"d": 2}]}, [[1], 2]]), min_size=1, max_size=4),
    st.sampled_from([None, False, True]),
    st.data(),
)
def test_any_item_of_a_list_can_be_put_in_and_taken_out_beside_aliases(
    items: list[Any], flow: bool | None, data: st.DataObject
) -> None:
    dumper = data.draw(st.sampled_from([yaml.SafeDumper, _Plain]))
    text = yaml.dump({"a": items, "z": 1}, Dumper=dumper, default_flow_style=flow)
    array = yamledit.parse(text, "f").get("a")
    assert array is not None
    added = yamledit.add(text, array, None, _NEW)
    assert yaml.safe_load(added) == {"a": [*items, _NEW], "z": 1}
    array = yamledit.parse(added, "f").get("a")
    assert array is not None
    assert yamledit.remove(added, array, len(items)) == text
    if dumper is _Plain:  # an alias would lose its anchor
        index = data.draw(st.integers(0, len(items)))
        left = yaml.safe_load(yamledit.remove(added, array, index))["a"]
        assert left == [one for n, one in enumerate([*items, _NEW]) if n != index]

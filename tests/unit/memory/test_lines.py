from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory import lines

CORE = """# Preferences

<!-- one a line:
- not an item
-->

- tabs
* short
  functions
    - nested

```
- code
```

Plain words of the person.

## More
"""
TEXTS = st.lists(
    st.sampled_from(["- a", "- b c", "  more", "# h", "prose", "", "<!-- - x -->", "```", "* d"]), max_size=12
)


def test_only_list_items_outside_comments_and_code_are_lines() -> None:
    assert lines.texts(CORE) == ("tabs", "short functions", "nested")


def test_an_addition_goes_to_the_end_of_the_list() -> None:
    assert lines.add(CORE, "new  one") == CORE.replace("    - nested\n", "    - nested\n- new one\n")
    assert lines.add("# H\n", "a") == "# H\n\n- a\n"
    assert lines.add("", "a") == "- a\n"
    assert lines.add("- a", "b") == "- a\n- b\n"
    assert lines.add("- a\r\n", "b") == "- a\r\n- b\r\n"


def test_a_replacement_keeps_place_and_marker() -> None:
    item = lines.find(CORE, "Short  FUNCTIONS")
    assert item is not None
    assert lines.replace(CORE, item, "long") == CORE.replace("* short\n  functions\n", "* long\n")
    assert lines.remove(CORE, item) == CORE.replace("* short\n  functions\n", "")


def test_a_marker_that_comes_with_a_text_is_not_doubled() -> None:
    assert lines.add("", "- a") == "- a\n"
    assert lines.find("- a\n", "- A") is not None


def test_prose_is_what_a_person_can_read() -> None:
    assert lines.prose("# H\n<!-- c\n- x -->\n- a\n\nwords\n") == "- a\nwords"


@settings(deadline=None)
@given(TEXTS, st.sampled_from(["z", "a", "y w"]))
def test_adding_and_removing_an_item_gives_the_items_back(rows: list[str], new: str) -> None:
    text = "\n".join(rows)
    before = lines.texts(text)
    after = lines.add(text, new)
    if lines.texts(after) == before:
        assert rows.count("```") % 2 == 1, "only an open fence may swallow what comes after it"
        return
    assert sorted(lines.texts(after)) == sorted([*before, new])
    for row in rows:
        assert row in after


@settings(deadline=None)
@given(TEXTS)
def test_removing_one_item_keeps_the_others(rows: list[str]) -> None:
    text = "\n".join(rows)
    before = lines.items(text)
    for n, item in enumerate(before):
        left = [i.text for i in lines.items(lines.remove(text, item))]
        assert left == [i.text for i in (*before[:n], *before[n + 1 :])]

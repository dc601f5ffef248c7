from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd import seeds
from memoryd.memory.index import END, MAX_BYTES, MAX_LINES, START, outside, render
from memoryd.memory.model import Entry, EntryStatus, EntryType

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PIECES = st.sampled_from(
    [START, END, "\n", "- [a](knowledge/a.md) — (type: user)\n", "my text\n", "文字", "\r\n", "# H\n", " "]
)


def an_entry(n: int, **more: object) -> Entry:
    fields = {"slug": f"e{n}", "name": f"Entry {n}", "description": f"about {n}", "updated_at": NOW - timedelta(days=n)}
    return Entry(**{**fields, **more})  # type: ignore[arg-type]


def test_active_entries_are_listed_newest_first_in_the_line_of_the_contract() -> None:
    entries = [
        an_entry(2),
        an_entry(1, type=EntryType.USER, name="角色 [x]", slug="角色"),
        an_entry(0, status=EntryStatus.HISTORICAL),
    ]
    text = render(entries, seeds.files("en")["MEMORY.md"].decode())
    inside = text.partition(START + "\n")[2].partition(END)[0]
    assert inside == (
        "- [角色 (x)](knowledge/角色.md) — about 1 (type: user)\n"
        "- [Entry 2](knowledge/e2.md) — about 2 (type: project)\n"
    )
    assert render(entries, text) == text


def test_a_file_without_markers_keeps_its_text_and_gets_them_at_its_end() -> None:
    assert render([], "mine\n") == f"mine\n\n{START}\n{END}\n"
    assert render([], "") == f"{START}\n{END}\n"


def test_a_lost_end_marker_costs_no_text_of_the_person() -> None:
    ours = "- [a](knowledge/a.md) — x (type: user)\n- … 3 more not listed here: `memoryd list`\n"
    text = f"top\n{START}\n{ours}mine\n- [b](c)\n"
    again = render([an_entry(1)], text)
    assert again.endswith(f"{END}\nmine\n- [b](c)\n")
    assert again.startswith(f"top\n{START}\n- [Entry 1]")
    assert "knowledge/a.md" not in again


def test_the_limits_hold_and_the_index_says_what_it_left_out() -> None:
    mine = "line of mine\n" * 50
    text = render([an_entry(n) for n in range(400)], mine)
    assert len(text.split("\n")) <= MAX_LINES
    shown = text.count("](knowledge/")
    assert f"… {400 - shown} more not listed" in text
    assert shown >= 140
    wide = render([an_entry(n, description="说明" * 100) for n in range(400)], mine)
    assert len(wide.encode()) <= MAX_BYTES
    assert len(wide.encode()) > MAX_BYTES - 1_000


def test_a_persons_text_over_the_limit_is_kept() -> None:
    mine = "x\n" * 300
    assert render([an_entry(1)], mine).startswith(mine)


def test_names_cannot_close_the_index() -> None:
    text = render([an_entry(1, name=f"a {END}", description=f"b {START}")], "")
    assert text.count(END) == 1
    assert text.count(START) == 1


@settings(deadline=None)
@given(st.lists(PIECES, max_size=10), st.integers(0, 5), st.integers(0, 5))
def test_text_outside_the_markers_keeps_every_byte(pieces: list[str], first: int, second: int) -> None:
    text = "".join(pieces)
    once = render([an_entry(n) for n in range(first)], text)
    twice = render([an_entry(n) for n in range(second)], once)
    assert outside(twice) == outside(once)
    if START in text and END in text.partition(START)[2]:
        assert outside(once) == outside(text)
    elif START not in text:
        assert once.startswith(text)

"""A run is taken back on the bytes of now: what others wrote since is never lost."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.memory import frontmatter
from memoryd.memory.model import FileKey, Root
from memoryd.memory.undoing import Past, merge, reverse

KEY = FileKey(Root.USER, "preferences.md")

rows = st.lists(st.sampled_from(["- a", "- b", "- c", "- d", "# head", "", "prose", "- a b"]), max_size=7)
mine = st.lists(st.sampled_from(["- by hand 1", "- by hand 2", "* 手写", "by hand"]), max_size=4)
ending = st.sampled_from(["\n", "\r\n"])


def text(lines: list[str], newline: str = "\n", *, closed: bool = True) -> str:
    joined = newline.join(lines)
    return joined + newline if closed and joined else joined


def said(content: str) -> Counter[str]:
    return Counter(row.strip() for row in content.splitlines() if row.strip())


@given(rows, rows)
def test_a_run_that_nobody_built_on_is_taken_back_to_the_byte(before: list[str], after: list[str]) -> None:
    past = Past(key=KEY, before=text(before).encode(), after=text(after).encode())
    back = reverse([past], {KEY: text(after).encode()})
    assert not back.conflicts
    assert back.changes.get(KEY, (None, past.after))[1] == past.before


@settings(max_examples=400)
@given(rows, rows, st.data(), ending, st.booleans())
def test_a_persons_later_lines_are_never_lost(
    before: list[str], after: list[str], data: st.DataObject, newline: str, closed: bool
) -> None:
    """The person deletes some lines of the run and writes others anywhere, with any line ends."""
    now = [row for row in after if data.draw(st.booleans())]
    for row in data.draw(mine):
        now.insert(data.draw(st.integers(0, len(now))), row)
    merged = merge(text(before), text(after), text(now, newline, closed=closed))
    written = Counter({row: n for row, n in said(text(now)).items() if "hand" in row or "手" in row})
    assert said(merged) >= written
    own = [row for row in now if "hand" in row or "手" in row]
    assert [row.strip() for row in merged.splitlines() if "hand" in row or "手" in row] == own
    added = said(text(after)) - said(text(before))
    assert not (added.keys() - said(text(before)).keys()) & said(merged).keys()


@given(rows, rows, mine)
def test_what_the_run_took_away_comes_back(before: list[str], after: list[str], written: list[str]) -> None:
    merged = merge(text(before), text(after), text([*after, *written]))
    assert said(merged) == said(text([*before, *written]))


@given(rows, rows, mine)
def test_an_undo_of_an_undo_gives_the_run_back(before: list[str], after: list[str], written: list[str]) -> None:
    now = text([*after, *written])
    undone = merge(text(before), text(after), now)
    assert said(merge(now, undone, undone)) == said(now)


def test_a_line_that_a_person_moved_goes_with_the_run_and_one_restored_by_hand_comes_once() -> None:
    assert merge("- old\n", "- old\n- new\n", "- new\n- mine\n- old\n") == "- mine\n- old\n"
    assert merge("- old\n", "- new\n", "- mine\n- old\n- new\n") == "- mine\n- old\n"


def test_lines_come_back_where_their_replacement_stands_whatever_was_written_around() -> None:
    assert (
        merge("# h\n- tabs\n- z\n", "# h\n- spaces\n- z\n", "# h\n- mine\n- spaces\n- z") == "# h\n- mine\n- tabs\n- z"
    )
    assert merge("- a\n- b\n", "- a\n", "- a\n- by hand") == "- a\n- b\n- by hand"


def test_a_key_of_the_frontmatter_goes_back_unless_it_was_changed_since() -> None:
    before = "---\nname: db\nupdated_at: 2026-01-01\n---\nold\n"
    after = "---\nname: db\nupdated_at: 2026-02-02\ntags: [x]\n---\nnew\n"
    now = "---\nname: Database\nupdated_at: 2026-03-03\ntags: [x]\nmine: 1\n---\nnew\nby hand\n"
    merged = frontmatter.read(merge(before, after, now))
    assert merged.meta == {"name": "Database", "updated_at": "2026-03-03", "mine": "1"}
    assert merged.body == "old\nby hand\n"


def test_a_file_that_was_removed_as_a_whole_and_made_again_since_is_left() -> None:
    made = Past(key=KEY, before=None, after=b"- a\n")
    assert reverse([made], {KEY: b"- a\n"}).changes == {KEY: (b"- a\n", None)}
    assert reverse([made], {KEY: b"- a\n- mine\n"}).changes == {KEY: (b"- a\n- mine\n", b"- mine\n")}
    gone = Past(key=KEY, before=b"- a\n", after=None)
    assert reverse([gone], {}).changes == {KEY: (None, b"- a\n")}
    assert reverse([gone], {KEY: b"- again\n"}).conflicts
    assert reverse([made], {}).conflicts == ()
    assert reverse([Past(key=KEY, before=b"a\n", after=b"b\n")], {}).conflicts


def test_lines_that_stand_twice_go_twice() -> None:
    now = "- b\n- b\n- by hand\n- c"
    assert merge("", "- c\n- b\n- a\n- a\n- b\n- c\n- a\n", now).strip() == "- by hand"


def test_of_a_file_that_the_run_made_what_was_written_into_it_since_stays() -> None:
    made = b"---\nname: Deploy\n---\n\nWe deploy to Hetzner.\n"
    past = Past(key=KEY, before=None, after=made)
    back = reverse([past], {KEY: made + b"\nBy hand: ask Lee first.\n"})
    assert not back.conflicts
    kept = back.changes[KEY][1] or b""
    assert (b"By hand: ask Lee first." in kept, b"Hetzner" in kept, b"name: Deploy" in kept) == (True, False, True)
    assert reverse([past], {KEY: made + b"\n"}).changes[KEY][1] is None


def test_the_version_of_a_file_that_cannot_come_back_stays_where_it_is() -> None:
    """A run put an entry aside for a new one, and a later run put that aside too."""
    entry, version = FileKey(Root.PROJECT, "knowledge/db.md"), FileKey(Root.PROJECT, "knowledge/db_v1.md")
    old, new = b"MySQL\nby hand\n", b"Postgres\n"
    past = [Past(key=entry, before=old, after=new), Past(key=version, before=None, after=old)]
    back = reverse(past, {version: old, FileKey(Root.PROJECT, "knowledge/db_v2.md"): new})
    assert not back.changes
    assert len(back.conflicts) == 2


def test_bytes_that_are_no_text_are_taken_back_and_told_as_readers_see_them() -> None:
    back = reverse([Past(key=KEY, before=b"- a\n", after=b"- \xff\n")], {KEY: b"- \xff\n"})
    assert back.changes[KEY] == (b"- \xff\n", b"- a\n")
    assert back.facts == ((Root.USER, "\ufffd"),)

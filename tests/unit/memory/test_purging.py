from memoryd.memory.purging import Gone, without, without_entries

ENTRY = """---
name: Deploy to Hetzner
description: where it runs
sources: [generic/a#1, generic/b#2]
mine: 1
---
It runs on Hetzner.

- by hand
"""


def gone(*lines: str) -> Gone:
    return lambda row: row.strip("- \n") in lines


def test_a_line_goes_with_what_continues_it_and_the_rest_keeps_its_bytes() -> None:
    text = "# Preferences\r\n\r\n- tabs\r\n- short\r\n  lines\r\n- mine\r\n"
    assert without("preferences.md", text, gone("short lines"), ()) == "# Preferences\r\n\r\n- tabs\r\n- mine\r\n"
    assert without("preferences.md", text, gone("other"), ()) == text
    assert without("preferences.md", "# P\n- tabs\n", gone("tabs"), ()) == "# P\n"


def test_an_entry_that_says_nothing_any_more_goes() -> None:
    assert without("knowledge/a.md", ENTRY, gone("It runs on Hetzner.", "by hand"), ()) is None
    assert without("sessions/2026-11-30-a.md", "## Asked\n- x\n", gone("x"), ()) is None


def test_what_stays_of_an_entry_names_it_and_its_sources_are_those_that_are_left() -> None:
    left = without("knowledge/a.md", ENTRY, gone("It runs on Hetzner."), {"generic/a#1"})
    assert left is not None
    assert "Hetzner" not in left
    assert "where it runs" not in left
    assert "name: by hand\n" in left
    assert "generic/b#2" in left
    assert "generic/a#1" not in left
    assert "mine: 1\n" in left
    assert left.endswith("\n- by hand\n")


def test_the_index_loses_the_lines_of_entries_and_keeps_a_persons() -> None:
    index = "my notes\n- [a](knowledge/a.md) — x (type: user)\n- [b](knowledge/caf%20b.md) — y (type: user)\n"
    assert without_entries(index, {"knowledge/caf b.md"}) == "my notes\n- [a](knowledge/a.md) — x (type: user)\n"

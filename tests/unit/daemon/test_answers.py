from memoryd.daemon.answers import at_most


def test_a_text_that_is_cut_keeps_its_lines_and_its_indentation() -> None:
    text = "# Steps\n\n    make check\n" * 50
    short = at_most(text, 20)
    assert short.startswith("# Steps\n\n    make check\n# Steps\n")
    assert short.endswith("; the file holds the rest)")
    assert at_most(text, 10_000) == text

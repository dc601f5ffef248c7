import pytest

from memoryd.memory.search.snippets import SNIPPET_CHARS, part, snippet, speaks_of


@pytest.mark.parametrize(
    ("query", "shown"),
    [("docker", "Docker"), ("头发", "頭髮"), ("發", "髮"), ("ＤＯＣＫＥＲ", "Docker"), ("deploying", "deployed")],
)
def test_a_snippet_shows_the_hit_wherever_it_stands(query: str, shown: str) -> None:
    text = "first line\n" + "filler words " * 40 + "then we deployed Docker 我的頭髮很長 " + "and more words " * 40
    found = snippet(text, query)
    assert shown in found
    assert len(found) <= SNIPPET_CHARS


def test_of_several_lines_the_one_that_answers_most_is_shown() -> None:
    assert snippet("docker only\nno\ndocker and tea", "tea docker") == "docker and tea"


def test_a_text_without_the_words_is_shown_from_its_beginning() -> None:
    assert snippet("alpha beta", "gamma") == "alpha beta"
    assert not part("alpha beta", "gamma").holds
    assert part("alpha beta", "beta gamma").holds


def test_relevance_without_an_index_is_the_share_of_the_words() -> None:
    assert speaks_of("postgres in docker", "docker tea") == 0.5
    assert speaks_of("我的頭髮", "发") == 1.0
    assert speaks_of("anything", "") == 0.0

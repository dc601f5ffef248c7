"""Paths that a text names."""

import pytest
from support.growth import growth

from memoryd.memory.nearby import paths_in


def test_paths_are_told_by_a_slash_or_an_extension() -> None:
    text = "see ./src/app/main.py, main.py, billing/ and ..hidden.toml; version 1.2, a/b of lib-x.tar.gz"
    assert paths_in(text) == ("src/app/main.py", "main.py", "billing", "hidden.toml", "a/b", "lib-x.tar.gz")


@pytest.mark.parametrize("unit", ["AKIA", "1-", "1.1-", "x/"])
def test_a_long_word_takes_as_long_as_it_is(unit: str) -> None:
    assert growth(paths_in, unit) < 4

import hashlib
import re

import frontmatter
import pytest

from memoryd import seeds
from memoryd.memory import index, lines
from memoryd.memory.frontmatter import read
from memoryd.memory.model import CORE_FILES, INDEX_FILE, SKILL_FILE


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_language_has_every_file(language: str) -> None:
    files = seeds.files(language)
    assert set(files) == {*CORE_FILES, SKILL_FILE, INDEX_FILE}
    assert all(text.endswith(b"\n") for text in files.values())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_skill_is_a_valid_agent_skill(language: str) -> None:
    text = seeds.files(language)[SKILL_FILE].decode()
    for meta in (read(text).meta, frontmatter.loads(text).metadata):
        assert set(meta) == {"name", "description"}
        assert meta["name"] == "skill-memory"
        assert 1 <= len(str(meta["description"])) <= 1_024
        assert not re.search("[<>]", str(meta["description"]))
    assert not read(text).malformed
    assert all(name in text for name in CORE_FILES)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_core_files_are_seeded_with_a_heading_a_comment_and_no_fact(language: str) -> None:
    for name in CORE_FILES:
        text = seeds.files(language)[name].decode()
        assert text.startswith("# ")
        assert "<!-- " in text
        assert lines.texts(text) == ()
        assert lines.prose(text) == ""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_seeded_index_is_what_an_empty_memory_renders(language: str) -> None:
    text = seeds.files(language)[INDEX_FILE].decode()
    assert index.render([], text) == text


def test_the_two_languages_differ_and_an_unknown_one_is_english() -> None:
    assert all(seeds.files("en")[name] != seeds.files("zh")[name] for name in CORE_FILES)
    assert seeds.files("fr") == seeds.files("en")


def test_a_skill_is_replaced_only_while_it_is_one_we_shipped() -> None:
    english, chinese = (seeds.files(language)[SKILL_FILE] for language in ("en", "zh"))
    assert hashlib.sha256(english).hexdigest() in seeds.shipped_hashes()
    assert seeds.upgraded_skill(english, "en") is None
    assert seeds.upgraded_skill(english, "zh") == chinese
    assert seeds.upgraded_skill(english + b"mine\n", "zh") is None


@pytest.mark.parametrize(
    ("env", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh"),
        ({}, "en"),
    ],
)
def test_the_language_is_that_of_the_locale(env: dict[str, str], language: str) -> None:
    assert seeds.pick_language(env) == language

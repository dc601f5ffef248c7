import pytest

from memoryd.memory.model import Entry, EntryStatus, EntryType
from memoryd.memory.quality import Flag, duplicate_of, signs, totals


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("ok.", Flag.TOO_SHORT),
        ("用户喜欢茶", Flag.TOO_SHORT),
        ("The server is currently down for everyone", Flag.TRANSIENT),
        ("正在重构登录模块的代码，进度一半", Flag.TRANSIENT),
        ("Maybe the user prefers tabs over spaces", Flag.VAGUE),
        ("用户大概喜欢简洁的代码风格吧", Flag.VAGUE),
        ("def handler(request): pass # in app.py", Flag.CODE),
        ("const limit = 10 in settings", Flag.CODE),
        ("struct Config { name: String }", Flag.CODE),
    ],
)
def test_signs_of_junk_are_seen_in_both_languages(text: str, flag: Flag) -> None:
    assert flag in {sign.flag for sign in signs(text)}


@pytest.mark.parametrize("text", ["The user prefers short commit messages.", "部署到 Fly.io，因为免费额度够用。"])
def test_a_good_memory_has_no_signs(text: str) -> None:
    assert signs(text) == ()


def an_entry(slug: str, body: str, **more: object) -> Entry:
    return Entry(slug=slug, name=slug, body=body, **more)  # type: ignore[arg-type]


def test_the_nearest_active_duplicate_is_named() -> None:
    known = [
        an_entry("tabs", "The user prefers tabs over spaces"),
        an_entry("old", "The user prefers tabs over space", status=EntryStatus.HISTORICAL),
        an_entry("tea", "用户喜欢喝茶"),
    ]
    assert duplicate_of("The user prefers tabs over spaces.", known) == "tabs"
    assert duplicate_of("The user prefers tabs over spaces.", known, except_slug="tabs") is None
    assert duplicate_of("用户喜欢喝茶。", known) == "tea"
    assert duplicate_of("Deploys go to Fly.io", known) is None


def test_totals_count_active_bodies_and_their_separators() -> None:
    known = [
        an_entry("a", "x" * 3_000, type=EntryType.USER),
        an_entry("b", "x" * 999, type=EntryType.USER),
        an_entry("c", "x", type=EntryType.USER, status=EntryStatus.HISTORICAL),
    ]
    used = totals(known)
    assert (used[EntryType.USER].used, used[EntryType.USER].limit) == (4_001, 4_000)
    assert used[EntryType.USER].over
    assert not used[EntryType.PROJECT].over
    assert (used[EntryType.PROJECT].used, used[EntryType.PROJECT].limit) == (0, 8_000)

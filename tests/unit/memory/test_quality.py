import pytest

from memoryd.ipc.events import Tier
from memoryd.memory.model import Entry, EntryStatus, EntryType
from memoryd.memory.quality import (
    CODE,
    TRANSIENT,
    VAGUE,
    Flag,
    duplicate_of,
    duplicates,
    lint,
    lint_kept,
    signs,
    totals,
)


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("ok.", Flag.TOO_SHORT),
        ("用户喜欢茶", Flag.TOO_SHORT),
        ("The server is currently down for everyone", Flag.TRANSIENT),
        ("正在重构登录模块的代码，进度一半", Flag.TRANSIENT),
        ("the staging server is down.", Flag.TRANSIENT),
        ("CI is red again, look at it", Flag.TRANSIENT),
        ("The login test keeps failing", Flag.TRANSIENT),
        ("测试环境又挂了。", Flag.TRANSIENT),
        ("Maybe the user prefers tabs over spaces", Flag.VAGUE),
        ("用户大概喜欢简洁的代码风格吧", Flag.VAGUE),
        ("def handler(request): pass # in app.py", Flag.CODE),
        ("const limit = 10 in settings", Flag.CODE),
        ("struct Config { name: String }", Flag.CODE),
    ],
)
def test_signs_of_junk_are_seen_in_both_languages(text: str, flag: Flag) -> None:
    assert flag in {sign.flag for sign in signs(text)}


@pytest.mark.parametrize(
    "text",
    [
        "The user prefers short commit messages.",
        "部署到 Fly.io，因为免费额度够用。",
        "When the staging server is down, page Ana.",
        "Never merge while CI is red.",
        "测试环境挂了的时候，先找运维。",
        "The export is broken down by month and region.",
    ],
)
def test_a_good_memory_has_no_signs(text: str) -> None:
    assert signs(text) == ()


WORDS = {Flag.TRANSIENT: (TRANSIENT, 11), Flag.VAGUE: (VAGUE, 8)}


@pytest.mark.parametrize("flag", WORDS)
def test_each_word_is_seen_in_a_sentence_of_its_language_and_beside_the_other(flag: Flag) -> None:
    (english, chinese), least = WORDS[flag]
    assert min(len(english), len(chinese)) >= least
    for word in english:
        assert flag in {sign.flag for sign in signs(f"The report is {word} with the team")}, word
        assert flag in {sign.flag for sign in signs(f"这份报告{word.title()}由团队处理")}, word
    for word in chinese:
        assert flag in {sign.flag for sign in signs(f"团队{word}处理这份报告吗")}, word


#: one text for each pattern of code
SHOWN = (
    "fn main(", "impl Config {", "struct Config {", "def handler(", "class Config:", "function run(", "(x) => {",
    "import { a }", "from 'react'", "from os import path", "#include <stdio.h>", "const limit =", "public static",
    "return x;",
)  # fmt: skip
SHOWN_ZH = (
    "代码如下", "源码如下", "实现如下", "示例代码", "代码片段", "完整代码", "函数签名", "函数体", "参数列表",
    "返回类型", "导入语句", "定义了一个函数",
)  # fmt: skip


def test_code_is_seen_in_english_and_chinese_text() -> None:
    assert min(map(len, CODE)) >= 12
    assert (len(SHOWN), len(SHOWN_ZH)) == tuple(map(len, CODE))
    for code in SHOWN:
        assert [sign.flag for sign in signs(f"In the service there is {code} and so on")] == [Flag.CODE], code
        assert Flag.CODE in {sign.flag for sign in signs(f"服务里写着{code}之类的内容")}, code
    for words in SHOWN_ZH:
        assert Flag.CODE in {sign.flag for sign in signs(f"登录服务的{words}，供以后参考")}, words


def test_words_inside_other_words_are_no_sign() -> None:
    assert signs("The todayshow module and kindofish names stay") == ()


GOOD = "Deploy with make ship.\n**Why:** it signs the build.\n**How to apply:** before every release."
GOOD_ZH = "用 make ship 部署。\n原因：它会签名。\n做法：每次发布之前。"


@pytest.mark.parametrize(
    ("body", "kind", "description", "flags"),
    [
        (GOOD, EntryType.FEEDBACK, "how a release goes out", []),
        (GOOD_ZH, EntryType.PROJECT, "发布的方法", []),
        ("The user is a Rust developer.", EntryType.USER, "what the user does", []),
        ("Deploy with make ship always.", EntryType.FEEDBACK, "how a release goes out", [Flag.NO_WHY, Flag.NO_HOW]),
        (GOOD.replace("Why", "Whose"), EntryType.PROJECT, "how a release goes out", [Flag.NO_WHY]),
        (GOOD, EntryType.PROJECT, "", [Flag.DESCRIPTION]),
        (GOOD, EntryType.PROJECT, "Deploy Way", [Flag.DESCRIPTION]),
        (GOOD, EntryType.PROJECT, "long " * 40, [Flag.DESCRIPTION]),
    ],
)
def test_an_entry_says_when_it_is_wanted_why_and_how(
    body: str, kind: EntryType, description: str, flags: list[Flag]
) -> None:
    entry = Entry(slug="deploy", name="deploy way", description=description, type=kind, body=body)
    assert [sign.flag for sign in lint(entry)] == flags


@pytest.mark.parametrize(
    ("body", "flags"),
    [
        ("We decided to use PostgreSQL.", []),
        ("We decided to use PostgreSQL.\n\n**Why:** we need JSONB", []),
        ("我们决定用 PostgreSQL。\n\n原因：需要 JSONB", []),
        ("Deploy with make ship.\nNever on a Friday.\n", [Flag.NO_WHY, Flag.NO_HOW]),
        ("Deploy with make ship.\nNever on a Friday.\n**Why:** nobody is there", [Flag.NO_HOW]),
    ],
)
def test_a_single_statement_that_stands_is_kept_as_it_was_said(body: str, flags: list[Flag]) -> None:
    entry = Entry(slug="x", name="x", description="what it is about", type=EntryType.PROJECT, body=body)
    assert [sign.flag for sign in lint_kept(entry)] == flags


def test_dated_facts_have_a_bound_of_their_own() -> None:
    assert totals([an_entry("a", "x" * 9_000, tier=Tier.WEB)])[EntryType.PROJECT].used == 0


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


def test_duplicates_name_each_other() -> None:
    known = [
        an_entry("tabs", "The user prefers tabs over spaces"),
        an_entry("tabs-too", "The user prefers tabs over spaces."),
        an_entry("old", "The user prefers tabs over spaces", status=EntryStatus.HISTORICAL),
        an_entry("tea", "用户喜欢喝茶"),
        an_entry("long", "The user prefers tabs over spaces. " * 9 + "And much else, told at length."),
        an_entry("empty", ""),
    ]
    assert duplicates(known) == {"tabs": "tabs-too", "tabs-too": "tabs"}


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

"""Which memories contradict each other, and which may well both hold."""

import pytest

from memoryd.worker.agents.rules.contradicting import Difference, difference


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("The staging server listens on port 8080", "The staging server listens on port 9090", Difference.NUMBER),
        ("Keep functions under 40 lines", "Keep functions under 60 lines", Difference.NUMBER),
        ("测试覆盖率至少要 80%", "测试覆盖率至少要 90%", Difference.NUMBER),
        ("Never push to the main branch", "Push to the main branch", Difference.DENIAL),
        ("The user likes emojis in commits", "The user does not like emojis in commits", Difference.DENIAL),
        ("提交信息里要写表情", "提交信息里不要写表情", Difference.DENIAL),
        ("The default branch is main", "The default branch is master", Difference.VALUE),
        ("The project uses pnpm", "The project uses npm now", Difference.VALUE),
        ("The user lives in Berlin", "The user is based in Paris", Difference.VALUE),
        ("项目使用 PostgreSQL 数据库", "项目使用 MySQL 数据库", Difference.VALUE),
        ("用户住在上海", "用户住在北京", Difference.VALUE),
        ("部署环境是阿里云", "部署环境是腾讯云", Difference.VALUE),
    ],
)  # fmt: skip
def test_what_cannot_both_hold_is_told_with_how_it_differs(one: str, other: str, wanted: Difference) -> None:
    assert difference(one, other) is wanted
    assert difference(other, one) is wanted


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The default branch is main", "the default branch is main"),
        ("The user likes Rust", "The user likes Go"),
        ("Python files are indented with 4 spaces", "Web files are indented with 2 spaces"),
        ("Tests use SQLite", "Production uses PostgreSQL"),
        ("The project uses pnpm", "The project also uses npm"),
        ("The user uses Vim", "The user uses VS Code for Java"),
        ("The retry limit is 3 in tests", "The retry limit is 5 in production"),
        ("The user is a Rust developer", "The user is a father of two"),
        ("Run make lint before you commit", "Run make test before you push"),
        ("The deploy runs at night", "The deploy runs at night, on the small server"),
        ("用户喜欢简洁的代码风格", "用户喜欢简短的回答"),
        ("开发环境用 SQLite 数据库", "生产环境用 PostgreSQL 数据库"),
        ("上海机房有 3 台机器", "北京机房有 5 台机器"),
    ],
)
def test_what_may_well_both_hold_is_no_contradiction(one: str, other: str) -> None:
    assert difference(one, other) is None
    assert difference(other, one) is None

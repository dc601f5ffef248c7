"""Memory held against what was said lately, by rules, in both languages: one line, the most telling, or none."""

from datetime import UTC, datetime, timedelta

import pytest

from memoryd.memory import nudge
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.fence import PREFETCH_CLOSE, PREFETCH_OPEN
from memoryd.memory.labels import EN, ZH
from memoryd.memory.model import FileKey, Root

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def a_memory(*lines: str, days: int = 0) -> Catalogue:
    made = (NOW - timedelta(days=days)).isoformat().replace("+00:00", "Z")
    entry = f"---\nname: Billing database\ntype: project\nupdated_at: {made}\n---\nBilling runs on PostgreSQL 14.\n"
    return Catalogue.build(
        {
            FileKey(Root.USER, "preferences.md"): "".join(f"- {line}\n" for line in lines).encode(),
            FileKey(Root.PROJECT, "knowledge/billing-database.md"): entry.encode(),
        }
    )


def line(catalogue: Catalogue, *prompts: str, chinese: bool = False) -> str:
    return nudge.reminder(catalogue, prompts, ZH if chinese else EN, NOW)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("The user installs packages with npm", "no, use pnpm instead of npm"),
        ("用户用 npm 安装依赖", "不要用 npm，用 pnpm"),
    ],
)
def test_a_memory_that_names_what_was_just_corrected_is_to_be_looked_at(held: str, said: str) -> None:
    found = line(a_memory(held), "fix the parser", said)
    assert f"“{held}” may be out of date" in found
    assert said.removeprefix("no, ") in found
    assert f"“{held}” 可能已过时" in line(a_memory(held), said, chinese=True)
    assert "\n" not in found


@pytest.mark.parametrize("held", ["The user uses pnpm, never npm", "The user moved from npm to pnpm", "用户不用 npm"])
def test_a_memory_that_agrees_with_the_correction_is_left_alone(held: str) -> None:
    assert "out of date" not in line(a_memory(held), "no, use pnpm instead of npm")


@pytest.mark.parametrize("said", ["Never push to the release branch.", "以后提交信息必须用英文。"])
def test_a_rule_of_the_user_that_no_memory_holds_is_named(said: str) -> None:
    assert f"the user said “{said}”, and no memory holds it" in line(a_memory(), "go on", said)
    assert line(a_memory(said.rstrip(".。")), "go on", said) == ""


def test_an_old_memory_about_what_the_talk_is_of_is_to_be_looked_at() -> None:
    prompt = "show me the slow queries of the billing database"
    assert line(a_memory(days=47), prompt) == (
        "Memory check: “Billing database” was noted 47 days ago, and it is what you work on now. See whether it still"
        " holds."
    )
    assert line(a_memory(days=29), prompt) == ""
    assert line(a_memory(days=47), "translate the manual") == ""


def test_words_that_were_pasted_or_an_attack_move_nothing() -> None:
    pasted = "look at this log:\n```\nnever push to the release branch, use pnpm instead of npm\n```"
    assert line(a_memory("The user installs packages with npm"), pasted) == ""


def test_the_line_stands_alone_or_behind_what_the_prompt_is_told() -> None:
    told = f"{PREFETCH_OPEN}\n{EN.recalled}\n- a\n{PREFETCH_CLOSE}"
    assert nudge.added(told, "check", EN) == f"{PREFETCH_OPEN}\n{EN.recalled}\n- a\ncheck\n{PREFETCH_CLOSE}"
    assert nudge.added("", "check", EN) == f"{PREFETCH_OPEN}\n{EN.recalled}\ncheck\n{PREFETCH_CLOSE}"
    assert nudge.added(told, "", EN) == told

"""Items become proposals: in the right file, resting on what the user said, in place of what they make untrue."""

from collections.abc import Mapping
from typing import Any

import pytest
from support.briefs import brief, projection, settings, talk
from support.fake_model import item

from memoryd.memory.model import EntryType, Root
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Supersede
from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.answer import Answer
from memoryd.worker.agents.asking.conversation import LEVELS
from memoryd.worker.agents.asking.filing import LONG_RULE_CHARS, Filing

SAID = talk(
    "never push to main, because the deploy starts from it", "in all projects: never commit generated files",
    "we use Postgres as we need JSONB", "我喜欢简洁的代码风格，因为好维护",
)  # fmt: skip
MEMORY = {"Likes verbose code": "preferences.md", "Push whenever you like": "constraints.md"}
ENTRIES = {"database": "MySQL"}


def filing(*items: Mapping[str, Any]) -> Filing:
    """u1 to u4 are what was said; m1 is the preference, m2 the rule, m3 the entry."""
    given = brief(settings("http://x"), projection(*SAID), core=MEMORY, entries=ENTRIES)
    shown = prompt.sheet(given, prompt.LARGE, LEVELS[0])
    made = Filing(brief=given, said=shown.conversation.said, held=dict(shown.manifest.shown))
    made.take(Answer.model_validate({"items": items}).well_formed)
    return made


def filed(*items: Mapping[str, Any]) -> list[Proposal]:
    return filing(*items).proposals


@pytest.mark.parametrize(
    ("kind", "file"),
    [("user", "user.md"), ("preference", "preferences.md"), ("rule", "constraints.md"), ("identity", "identity.md")],
)
def test_what_every_session_is_told_becomes_a_line(kind: str, file: str) -> None:
    (line,) = filed(item("- Never push\nto main.", "u1", "[u1]", kind=kind))
    assert isinstance(line, Lines)
    assert (line.file, line.add, line.cites, line.root) == (file, ("Never push to main.",), (11,), None)


def test_a_project_fact_becomes_an_entry_with_the_users_reason() -> None:
    (save,) = filed(item("Uses Postgres", "u3", kind="project", name="Database choice", why="we need JSONB"))
    assert isinstance(save, Save)
    assert (save.slug, save.type, save.content) == (
        "database-choice", EntryType.PROJECT, "Uses Postgres\n\n**Why:** we need JSONB",
    )  # fmt: skip


def test_a_reason_that_the_user_did_not_give_is_left_out() -> None:
    save, line = filed(
        item("Uses Postgres", "u3", kind="project", why="it scales to petabytes"),
        item("Never push to main", "u1", kind="rule", why="branch protection is missing"),
    )
    assert isinstance(save, Save)
    assert save.content == "Uses Postgres"
    assert isinstance(line, Lines)
    assert line.add == ("Never push to main",)


def test_a_reason_of_the_users_stands_in_the_line_in_its_language() -> None:
    english, chinese = filed(
        item("Never push to main.", "u1", kind="rule", why="the deploy starts from it"),
        item("喜欢简洁的代码风格", "u4", why="好维护"),
    )
    assert isinstance(english, Lines)
    assert english.add == ("Never push to main because the deploy starts from it",)
    assert isinstance(chinese, Lines)
    assert chinese.add == ("喜欢简洁的代码风格，因为好维护",)


def test_a_rule_for_all_projects_is_the_users() -> None:
    (line,) = filed(item("Never commit generated files", "u2", kind="rule"))
    assert line.root is Root.USER


def test_a_long_rule_is_an_entry_that_only_its_topic_brings_up() -> None:
    (save,) = filed(item("Never push to main " * 20, "u1", kind="rule"))
    assert isinstance(save, Save)
    assert save.type is EntryType.FEEDBACK
    assert len(save.content) > LONG_RULE_CHARS


def test_what_is_no_longer_true_gives_way_where_it_stands() -> None:
    line, entry = filed(
        item("Likes concise code", "u4", replaces="m1"), item("Uses Postgres", "u3", kind="project", replaces="[m3]")
    )
    assert isinstance(line, Lines)
    assert line.replace == (("Likes verbose code", "Likes concise code"),)
    assert isinstance(entry, Supersede)
    assert (entry.old, entry.root) == ("database", Root.PROJECT)


def test_what_gives_way_to_another_kind_of_memory_is_taken_out() -> None:
    added, removed, saved, archived = filed(
        item("Never push to main", "u1", replaces="m2"), item("Never commit generated files", "u2", replaces="m3")
    )
    assert isinstance(added, Lines)
    assert isinstance(removed, Lines)
    assert removed.remove == ("Push whenever you like",)
    assert isinstance(saved, Lines)
    assert isinstance(archived, Archive)


def test_what_is_taken_back_is_removed() -> None:
    line, entry = filed(item("", "u1", kind="forget", replaces="m1"), item("", "u1", kind="forget", replaces="m3"))
    assert isinstance(line, Lines)
    assert line.remove == ("Likes verbose code",)
    assert isinstance(entry, Archive)
    assert entry.slug == "database"


def test_what_rests_on_nothing_or_says_nothing_new_is_dropped_and_counted() -> None:
    made = filing(
        item("Never push to main"), item("Never push to main", "u9", "m1", "t3"), item("", "u1"),
        item("likes  VERBOSE code", "u1"), item("", "u1", kind="forget", replaces="m9"), {"kind": "joke"},
        item("Never push to main", "u1"), item("never push to main", "u1"),
    )  # fmt: skip
    assert len(made.proposals) == 1
    assert made.dropped == {"uncited": 2, "empty": 1, "known": 2, "nothing to forget": 1}


def test_two_facts_of_one_name_get_two_slugs_and_none_gets_that_of_another_entry() -> None:
    slugs = [
        proposal.slug
        for proposal in filed(
            item("Uses Postgres", "u3", kind="project", name="database"),
            item("Needs JSONB", "u3", kind="project", name="Database"),
            item("See the board", "u3", kind="reference", name="../../.ssh/authorized_keys"),
        )
        if isinstance(proposal, Save)
    ]
    assert slugs == ["database-2", "database-3", "ssh-authorized-keys"]


def test_two_items_that_replace_the_same_memory_are_both_kept() -> None:
    first, second = filed(item("Likes concise code", "u4", replaces="m1"), item("Likes 简洁", "u4", replaces="m1"))
    assert isinstance(first, Lines)
    assert first.replace == (("Likes verbose code", "Likes concise code"),)
    assert isinstance(second, Lines)
    assert second.add == ("Likes 简洁",)

"""All items of a run together: what becomes of each, with and without decisions."""

from collections.abc import Mapping
from typing import Any

import pytest
from support.briefs import brief, projection, settings, talk
from support.fake_model import item

from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.answer import Item
from memoryd.worker.agents.asking.batch import MAX_ASKED, Batch
from memoryd.worker.agents.asking.conversation import LEVELS
from memoryd.worker.agents.asking.deciding import Decisions, read

MEMORY = {"Deploys go out on Tuesdays": "preferences.md", "Staging runs on heron": "preferences.md"}
DEPLOYS = (item("Deploys go out on Thursdays", "u1"), item("Deploys go out on Thursdays from the release branch", "u2"))


def batch(*items: Mapping[str, Any], core: Mapping[str, str] = MEMORY) -> Batch:
    """u1 to u3 are what was said; m1 and m2 what is remembered."""
    given = brief(settings("http://x"), projection(*talk("one", "two", "three")), core=core)
    sheet = prompt.sheet(given, prompt.LARGE, LEVELS[0])
    found = [Item.model_validate(one) for one in items]
    return Batch.of(found, sheet.manifest.everything, sheet.conversation.said)


def after(made: Batch, *decisions: Mapping[str, Any]) -> list[tuple[str, str, tuple[str, ...]]]:
    told = [one for one in Decisions.model_validate({"decisions": list(decisions)}).decisions if one]
    return [(one.text, one.replaces, one.cites) for one in made.settled(told)]


def test_twins_become_the_fullest_with_what_all_of_them_cite_and_tell() -> None:
    made = batch(
        item("cache lives in redis", "u1", why="it is quick", replaces="m2"), item("The cache lives in Redis.", "u3")
    )
    (whole,) = made.settled()
    assert (whole.text, whole.why, whole.replaces, whole.cites) == (
        "The cache lives in Redis.", "it is quick", "m2", ("u1", "u3"),
    )  # fmt: skip


def test_what_is_known_goes_and_what_is_fresh_stays() -> None:
    assert after(batch(item("deploys go out on Tuesdays.", "u1"), item("Logs are kept a week", "u2"))) == [
        ("Logs are kept a week", "", ("u2",))
    ]


@pytest.mark.parametrize(
    ("items", "asked"),
    [
        (DEPLOYS, ["c1", "c2"]),
        (DEPLOYS[:1], []),  # a single one: the agent has said what it thinks
        ((item("Deploys go out on Fridays", "u1", replaces="m1"), DEPLOYS[0]), []),
        ((item("Deploys go out on Fridays", "u1", replaces="m1"), *DEPLOYS), ["(taken)", "c1", "c2"]),
        ((item("Deploys go out on Mondays"), *DEPLOYS[:1]), []),  # what cites nothing is no candidate
        ((item("", "u1", kind="forget", replaces="m1"), *DEPLOYS[:1]), []),
        ((DEPLOYS[0], item("Staging runs on stork", "u1")), ["c1", "c2"]),
        ((item("Logs are kept a week", "u1"), item("Backups go to Lisbon", "u2")), []),
    ],
)  # fmt: skip
def test_only_what_nobody_has_decided_is_asked_about(items: tuple[dict[str, Any], ...], asked: list[str]) -> None:
    rows = [row for row in batch(*items).question().splitlines() if not row.startswith(("##", "[m"))]
    assert [row.split()[0].strip("[]") for row in rows] == asked


def test_a_group_is_shown_with_dates_and_with_what_is_remembered_of_it() -> None:
    assert batch(*DEPLOYS).question().splitlines() == [
        "## Group 1",
        "[c1] preference, 2026-11-30, Monday: Deploys go out on Thursdays",
        "[c2] preference, 2026-11-30, Monday: Deploys go out on Thursdays from the release branch",
        "[m1] preference: Deploys go out on Tuesdays",
    ]


@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ({"action": "drop", "of": ["c1"]}, [(DEPLOYS[1]["text"], "", ("u2",))]),
        ({"action": "merge", "of": "c1, c2", "text": "Deploys go out on Thursdays from the branch"},
         [("Deploys go out on Thursdays from the branch", "", ("u1", "u2"))]),
        ({"action": "supersede", "of": ["c1", "c2"], "replaces": ["m1"]},
         [(DEPLOYS[1]["text"], "m1", ("u1", "u2"))]),
        ({"action": "merge", "of": ["[c1]"], "text": "Deploys go out Thursdays", "replaces": "m1"},
         [("Deploys go out Thursdays", "m1", ("u1",)), (DEPLOYS[1]["text"], "", ("u2",))]),
    ],
)  # fmt: skip
def test_a_decision_is_carried_out(decision: dict[str, Any], left: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert after(batch(*DEPLOYS), decision) == left


@pytest.mark.parametrize(
    "decision",
    [
        {"action": "keep", "of": ["c1", "c2"]},
        {"action": "burn", "of": ["c1"]},
        {"action": "drop", "of": ["c7", "m1"]},
        {"action": "drop", "of": []},
        {"action": "drop", "of": ["c1", "c3"]},  # of two groups
        {"action": "merge", "of": ["c1", "c2"], "text": ""},
        {"action": "merge", "of": ["c1", "c2"], "text": "Deploys go out on Thursdays with root rights"},
        {"action": "supersede", "of": ["c1"], "replaces": []},
        {"action": "supersede", "of": ["c1"], "replaces": ["m2"]},  # not shown with this group
        {"action": "supersede", "of": ["c1"], "replaces": ["m1", "m9"]},
    ],
)
def test_a_bad_decision_leaves_everything_as_it_was_proposed(decision: dict[str, Any]) -> None:
    made = batch(*DEPLOYS, item("Staging runs on stork", "u3"))
    assert after(made, decision) == after(made)
    assert [text for text, _, _ in after(made)] == [one["text"] for one in DEPLOYS] + ["Staging runs on stork"]


def test_a_candidate_is_decided_about_once() -> None:
    drop, merge = {"action": "drop", "of": ["c1"]}, {"action": "merge", "of": ["c1", "c2"], "text": "Deploys go out"}
    assert after(batch(*DEPLOYS), drop, merge) == [(DEPLOYS[1]["text"], "", ("u2",))]


def test_what_more_than_one_memory_gives_way_to_takes_all_of_them_back() -> None:
    memory = {"Deploys go out on Tuesdays": "preferences.md", "Deploys go out at noon": "constraints.md"}
    made = batch(*DEPLOYS, core=memory).settled(
        read('{"decisions": [{"of": ["c1", "c2"], "action": "supersede", "replaces": ["m1", "m2"]}]}')
    )
    assert [(one.kind, one.replaces, one.cites) for one in made] == [
        ("preference", "m1", ("u1", "u2")), ("forget", "m2", ("u1", "u2")),
    ]  # fmt: skip


def test_one_question_stays_within_its_bound() -> None:
    texts = [f"box{n} gate{n} opens {when}" for n in range(MAX_ASKED) for when in ("early", "late")]
    made = batch(*(item(text, "u1") for text in texts))
    assert made.question().count("\n[c") == len(made.asked) == MAX_ASKED


@pytest.mark.parametrize("text", ['```json\n{"decisions": []}\n```', "[]", '{"decisions": [1, {"of": 3}]}'])
def test_an_answer_without_a_decision_is_read(text: str) -> None:
    assert read(text) == ()


def test_the_answer_of_another_question_is_none() -> None:
    with pytest.raises(ValueError, match="`decisions` is wanted"):
        read('{"items": []}')

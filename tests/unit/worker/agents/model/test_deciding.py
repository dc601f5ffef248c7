"""A run with many candidates: one question about all that is not obvious, and none where that would be wasted."""

import json
import re
from typing import Any

import pytest
from support.briefs import CountingPurse, brief, projection, settings, talk
from support.fake_model import Answering, Asked, Reply, error, item, serving

from memoryd.memory.proposals import Proposal, Save, Supersede
from memoryd.worker.agents.brief import Brief, Compare, Near
from memoryd.worker.agents.model import deciding, work

SAID = talk(*(f"prompt {n} " + "and so on " * 350 for n in range(20)))  # two parts
FRESH = [f"Alpha{n} lives in beta{n}" for n in range(15)]
KNOWN = [f"Gamma{n} lives in delta{n}" for n in range(4)]
TWINS = [text for n in range(3) for text in (f"Eta{n} lives in theta{n}", f"the eta{n} lives in theta{n}.")]
OPEN = [f"Kappa{n} expires lambda{n} after {days} days" for n in range(5) for days in (1, 2, 3)]
REMEMBERED = {"kappa": "Kappa0 expires lambda0 after 9 days", **{f"g{n}": text for n, text in enumerate(KNOWN)}}
RELATED = ["Deploys go out on Thursdays", "Deploys go out on Thursdays from the release branch"]


def is_question(asked: Asked) -> bool:
    return "## Group" in asked.body["messages"][-1]["content"]


def model(texts: list[str], answer: Reply | Answering, tokens: tuple[int, int] = (900, 40)) -> Answering:
    """Gives the texts in as many portions as parts are asked about, each resting on what the part shows."""
    left = list(texts)

    def reply(asked: Asked) -> Reply:
        if is_question(asked):
            return answer if isinstance(answer, Reply) else answer(asked)
        cited = re.findall(r"\[(u\d+)\]", asked.body["messages"][-1]["content"])
        portion = [left.pop(0) for _ in range(min(20, len(left)))]
        return Reply(items=[item(text, cited[0], kind="project") for text in portion], tokens=tokens)

    return reply


def given(url: str, *, said: int = 20, **more: Any) -> Brief:
    wide: dict[str, Any] = {"tokens_per_run": 500_000, "max_steps": 8, **more}
    return brief(settings(url, **wide), projection(*SAID[:said]), entries=REMEMBERED)


def saved(proposals: tuple[Proposal, ...]) -> list[str]:
    return [one.content for one in proposals if isinstance(one, Save)]


async def test_forty_candidates_cost_one_call_more_than_reading_what_they_came_from() -> None:
    def decide(asked: Asked) -> Reply:
        shown = asked.body["messages"][-1]["content"]
        (old,) = re.findall(r"\[(m\d+)\].*after 9 days", shown)
        decisions = [
            {"of": ["c1", "c2", "c3"], "action": "supersede", "replaces": [old]},
            {"of": ["c4", "c5", "c6"], "action": "merge", "text": "Kappa1 expires lambda1 after 1, 2, 3 days"},
            {"of": ["c7", "c8"], "action": "drop"},
            {"of": ["c10"], "action": "merge", "text": ""},
        ]
        assert shown.count("\n[c") == len(OPEN)
        return Reply(text=json.dumps({"decisions": decisions}))

    texts = [*FRESH, *KNOWN, *TWINS, *OPEN]
    assert len(texts) == 40
    async with serving(model(texts, decide)) as fake:
        done = await work(given(fake.url), purse := CountingPurse())
    assert [is_question(asked) for asked in fake.asked] == [False, False, True]
    assert purse.tokens == fake.tokens
    assert len(purse.settled) == len(purse.reserved) == 3
    assert saved(done.proposals) == [
        *FRESH, *TWINS[1::2], OPEN[2], "Kappa1 expires lambda1 after 1, 2, 3 days", OPEN[8], *OPEN[9:],
    ]  # fmt: skip
    assert [one.old for one in done.proposals if isinstance(one, Supersede)] == ["kappa"]


async def test_where_nothing_is_open_no_further_call_is_made() -> None:
    async with serving(model([*FRESH, *KNOWN, *TWINS], Reply(text="{}"))) as fake:
        done = await work(given(fake.url), purse := CountingPurse())
    assert [is_question(asked) for asked in fake.asked] == [False, False]
    assert saved(done.proposals) == [*FRESH, *TWINS[1::2]]
    assert purse.tokens == fake.tokens


@pytest.mark.parametrize(("compares", "asked"), [(True, True), (False, False)])
async def test_where_there_is_an_embedder_what_means_the_same_in_other_words_is_asked_about_too(
    compares: bool, asked: bool
) -> None:
    """Two facts that share no word with the memory that they make untrue."""
    old = "Kappa0 expires lambda0 after 9 days"

    async def embedder(compare: Compare) -> Near:
        return Near(
            rows=tuple(tuple(float(other in (old, text)) for other in compare.others) for text in compare.texts)
        )

    texts = ["Cards run out weekly", "Passes stop mattering soon"]
    async with serving(model(texts, Reply(text='{"decisions": []}'))) as fake:
        brief = given(fake.url, said=2, compares=compares)
        done = await work(brief, CountingPurse(), embedder)
    assert any(map(is_question, fake.asked)) == asked
    assert saved(done.proposals) == texts


async def test_an_embedder_that_cannot_say_changes_nothing() -> None:
    async with serving(model(RELATED, Reply(text='{"decisions": []}'))) as fake:
        await work(given(fake.url, said=2, compares=True), CountingPurse())
    assert [is_question(asked) for asked in fake.asked] == [False, True]


@pytest.mark.parametrize(
    "answer",
    [
        Reply(text="I would keep them all."),
        Reply(text='{"decisions": "all"}'),
        Reply(items=[item("Deploys go out", "u1")]),
        Reply(text=""),
        Reply(raw="<html>login</html>", content_type="text/html"),
        error(429, "rate_limit_exceeded", retry_after="30"),
        error(400, "context_length_exceeded"),
        error(500, "server_error"),
        error(401, "invalid_api_key"),
        Reply(hangs_up=True),
    ],
)  # fmt: skip
async def test_without_a_decision_everything_is_kept_as_it_was_proposed(answer: Reply) -> None:
    async with serving(model(RELATED, answer)) as fake:
        done = await work(given(fake.url, said=3), purse := CountingPurse())
    assert sum(map(is_question, fake.asked)) >= 1
    assert saved(done.proposals) == RELATED
    assert purse.tokens == fake.tokens


async def test_an_answer_that_does_not_come_does_not_cost_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "MARGIN_SECONDS", 19.0)
    async with serving(model(RELATED, Reply(text="{}", seconds=60))) as fake:
        done = await work(given(fake.url, said=3, timeout_seconds=20), purse := CountingPurse())
    assert saved(done.proposals) == RELATED
    assert len(purse.reserved) == 2


@pytest.mark.parametrize("bound", [{"max_steps": 1}, {"tokens_per_run": 20_000}, {"model": "openai:small-7b"}])
async def test_what_a_run_has_no_room_for_is_not_asked(bound: dict[str, Any]) -> None:
    async with serving(model(RELATED, Reply(text="{}"), tokens=(15_000, 1_000))) as fake:
        done = await work(given(fake.url, said=1, **bound), CountingPurse())
    assert sum(map(is_question, fake.asked)) == 0
    assert saved(done.proposals) == RELATED


async def test_a_budget_that_is_spent_keeps_what_has_been_paid_for() -> None:
    async with serving(model(RELATED, Reply(text="{}"))) as fake:
        done = await work(given(fake.url, said=3), CountingPurse(grants=1))
    assert len(fake.asked) == 1
    assert saved(done.proposals) == RELATED

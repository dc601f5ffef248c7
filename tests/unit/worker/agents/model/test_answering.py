"""Questions about memory against a provider on a loopback socket: what is asked, how deep, what comes of it."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.briefs import CountingPurse, settings
from support.fake_model import FakeModel, Reply, serving

from memoryd.worker.agents.brief import AgentFault
from memoryd.worker.agents.model import answer
from memoryd.worker.agents.question import Look, Question, Row, Seen, Sentence, Task, Told

ROWS = tuple(Row(id=f"m{n}", text=f'project: "fact {n}": the gate {n} is closed') for n in range(1, 9))
SURE = {"chosen": ["m2"], "confidence": 0.9, "queries": []}
UNSURE = {
    "chosen": ["m2"],
    "confidence": 0.3,
    "queries": [{"query": "gate keeper", "scope": "memories"}, {"query": "gate", "scope": "sessions"}],
}


def says(told: Any) -> Reply:
    return Reply(text=told if isinstance(told, str) else json.dumps(told))


def question(fake: FakeModel, task: Task = "choose", **more: Any) -> Question:
    given = settings(fake.url, **{"max_steps": 3, **more})
    return Question(task=task, settings=given, asked=("open the gate", "it is stuck"), rows=ROWS, wanted=2)


@dataclass
class Eyes:
    """Looks, and what they see: the next rows each time."""

    seen: list[Seen] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)

    async def __call__(self, look: Look) -> Seen:
        self.looks.append(look)
        return self.seen.pop(0) if self.seen else Seen()


async def test_a_model_that_is_sure_chooses_with_one_call() -> None:
    async with serving(says(SURE)) as fake:
        told = await answer(question(fake), purse := CountingPurse(), eyes := Eyes())
    assert told == Told(ids=("m2",))
    assert (len(fake.asked), eyes.looks) == (1, [])
    assert purse.tokens == fake.tokens
    assert "| it is stuck" in fake.asked[0].body["messages"][-1]["content"]
    assert "[m8] project" in fake.asked[0].text


async def test_while_it_is_not_sure_it_looks_over_scopes_at_once_and_chooses_again() -> None:
    eyes = Eyes([Seen(rows=(Row(id="m9", text="the gate keeper has the key"), Row(text="2026-03-02 user: gate?")))])
    async with serving(says(UNSURE), says({"chosen": ["m9", "m2", "m1"], "confidence": 0.4})) as fake:
        told = await answer(question(fake), CountingPurse(), eyes)
    assert told.ids == ("m9", "m2"), "as many as are wanted, those found among them"
    [look] = eyes.looks
    assert [(one.query, one.scope) for one in look.sought] == [("gate keeper", "memories"), ("gate", "sessions")]
    assert "the gate keeper has the key" in fake.asked[1].text
    assert "- 2026-03-02 user: gate?" in fake.asked[1].text


async def test_it_goes_no_deeper_than_its_calls_or_than_there_is_something_new() -> None:
    new = [Seen(rows=(Row(text=f"news {n}"),)) for n in range(9)]
    async with serving(says(UNSURE)) as fake:
        await answer(question(fake), CountingPurse(), Eyes(list(new)))
        assert len(fake.asked) == 3
        await answer(question(fake), CountingPurse(), Eyes([new[0], new[0]]))
        assert len(fake.asked) == 3 + 2


async def test_a_fault_in_the_depth_leaves_what_was_chosen_before() -> None:
    async with serving(says(UNSURE)) as fake:
        told = await answer(question(fake), CountingPurse(grants=1), Eyes([Seen(rows=(Row(text="news"),))]))
    assert told.ids == ("m2",)


@pytest.mark.parametrize(
    "text",
    ['["[m2]", "m2", "m77"]', '{"chosen": "m2, m99"}', "```json\n[2]\n```", '{"chosen": ["m2"], "queries": ["x", 3]}'],
)
async def test_what_a_model_writes_is_read_leniently_and_unknown_ids_are_left_out(text: str) -> None:
    async with serving(says(text)) as fake:
        assert (await answer(question(fake), CountingPurse(), Eyes())).ids == ("m2",)


async def test_talk_is_no_answer() -> None:
    async with serving(says("I like the second one.")) as fake:
        with pytest.raises(AgentFault) as found:
            await answer(question(fake), CountingPurse(), Eyes())
    assert found.value.fault.code == "bad-answer"


async def test_hits_are_ordered_and_what_is_left_out_or_invented_is_not_named() -> None:
    async with serving(says({"order": ["m3", "m1", "m42", "m3"]})) as fake:
        assert (await answer(question(fake, "order"), CountingPurse(), Eyes())).ids == ("m3", "m1")


async def test_of_a_summary_only_sentences_that_name_a_hit_are_kept() -> None:
    said = [{"text": "The gate\nis closed.", "cites": ["m1", "m99"]}, {"text": "I guess so.", "cites": []}, "x"]
    async with serving(says({"sentences": said})) as fake:
        told = await answer(question(fake, "summarise"), CountingPurse(), Eyes())
    assert told.sentences == (Sentence(text="The gate is closed.", cites=("m1",)),)


async def test_a_small_model_is_shown_as_much_as_it_can_hold() -> None:
    rows = tuple(Row(id=f"m{n}", text=f"the gate number {n} is closed on Sundays " * 3) for n in range(1, 200))
    async with serving(says(SURE)) as fake:
        asked = question(fake, model="openai:small-7b").model_copy(update={"rows": rows})
        await answer(asked, CountingPurse(), Eyes())
    assert "[m5]" in fake.asked[0].text
    assert "[m100]" not in fake.asked[0].text

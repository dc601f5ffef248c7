"""Questions about memory to programs of a test's own, by the names of the released ones."""

import json
from pathlib import Path

import pytest
from support.briefs import CountingPurse
from support.commands import Script, script
from unit.worker.agents.command.test_running import PRINTS

from memoryd.worker.agents.brief import AgentFault, Settings
from memoryd.worker.agents.command import answer
from memoryd.worker.agents.question import Look, Question, Row, Seen, Task, Told

ROWS = tuple(Row(id=f"m{n}", text=f"the gate {n} is closed") for n in range(1, 9))
SURE = {"chosen": ["m2", "m99"], "confidence": 0.9, "queries": []}
UNSURE = {"chosen": ["m3"], "confidence": 0.1, "queries": [{"query": "gate keeper", "scope": "memories"}]}


async def ask(program: Script, *, task: Task = "choose", calls: int = 3) -> tuple[Told, CountingPurse, list[Look]]:
    given = Settings(kind="command", command=(str(program.path),), max_steps=calls, timeout_seconds=30)
    looks: list[Look] = []

    async def look(one: Look) -> Seen:
        looks.append(one)
        return Seen(rows=(Row(text=f"news {len(looks)}"),))

    question = Question(task=task, settings=given, asked=("open the gate",), rows=ROWS, wanted=2)
    return await answer(question, purse := CountingPurse(), look), purse, looks


@pytest.mark.parametrize("name", PRINTS)
async def test_each_program_chooses_with_one_start(tmp_path: Path, name: str) -> None:
    program = script(tmp_path, name, out=PRINTS[name](json.dumps(SURE)))
    told, purse, looks = await ask(program)
    assert (told.ids, looks) == (("m2",), [])
    assert len(purse.reserved) == 1
    assert "[m8] the gate 8 is closed" in program.stdin


async def test_a_program_that_is_not_sure_is_started_again_as_often_as_it_may_be(tmp_path: Path) -> None:
    told, purse, looks = await ask(script(tmp_path, "claude", out=PRINTS["claude"](json.dumps(UNSURE))))
    assert told.ids == ("m3",)
    assert (len(purse.reserved), len(looks)) == (3, 2)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("see [2]", "bad-answer"),
        ('["m2"]', "bad-answer"),
        ('{"items": []}', "bad-answer"),
        ("Credit balance is too low", "quota"),
    ],
)
async def test_words_with_brackets_and_notices_are_no_choice(tmp_path: Path, text: str, code: str) -> None:
    with pytest.raises(AgentFault) as caught:
        await ask(script(tmp_path, "claude", out=PRINTS["claude"](text)))
    assert caught.value.fault.code == code


async def test_a_program_sums_up_too(tmp_path: Path) -> None:
    said = {"sentences": [{"text": "The gate is closed.", "cites": ["m1"]}]}
    told, _, _ = await ask(script(tmp_path, "codex", out=PRINTS["codex"](json.dumps(said))), task="summarise")
    assert [(one.text, one.cites) for one in told.sentences] == [("The gate is closed.", ("m1",))]

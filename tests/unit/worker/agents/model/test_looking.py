"""A large model looks at what the prompt has no room for: by tools that read, as long as calls and tokens last."""

import re
from typing import Any

import pytest
from support.briefs import CountingPurse, brief, projection, settings, talk
from support.fake_model import Asked, Reply, item, serving

from memoryd.memory.proposals import Supersede
from memoryd.worker.agents.brief import AgentFault, Brief
from memoryd.worker.agents.model import work

SAID = projection(*talk("we moved from Fly.io to Hetzner"))
MANY = {
    f"note-{n}": f"Remark {n} on module {n * 7} of the billing service, which nobody reads." * 3 for n in range(200)
}
OLD = "Uploads go to a bucket at Fly.io"


def offered(asked: Asked) -> list[str]:
    return [tool["function"]["name"] for tool in asked.body["tools"]]


def big(url: str, **more: Any) -> Brief:
    return brief(settings(url, **more), SAID, entries={**MANY, "zz-hosting": OLD})


async def test_a_memory_that_is_shown_whole_needs_no_looking() -> None:
    async with serving(Reply(items=[])) as fake:
        await work(brief(settings(fake.url), SAID, entries={"hosting": OLD}), CountingPurse())
    assert offered(fake.asked[0]) == ["propose"]


async def test_a_small_model_is_asked_once_about_what_fits() -> None:
    async with serving(Reply(items=[])) as fake:
        given = big(fake.url)
        small = given.model_copy(update={"settings": settings(fake.url, model="ollama:qwen2.5:1.5b")})
        await work(small, CountingPurse())
    (asked,) = fake.asked
    assert offered(asked) == ["propose"]
    assert "more are not shown" in asked.text


async def test_a_memory_that_was_found_by_searching_is_superseded() -> None:
    def look(asked: Asked) -> Reply:
        return Reply(call=("search_memory", {"query": "bucket uploads Fly.io"}))

    def propose(asked: Asked) -> Reply:
        found = re.search(r"\[(m\d+)\] project: \\\\?\"zz-hosting", asked.text)
        assert found, "the search did not show the memory"
        return Reply(items=[item("Moved from Fly.io to Hetzner", "u1", kind="project", replaces=found[1])])

    async with serving(look, propose) as fake:
        done = await work(big(fake.url), purse := CountingPurse())
    proposal = done.proposals[0]
    assert isinstance(proposal, Supersede)
    assert proposal.old == "zz-hosting"
    assert purse.tokens == fake.tokens == (1800, 80)


async def test_the_tools_list_and_read_and_say_when_there_is_nothing() -> None:
    calls = [
        ("list_memory", {}),
        ("read_memory", {"id": "m3"}),
        ("read_memory", {"id": "x"}),
        ("search_memory", {"query": "of"}),
    ]
    async with serving(*(Reply(call=call) for call in calls), Reply(items=[])) as fake:
        await work(big(fake.url, tokens_per_run=200_000), CountingPurse())
    told = fake.asked[-1].text
    assert "| Remark" in told
    assert "there is no memory 'x'" in told
    assert "(nothing)" in told


async def test_a_model_that_only_looks_around_is_left_with_nothing_but_its_answer_and_then_ended() -> None:
    async with serving(Reply(call=("list_memory", {}))) as fake:
        with pytest.raises(AgentFault) as caught:
            await work(big(fake.url, max_steps=4, tokens_per_run=500_000), purse := CountingPurse())
    assert caught.value.fault.code == "no-end"
    assert len(fake.asked) == len(purse.reserved) == 4
    assert offered(fake.asked[-1]) == ["propose"]

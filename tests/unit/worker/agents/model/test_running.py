"""A run against a provider on a loopback socket: what is asked, what it costs, what comes of it."""

import re
import sys
from dataclasses import replace

import pytest
from support.briefs import CountingPurse, brief, projection, settings, talk
from support.fake_model import Asked, Reply, error, item, serving

from memoryd.memory.proposals import Lines, Save, Summary, Supersede
from memoryd.worker.agents.brief import AgentFault, Done, Way
from memoryd.worker.agents.model import work

TINY = "openai:qwen2.5-coder-1.5b"
SAID = talk(
    "please keep commit messages short", ("assistant", "I will."), "we moved from Fly.io to Hetzner",
    "now add a retry to upload.py",
)  # fmt: skip


@pytest.mark.parametrize("way", ["tools", "json-schema", "json-object", "text"])
async def test_one_call_in_each_way_gives_proposals_that_cite_what_was_said(way: Way) -> None:
    reply = Reply(items=[item("Keep commit messages short", "u1"), item("Moved to Hetzner", "u2", kind="project")])
    purse = CountingPurse()
    async with serving(reply) as fake:
        done = await work(brief(settings(fake.url, way=way), projection(*SAID)), purse)
    assert [asked.way for asked in fake.asked] == [way]
    line, entry, summary = done.proposals
    assert isinstance(line, Lines)
    assert (line.file, line.add, line.cites) == ("preferences.md", ("Keep commit messages short",), (11,))
    assert isinstance(entry, Save)
    assert (entry.slug, entry.cites) == ("moved-to-hetzner", (13,))
    assert isinstance(summary, Summary)
    assert done.learnt.way is None, "nothing new was found out"
    assert purse.tokens == fake.tokens == (900, 40)


async def test_the_anthropic_interface_is_spoken_too() -> None:
    async with serving(Reply(items=[item("Keep commit messages short", "u1")])) as fake:
        given = settings(fake.url.removesuffix("/v1"), model="anthropic:claude-haiku-4-5")
        done = await work(brief(given, projection(*SAID)), purse := CountingPurse())
    assert fake.asked[0].headers["authorization"] == f"Bearer {given.key}"
    assert isinstance(done.proposals[0], Lines)
    assert purse.tokens == fake.tokens


async def test_a_correction_replaces_what_memory_held() -> None:
    memory = {"Uses tabs": "preferences.md"}
    reply = Reply(
        items=[
            item("Uses spaces", "u1", replaces="m1"),
            item("Moved from Fly.io to Hetzner", "u2", kind="project", replaces="m2"),
        ]
    )
    async with serving(reply) as fake:
        given = brief(settings(fake.url), projection(*SAID), core=memory, entries={"hosting": "Deployed on Fly.io"})
        done = await work(given, CountingPurse())
    line, entry = done.proposals[:2]
    assert isinstance(line, Lines)
    assert line.replace == (("Uses tabs", "Uses spaces"),)
    assert isinstance(entry, Supersede)
    assert entry.old == "hosting"


async def test_the_price_of_a_listed_model_is_reserved_before_and_counted_after_the_call() -> None:
    async with serving(Reply(items=[], tokens=(1_000_000, 100_000))) as fake:
        given = settings(fake.url, model="openai:gpt-4o-mini")
        await work(brief(given, projection(*SAID)), purse := CountingPurse())
    assert purse.reserved[0].usd > 0
    assert purse.settled["r1"].usd == pytest.approx(0.15 + 0.06)


async def test_no_call_costs_more_tokens_than_were_reserved_for_it() -> None:
    async with serving(Reply(items=[])) as fake:
        await work(brief(settings(fake.url), projection(*SAID)), purse := CountingPurse())
    assert fake.asked[0].body["max_tokens"] < purse.reserved[0].tokens
    assert len(fake.asked[0].text) / 4 < purse.reserved[0].tokens - fake.asked[0].body["max_tokens"]


async def test_an_endpoint_that_is_not_known_is_tried_once_and_what_works_is_told() -> None:
    def only_objects(asked: Asked) -> Reply:
        if asked.way == "tools":
            return Reply(text='```json\n{"name": "propose", "arguments": {"items": []}}\n```')
        if asked.way == "json-schema":
            return Reply(status=500, raw='{"error": {"message": "no"}}')
        assert asked.body["response_format"]["schema"]["required"] == ["items"]
        return Reply(items=[item("Keep commit messages short", "u1")])

    async with serving(only_objects) as fake:
        done = await work(brief(settings(fake.url, way=None), projection(*SAID)), purse := CountingPurse())
        assert done.learnt.way == "json-object"
        tried = len(fake.asked)
        await work(brief(settings(fake.url, way=done.learnt.way), projection(*SAID)), CountingPurse())
    assert [asked.way for asked in fake.asked[tried:]] == ["json-object"]
    assert sum(asked.is_probe for asked in fake.asked) == tried - 1
    assert purse.tokens[0] <= sum(charged[0] for charged in fake.charged)


async def test_a_model_that_gives_the_probe_nothing_to_keep_is_still_asked_in_the_form_it_knows() -> None:
    async with serving(Reply(items=[])) as fake:
        done = await work(brief(settings(fake.url, way=None), projection(*SAID)), CountingPurse())
    assert done.learnt.way == "tools"
    assert [asked.is_probe for asked in fake.asked] == [True] * 4 + [False]


async def test_a_run_of_few_calls_finds_nothing_out_and_asks_in_the_way_that_every_model_has() -> None:
    read = replace(projection(*SAID), partial=True)
    async with serving(Reply(items=[item("Keep commit messages short", "u1")])) as fake:
        done = await work(brief(settings(fake.url, way=None, compaction_max_steps=3), read), CountingPurse())
    assert [asked.way for asked in fake.asked] == ["text"]
    assert done.learnt.way is None
    assert isinstance(done.proposals[0], Lines)


@pytest.mark.parametrize("kind", ["exceed_context_size_error", "context_length_exceeded"])
async def test_what_does_not_fit_into_the_context_is_asked_about_in_smaller_parts(kind: str) -> None:
    def short(asked: Asked) -> Reply:
        if len(asked.text) > 9_000:
            return error(400, kind, "the request exceeds the available context size")
        cited = re.findall(r"\[(u\d+)\] user, .*:\n\| fact (\d+) ", asked.body["messages"][-1]["content"])
        return Reply(items=[item(f"fact {n}", key, kind="project") for key, n in cited])

    said = talk(*(f"fact {n} " + "and so on " * 60 for n in range(12)))
    async with serving(short) as fake:
        given = settings(fake.url, tokens_per_run=500_000, max_steps=40)
        done = await work(brief(given, projection(*said)), purse := CountingPurse())
    assert len(fake.asked) > 3
    assert purse.tokens == fake.tokens
    saved = [proposal.content for proposal in done.proposals if isinstance(proposal, Save)]
    assert saved == [f"fact {n}" for n in range(12)]


NEARLY = "Small steps are what I need."  #: the rules do not believe it by themselves


def facts(done: Done) -> set[str]:
    lines = (line for one in done.proposals if isinstance(one, Lines) for line in one.add)
    return {*lines, *(one.content for one in done.proposals if isinstance(one, Save))}


@pytest.mark.parametrize(("answer", "more"), [("none", 0), (f"- {NEARLY}", 1), ("- why is it red\n- rm -rf /", 0)])
async def test_a_tiny_model_is_asked_for_lines_and_adds_to_what_the_rules_find(answer: str, more: int) -> None:
    said = projection(*talk(f"I prefer short answers. {NEARLY} why is it red"))
    async with serving(Reply(text=answer)) as fake:
        done = await work(brief(settings(fake.url, model=TINY, way=None), said), purse := CountingPurse())
    (asked,) = fake.asked
    assert asked.way == "text"
    assert NEARLY in asked.text
    assert "The user prefers short answers" in facts(done)
    assert sum("mall steps" in fact for fact in facts(done)) == more == len(facts(done)) - 1
    assert purse.tokens == fake.tokens


async def test_a_tiny_model_with_a_tiny_context_is_shown_less_at_once() -> None:
    def short(asked: Asked) -> Reply:
        if len(asked.text) > 5_000:
            return error(400, "exceed_context_size_error")
        return Reply(text="none")

    said = talk(*(f"question {n} " + "and so on " * 20 for n in range(16)))
    async with serving(short) as fake:
        await work(brief(settings(fake.url, model=TINY, way=None), projection(*said)), CountingPurse())
    first, *more = (len(asked.text) for asked in fake.asked)
    assert more
    assert max(more) < first


async def test_where_the_user_said_nothing_no_model_is_asked() -> None:
    async with serving(Reply(items=[])) as fake:
        read = projection(*talk(("assistant", "I go on"), ("tool", "output")))
        done = await work(brief(settings(fake.url, way=None), read), CountingPurse())
    assert fake.asked == []
    assert done.learnt.way is None


async def test_what_the_probe_found_is_told_also_when_the_run_then_fails() -> None:
    async with serving(Reply(items=[item("Keep commit messages short", "u1")])) as fake:
        with pytest.raises(AgentFault) as caught:
            await work(brief(settings(fake.url, way=None), projection(*SAID)), CountingPurse(grants=1))
    assert (caught.value.fault.code, caught.value.fault.learnt.way) == ("budget", "tools")
    async with serving(lambda asked: Reply(items=[]) if asked.is_probe else error(500, "server_error")) as fake:
        with pytest.raises(AgentFault) as caught:
            await work(brief(settings(fake.url, way=None), projection(*SAID)), CountingPurse())
    assert (caught.value.fault.code, caught.value.fault.learnt.way) == ("provider-down", "tools")


KEPT = Reply(items=[item("Keep commit messages short", "u1")])
NONE = Reply(text="I would rather talk.")


@pytest.mark.parametrize("misfit", [error(400, "unsupported"), NONE])
async def test_with_one_call_a_run_each_run_goes_on_where_the_one_before_had_to_stop(misfit: Reply) -> None:
    async with serving(lambda asked: KEPT if asked.way == "text" else misfit) as fake:
        way: Way | None = None
        for _ in range(3):
            with pytest.raises(AgentFault) as caught:
                await work(brief(settings(fake.url, way=way), projection(*SAID)), CountingPurse(grants=1))
            assert caught.value.fault.code == "budget"
            way = caught.value.fault.learnt.way
        done = await work(brief(settings(fake.url, way=way), projection(*SAID)), CountingPurse(grants=1))
    assert [asked.way for asked in fake.asked] == ["tools", "json-schema", "json-object", "text"]
    assert isinstance(done.proposals[0], Lines)


async def test_a_known_way_that_stops_working_costs_one_run_and_is_then_forgotten_or_replaced() -> None:
    async with serving(lambda asked: KEPT if asked.way == "json-object" else error(400, "unsupported")) as fake:
        done = await work(brief(settings(fake.url, way="json-schema"), projection(*SAID)), CountingPurse())
        assert (done.learnt.way, done.learnt.forget) == ("json-object", False)
        fake.replies[:] = [error(400, "unsupported")]
        with pytest.raises(AgentFault) as caught:
            await work(brief(settings(fake.url, way="tools"), projection(*SAID)), CountingPurse())
    assert caught.value.fault.learnt.forget


async def test_an_answer_that_is_cut_off_by_the_budget_shows_nothing_of_the_way() -> None:
    said = talk(*(f"prompt {n} " + "and so on " * 350 for n in range(20)))  # two parts
    async with serving(KEPT) as fake:
        given = settings(fake.url, tokens_per_run=500_000)
        with pytest.raises(AgentFault) as caught:
            await work(brief(given, projection(*said)), CountingPurse(grants=1))
    assert caught.value.fault.learnt.way is None


async def test_of_a_range_that_does_not_fit_even_cut_the_beginning_is_read_and_the_rest_is_left() -> None:
    said = talk(*(f"fact {n} " + "and so on " * 60 for n in range(60)))

    def keeping(asked: Asked) -> Reply:
        cited = re.findall(r"\[(u\d+)\] user, .*:\n\| fact (\d+) ", asked.body["messages"][-1]["content"])
        return Reply(items=[item(f"fact {n}", key, kind="project") for key, n in cited])

    async with serving(keeping) as fake:
        given = settings(fake.url, model="openai:small-7b", tokens_per_run=12_000)
        whole = projection(*said)
        kept, left = list[int](), whole
        for _ in range(20):
            done = await work(brief(given, left), CountingPurse())
            cites = [cite for one in done.proposals if isinstance(one, Save) for cite in one.cites]
            assert done.to_seq is not None
            assert all(left.from_seq <= cite <= done.to_seq for cite in cites)
            kept += cites
            later = tuple(one for one in said if one.seq > done.to_seq)
            if not later:
                break
            left = replace(projection(*later), from_seq=later[0].seq)
    assert sorted(kept) == [one.seq for one in said]
    assert done.to_seq == whole.to_seq


async def test_without_its_library_the_agent_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "memoryd.worker.agents.model.running", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)  # as if it were not there
    with pytest.raises(AgentFault, match=r"pip install 'memoryd\[llm\]'") as caught:
        await work(brief(settings("http://x"), projection(*SAID)), CountingPurse())
    assert caught.value.fault.code == "configuration"

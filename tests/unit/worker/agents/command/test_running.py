"""A run of the command agent: programs of a test's own, by the names of the released ones."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.briefs import CountingPurse, brief, projection, talk
from support.commands import Script, script
from support.daemons import until

from memoryd.memory.proposals import Lines
from memoryd.worker.agents.brief import AgentFault, Brief, Cost, Done, Settings
from memoryd.worker.agents.command import work
from memoryd.worker.agents.command.process import MAX_OUT_BYTES

SAID = talk("please keep commit messages short", ("assistant", "I will."))
ANSWER = json.dumps({"items": [{"kind": "preference", "text": "Keep commit messages short", "cites": ["u1"]}]})


def claude(text: str, **more: object) -> str:
    """What `claude -p --output-format json` prints."""
    usage = {
        "input_tokens": 900, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 20, "output_tokens": 40,
    }  # fmt: skip
    told = {"type": "result", "is_error": False, "result": text, "usage": usage, "total_cost_usd": 0.02}
    return json.dumps(told | more)


def codex(text: str, *, ends: str = "turn.completed", **more: object) -> str:
    """What `codex exec --json` prints."""
    usage = {"input_tokens": 1000, "cached_input_tokens": 80, "output_tokens": 40}
    events = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"type": "error", "message": "Model metadata not found."}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
        {"type": ends, "usage": usage} | more,
    ]
    return "\n".join(json.dumps(event) for event in events)


def gemini(text: str) -> str:
    """What `gemini --output-format json` prints."""
    tokens = {"prompt": 1000, "cached": 80, "candidates": 30, "thoughts": 10, "total": 1040}
    return json.dumps({"response": text, "stats": {"models": {"gemini-pro": {"tokens": tokens}}}})


PRINTS: dict[str, Callable[[str], str]] = {"claude": claude, "codex": codex, "gemini": gemini, "anything": str}


def asked(program: Script, *words: str, seconds: float = 30.0) -> Brief:
    given = Settings(kind="command", command=(str(program.path), *words), timeout_seconds=seconds)
    return brief(given, projection(*SAID))


async def ask(program: Script, *words: str) -> tuple[Done, CountingPurse]:
    done = await work(asked(program, *words), purse := CountingPurse())
    return done, purse


async def fault_of(program: Script, *, seconds: float = 30.0) -> AgentFault:
    with pytest.raises(AgentFault) as caught:
        await work(asked(program, seconds=seconds), CountingPurse())
    return caught.value


@pytest.mark.parametrize("name", PRINTS)
async def test_each_program_is_asked_once_and_its_answer_becomes_proposals(tmp_path: Path, name: str) -> None:
    program = script(tmp_path, name, out=PRINTS[name](f"Here it is:\n```json\n{ANSWER}\n```"))
    done, purse = await ask(program)
    line = done.proposals[0]
    assert isinstance(line, Lines)
    assert (line.file, line.add, line.cites) == ("preferences.md", ("Keep commit messages short",), (11,))
    assert len(purse.reserved) == 1


async def test_what_is_obvious_of_many_items_is_settled_without_another_call(tmp_path: Path) -> None:
    texts = ("the cache lives in redis", "The cache lives in Redis.", "Logs are kept a week", "Logs are kept a month")
    answer = json.dumps({"items": [{"kind": "preference", "text": text, "cites": ["u1"]} for text in texts]})
    done, purse = await ask(script(tmp_path, "claude", out=claude(answer)))
    assert [one.add[0] for one in done.proposals if isinstance(one, Lines)] == list(texts[1:])
    assert len(purse.reserved) == 1


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
async def test_what_a_program_tells_of_its_cost_is_settled_and_lies_within_what_was_reserved(
    tmp_path: Path, name: str
) -> None:
    _, purse = await ask(script(tmp_path, name, out=PRINTS[name](ANSWER)))
    cost, need = purse.settled["r1"], purse.reserved[0]
    assert (cost.tokens_in, cost.tokens_out, cost.tokens_cached) == (1000, 40, 80)
    assert cost.usd == (0.02 if name == "claude" else 0.0) <= need.usd
    assert cost.tokens_in + cost.tokens_out < need.tokens


async def test_a_program_that_tells_nothing_of_its_cost_is_charged_what_was_reserved(tmp_path: Path) -> None:
    _, purse = await ask(script(tmp_path, "anything", out=ANSWER))
    assert purse.reserved
    assert purse.settled == {}


async def test_a_failed_call_is_settled_with_what_it_has_cost(tmp_path: Path) -> None:
    program = script(tmp_path, "claude", out=claude("no items here"))
    with pytest.raises(AgentFault, match="claude did not answer"):
        await work(asked(program), purse := CountingPurse())
    assert purse.settled["r1"].usd == 0.02


async def test_a_program_that_was_not_let_in_has_cost_nothing(tmp_path: Path) -> None:
    for program in (script(tmp_path, "codex", err="Not logged in", status=1), Script(path=tmp_path / "not-there")):
        with pytest.raises(AgentFault):
            await work(asked(program), purse := CountingPurse())
        assert purse.settled == {"r1": Cost()}


@pytest.mark.parametrize(
    "usage", [{"input_tokens": 10**30}, {"input_tokens": -5}, {"input_tokens": "x"}, "x", None, []]
)
async def test_whatever_a_program_tells_of_its_cost_is_no_error(tmp_path: Path, usage: object) -> None:
    told = claude(ANSWER, usage=usage, total_cost_usd=float("inf"))
    done, _ = await ask(script(tmp_path, "claude", out=told))
    assert done.proposals


async def test_nothing_is_run_without_a_reservation(tmp_path: Path) -> None:
    program = script(tmp_path, "claude", out=claude(ANSWER))
    with pytest.raises(AgentFault, match="nothing is left"):
        await work(asked(program), CountingPurse(grants=0))
    assert not (tmp_path / "argv").exists()


async def test_the_prompt_goes_to_the_input_and_no_word_of_it_to_the_arguments(tmp_path: Path) -> None:
    program = script(tmp_path, "claude", out=claude(ANSWER))
    await ask(program, "--model", "haiku")
    assert "| please keep commit messages short" in program.stdin
    assert "keep" not in " ".join(program.argv)
    assert program.argv[:3] == ["--model", "haiku", "-p"]


async def test_a_program_works_in_an_empty_directory_with_the_mark_of_a_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program = script(tmp_path / "bin", "claude", out=claude(ANSWER))
    await ask(program)
    env = program.env
    assert env["MEMORYD_CHILD"]
    assert env["HOME"] == str(home)  # the login is there
    assert env["PWD"] == env["TMPDIR"]
    assert Path(env["PWD"]).parent == tmp_path
    assert not Path(env["PWD"]).exists()
    assert env["CLAUDE_CODE_MAX_RETRIES"] == "0"


async def test_codex_is_given_the_schema_of_the_answer_as_a_file(tmp_path: Path) -> None:
    program = script(
        tmp_path, "codex", out=codex(ANSWER), then=f'for word; do last=$word; done; cp "$last" {tmp_path}/schema'
    )
    await ask(program)
    assert program.argv[-2] == "--output-schema"
    schema = json.loads((tmp_path / "schema").read_text())
    item = schema["properties"]["items"]["items"]
    for told in (schema, item):  # as OpenAI wants it
        assert told["additionalProperties"] is False
        assert set(told["required"]) == set(told["properties"])


async def test_an_answer_may_speak_of_limits_and_logins(tmp_path: Path) -> None:
    item = {"kind": "project", "text": "keep commit messages short: usage limit reached · resets 3pm", "cites": ["u1"]}
    done, _ = await ask(script(tmp_path, "claude", out=claude(json.dumps({"items": [item]}))))
    assert done.proposals


async def test_nothing_worth_keeping_is_an_answer(tmp_path: Path) -> None:
    done, _ = await ask(script(tmp_path, "claude", out=claude('{"items": []}')))
    assert not [one for one in done.proposals if one.kind != "summary"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "limit [", '[{"error": {"code": 429}}]', "{'items'", "null", "nothing"]
)
async def test_what_is_no_answer_is_not_taken_for_nothing_worth_keeping(tmp_path: Path, text: str) -> None:
    fault = await fault_of(script(tmp_path, "anything", out=text))
    assert fault.fault.code == "bad-answer"


@pytest.mark.parametrize("output", [1, 2])
async def test_output_without_end_ends_the_program(tmp_path: Path, output: int) -> None:
    endless = f"echo $$ >{tmp_path}/pid; yes 'more and more' >&{output}"
    fault = await fault_of(script(tmp_path, "claude", then=endless))
    assert fault.fault.code == "bad-answer"
    assert "printed without end" in fault.fault.reason
    await gone(tmp_path / "pid")


async def test_more_on_the_other_output_than_is_kept_does_not_stop_a_program(tmp_path: Path) -> None:
    noise = f"head -c {2 * MAX_OUT_BYTES} /dev/zero >&2; cat {tmp_path}/late"
    (tmp_path / "late").write_text(claude(ANSWER))
    done, _ = await ask(script(tmp_path, "claude", then=noise))
    assert done.proposals


async def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    hangs = f"sleep 600 & echo $! >{tmp_path}/pid; wait"
    fault = await fault_of(script(tmp_path, "claude", then=hangs), seconds=1.0)
    assert fault.fault.code == "provider-slow"
    await gone(tmp_path / "pid")


async def test_a_program_is_asked_to_end_before_it_is_killed(tmp_path: Path) -> None:
    saves = f"trap 'echo saved >{tmp_path}/login; exit 0' TERM; sleep 600 & wait"
    await fault_of(script(tmp_path, "claude", then=saves), seconds=1.0)
    assert (tmp_path / "login").read_text() == "saved\n"


async def test_what_a_program_leaves_behind_with_its_output_open_does_not_hold_up_the_run(tmp_path: Path) -> None:
    leaves = f"sleep 600 & echo $! >{tmp_path}/pid"
    done, _ = await ask(script(tmp_path, "claude", out=claude(ANSWER), then=leaves))
    assert done.proposals
    await gone(tmp_path / "pid")


async def test_a_program_that_does_not_read_its_input_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_text(f"#!/bin/sh\ncat <<'E'\n{claude(ANSWER)}\nE\n")
    path.chmod(0o700)
    done, _ = await ask(Script(path=path))
    assert done.proposals


async def test_a_program_that_is_killed_has_crashed(tmp_path: Path) -> None:
    fault = await fault_of(script(tmp_path, "claude", then="kill -9 $$"))
    assert fault.fault.code == "crashed"
    assert "-9" in fault.fault.reason


async def test_a_program_that_is_not_there_or_cannot_be_run_is_a_matter_of_configuration(tmp_path: Path) -> None:
    absent = await fault_of(Script(path=tmp_path / "claude"))
    (tmp_path / "codex").write_text("no program")
    plain = await fault_of(Script(path=tmp_path / "codex"))
    assert absent.fault.code == plain.fault.code == "configuration"
    assert "absolute path" in absent.fault.reason


async def test_a_wrapper_that_may_not_start_its_program_is_told_of_the_cage(tmp_path: Path) -> None:
    (tmp_path / "claude").write_text("no program that may be run")
    given = Settings(kind="command", command=("nice", str(tmp_path / "claude")))
    with pytest.raises(AgentFault) as caught:
        await work(brief(given, projection(*talk("I like tea."))), CountingPurse())
    assert caught.value.fault.code == "configuration"
    assert "wrapper" in caught.value.fault.reason


async def test_a_conversation_of_many_parts_is_asked_about_part_by_part(tmp_path: Path) -> None:
    program = script(tmp_path, "claude", out=claude('{"items": []}'))
    long = talk(*(f"{n} " + "words of the user that fill the page " * 100 for n in range(40)))
    given = Settings(kind="command", command=(str(program.path),), max_steps=5, tokens_per_run=1_000_000)
    await work(brief(given, projection(*long)), purse := CountingPurse())
    assert 1 < len(purse.reserved) <= 5


async def gone(pid_file: Path) -> None:
    """Wait until a process is dead that a script wrote down: its parent may still have to reap it."""
    stat = Path(f"/proc/{int(pid_file.read_text())}/stat")

    async def dead() -> bool:
        try:
            return stat.read_text().rpartition(")")[2].split()[0] in "ZX"
        except OSError:
            return True

    await until(dead)

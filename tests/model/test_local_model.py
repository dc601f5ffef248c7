"""A real model behind a real server: what it is sent, what it counts, what becomes of what it says.

A model of 135 million parameters understands nothing: that its words are read, counted and never trusted is what is
tested here. What larger ones are worth is measured by `bench/consolidation`.
"""

import json
import re
import urllib.request
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.briefs import CountingPurse, brief, projection, settings, talk
from support.installation import Installation, installed
from support.local_model import LocalModel

from memoryd.memory.proposals import Lines
from memoryd.worker.agents.asking.answer import Answer, read_text, schema
from memoryd.worker.agents.brief import AgentFault
from memoryd.worker.agents.model import work

NAME = "openai:SmolLM2-135M"
SECONDS = 100.0  #: for a few hundred tokens on a busy machine
GROWTH_KB = 24_000  #: of a daemon that has done its first run; the model library alone would be 80 MB
FACT = "I always want commit messages in the imperative mood."
SAID = talk(FACT, ("assistant", "I will."), "now add a retry to upload.py")


def asked(model: LocalModel, **more: Any) -> list[dict[str, Any]]:
    """What the server answers to one question: one object, or the chunks of a stream."""
    body = {"model": "local", "messages": [{"role": "user", "content": "Count to five."}], "temperature": 0, **more}
    request = urllib.request.Request(
        f"{model.url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        text = answer.read().decode()
    rows = re.findall(r"^data: (\{.*)$", text, re.MULTILINE) if more.get("stream") else [text]
    return [json.loads(row) for row in rows]


def test_a_stream_says_the_same_as_one_answer(model: LocalModel) -> None:
    (whole,) = asked(model, max_tokens=24)
    pieces = asked(model, max_tokens=24, stream=True)
    said = [choice["delta"].get("content") or "" for piece in pieces for choice in piece["choices"]]
    assert len(said) > 5
    assert "".join(said) == whole["choices"][0]["message"]["content"]


def test_the_server_takes_our_schema_and_what_it_answers_reads_as_an_answer(model: LocalModel) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "memory", "schema": schema(), "strict": True}}
    (reply,) = asked(model, max_tokens=120, response_format=form)
    text = reply["choices"][0]["message"]["content"]
    assert text.startswith("{")
    assert isinstance(read_text(text), Answer)  # cut off in the middle, most likely


async def test_a_run_ends_with_what_the_rules_believe_and_costs_what_the_server_counts(model: LocalModel) -> None:
    before = model.counted()
    done = await work(
        brief(settings(model.url, model=NAME, way=None, timeout_seconds=SECONDS), projection(*SAID)),
        purse := CountingPurse(),
    )
    facts = [proposal for proposal in done.proposals if isinstance(proposal, Lines)]
    assert any("imperative" in line for proposal in facts for line in proposal.add)
    assert purse.tokens == tuple(now - then for now, then in zip(model.counted(), before, strict=True))
    assert sum(purse.tokens) <= sum(need.tokens for need in purse.reserved)


async def test_a_model_that_is_too_slow_is_a_fault_and_the_server_lives_on(model: LocalModel) -> None:
    given = settings(model.url, model=NAME, way=None, timeout_seconds=0.3)
    with pytest.raises(AgentFault) as raised:
        await work(brief(given, projection(*SAID)), CountingPurse())
    assert raised.value.fault.code == "provider-slow"
    assert asked(model, max_tokens=2)[0]["usage"]["completion_tokens"] == 2


def test_a_daemon_remembers_with_a_local_model_and_grows_no_more_than_with_rules(
    model: LocalModel, tmp_path: Path
) -> None:
    named = {"KIND": "model", "MODEL": NAME, "BASE_URL": model.url, "TIMEOUT_SECONDS": str(SECONDS)}
    given = {f"AGENT__{name}": value for name, value in named.items()} | {"CONSOLIDATION__INTERVAL_TURNS": "1"}
    with installed(tmp_path / "d", data_home=None, **given) as daemon:
        daemon.start()
        small, counted = resident_kb(daemon), model.counted()
        say(daemon, FACT, cwd=tmp_path)
        daemon.idle(seconds=SECONDS)
        stats = daemon.call("worker.stats")
        assert (stats.total_completed, stats.total_failed, stats.last_error) == (1, 0, None)
        assert (stats.tokens_in, stats.tokens_out) == tuple(
            now - then for now, then in zip(model.counted(), counted, strict=True)
        )
        assert "imperative mood" in (daemon.places.user_memory / "preferences.md").read_text()
        assert resident_kb(daemon) - small < GROWTH_KB
        assert not daemon.complaints()


def say(daemon: Installation, text: str, *, cwd: Path) -> None:
    """One turn, as a host reports it."""
    for kind, data in (("user_prompt", {"text": text}), ("turn", {"last_assistant_message": "ok"})):
        event = {
            "id": uuid.uuid4().hex, "kind": kind, "host": "generic", "session_id": "s", "cwd": str(cwd),
            "at": "2026-11-30T08:00:00Z", "data": data,
        }  # fmt: skip
        daemon.call("event.publish", {"event": event})


def resident_kb(daemon: Installation) -> int:
    status = Path(f"/proc/{daemon.pid}/status").read_text()
    return int(re.findall(r"^VmRSS:\s+(\d+)", status, re.MULTILINE)[0])

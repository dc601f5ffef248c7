"""Each place where a secret could pass: it is replaced there, or refused, and counted where it is replaced."""

import asyncio
import json
import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running, until
from support.secrets import samples
from support.talk import deliver, turn

from memoryd.daemon import logs
from memoryd.daemon.config import Config, Privacy
from memoryd.daemon.daemon import Daemon
from memoryd.ipc import redaction
from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Lines, Proposal
from memoryd.worker.projection import Projection

TOKEN = samples()["github classic"][1]
PEM = samples()["pem"][1]
HELD = re.compile(r"\[secret:github:[0-9a-f]{4}\]")
MASKING = Config(privacy=Privacy(pii="mask"))


async def data_of(daemon: Daemon) -> str:
    rows = await daemon.journal.aread(lambda c: [str(r[0]) for r in c.execute("select data from events order by seq")])
    return "\n".join(rows)


async def write(daemon: Daemon, name: str, text: str) -> None:
    """A person writes into a file of their memory."""
    path = daemon.places.user_memory / name
    await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
    await asyncio.to_thread(path.write_text, text)


async def test_at_ingest_it_is_replaced_and_the_same_one_reads_the_same(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await turn(one, f"use {TOKEN} to deploy", cwd=project)
        await turn(one, f"export GITHUB_TOKEN={TOKEN}", cwd=project)
        data = await data_of(daemon)
        assert TOKEN not in data
        assert len(HELD.findall(data)) == 2
        assert len(set(HELD.findall(data))) == 1


async def test_it_is_counted_by_kind_once_an_event_however_often_that_arrives(home: Path, project: str) -> None:
    stdin = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": project, "prompt": f"{TOKEN} and {PEM}"}
    params = {
        "id": uuid.uuid4().hex, "at": "2026-11-30T08:00:00Z", "host": "claude-code", "event": "UserPromptSubmit",
        "raw": json.dumps(stdin),
    }  # fmt: skip
    async with running(home) as daemon, client(daemon) as one:
        for _ in range(2):
            await one.call("hook.deliver", params, timeout=5)
        await one.call("hook.deliver", {**params, "id": uuid.uuid4().hex, "raw": f'{{"broken": "{TOKEN}'}, timeout=5)
        told = await one.call("privacy.get", {}, timeout=5)
        assert {kind.label: kind.count for kind in told.redacted} == {"secret:github": 2, "secret:private-key": 1}
        assert TOKEN not in told.model_dump_json()


async def test_the_key_of_the_placeholders_outlives_the_daemon(home: Path, project: str) -> None:
    seen = []
    for _ in range(2):
        async with running(home) as daemon, client(daemon) as one:
            await turn(one, f"use {TOKEN}", cwd=project)
            seen = HELD.findall(await data_of(daemon))
    assert len(seen) == 2
    assert len(set(seen)) == 1


async def test_at_acceptance_a_proposal_that_holds_one_is_refused_and_not_kept(home: Path, project: str) -> None:
    def leak(projection: Projection, memory: MemoryView) -> list[Proposal]:
        cites = tuple(u.seq for s in projection.sessions for u in s.user_texts())
        return [
            Lines(file="preferences.md", add=(f"I prefer {TOKEN} always",), cites=cites),
            Lines(file="preferences.md", add=("I prefer tabs always",), cites=cites),
        ]

    async with running(home, agent=ScriptedAgent(leak)) as daemon, client(daemon) as one:
        await turn(one, "I prefer tabs always", cwd=project)
        await deliver(one, "SessionEnd", cwd=project, reason="other")
        await idle(daemon)
        log = await one.call("memory.log", {}, timeout=5)
        assert [refused.code for run in log.items for refused in run.refused] == ["scan-rejected"]
        text = await asyncio.to_thread((daemon.places.user_memory / "preferences.md").read_text)
        assert "I prefer tabs" in text
        assert TOKEN not in text
        rows = await daemon.journal.aread(lambda c: [r[0] for r in c.execute("select refused from runs")])
        assert TOKEN not in str(rows)


@pytest.mark.parametrize("field", ["name", "description", "content"])
async def test_one_that_a_person_saves_is_replaced_and_nothing_of_it_is_kept(home: Path, field: str) -> None:
    entry = {"cwd": str(home), "name": "Deploy", "description": "how", "type": "project", "content": "by hand"}
    async with running(home) as daemon, client(daemon) as one:
        saved = await one.call("memory.save", {**entry, "slug": "deploy", field: f"it is {TOKEN}"}, timeout=5)
        assert "replaced by a placeholder" in saved.warnings[0]
        assert TOKEN not in saved.model_dump_json()
    files = await asyncio.to_thread(lambda: [path.read_bytes() for path in home.rglob("*") if path.is_file()])
    assert not any(TOKEN.encode() in content for content in files)


async def test_at_injection_one_that_a_person_wrote_into_a_file_is_replaced(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await write(daemon, "preferences.md", f"# Preferences\n\n- deploys use {TOKEN}\n- the key is\n{PEM}\n")
        await write(
            daemon, "knowledge/deploy.md", f"---\nname: Deploy\ntype: user\n---\nDeploy key:\n{PEM}\nand {TOKEN}\n"
        )
        start = await deliver(one, "SessionStart", cwd=project, source="startup")
        told = await one.call("recall.prefetch", {"cwd": project, "query": "which deploy key?"}, timeout=5)
        read = await one.call("memory.read", {"cwd": project, "name": "deploy"}, timeout=5)
        found = await one.call("memory.search", {"cwd": project, "query": "deploy"}, timeout=5)
        shown = start.stdout + told.text + read.model_dump_json() + found.model_dump_json()
        assert "deploys use [secret:github:" in start.stdout
        assert "[secret:private-key:" in shown
        for line in [TOKEN, *PEM.splitlines()[1:-1]]:
            assert line not in shown


async def test_files_and_instructions_handed_to_an_agent_hold_none(home: Path, project: str) -> None:
    seen: list[str] = []

    def look(projection: Projection, memory: MemoryView) -> list[Proposal]:
        seen.append(repr(projection) + repr(memory))
        return []

    await asyncio.to_thread((Path(project) / "CLAUDE.md").write_text, f"Deploy with {TOKEN}.\n{PEM}\n")
    async with running(home, agent=ScriptedAgent(look)) as daemon, client(daemon) as one:
        await write(daemon, "preferences.md", f"# Preferences\n\n- deploys use {TOKEN}\n")
        await turn(one, f"the token is {TOKEN}", cwd=project)
        await deliver(one, "SessionEnd", cwd=project, reason="other")
        await idle(daemon)
    assert "Deploy with [secret:github:" in seen[0]
    assert "deploys use [secret:github:" in seen[0]
    assert TOKEN not in seen[0]
    assert PEM.splitlines()[3] not in seen[0]


async def test_what_people_are_shown_of_a_file_with_one_holds_none(home: Path, project: str) -> None:
    async with running(home, agent=ScriptedAgent(each_prompt)) as daemon, client(daemon) as one:
        await turn(one, "I prefer tabs", cwd=project)
        await deliver(one, "SessionEnd", cwd=project, reason="other")
        await idle(daemon)
        path = daemon.places.user_memory / "preferences.md"
        before = await asyncio.to_thread(path.read_text)
        await asyncio.to_thread(path.write_text, before.replace("I prefer tabs", f"I prefer tabs {TOKEN}"))
        undone = await one.call("memory.undo", {}, timeout=5)
        diff = await one.call("memory.diff", {"run": undone.run}, timeout=5)
        shown = diff.model_dump_json()
        assert "I prefer tabs [secret:github:" in shown
        assert TOKEN not in shown


async def test_a_memory_is_found_by_the_placeholder_in_it(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        shown = redaction.redact(TOKEN)
        for name, said in (("Deploy", f"It uses {shown} from the vault."), ("Other", "It uses nothing at all.")):
            entry = {"cwd": project, "name": name, "description": "", "type": "project", "content": said}
            assert (await one.call("memory.save", entry, timeout=5)).status == "saved"
        for query in (shown, shown[-5:-1]):

            async def found(query: str = query) -> list[str]:
                return [
                    i.name for i in (await one.call("memory.search", {"cwd": project, "query": query}, timeout=5)).items
                ]

            assert (await until(found))[0] == "Deploy"


async def test_personal_data_is_masked_at_the_same_places(home: Path, project: str) -> None:
    mobile, address = "13" + "912345678", "zhang.san" + "@qq.com"
    entry = {"cwd": project, "name": "Contact", "description": address, "type": "project", "content": f"call {mobile}"}
    async with running(home, config=MASKING) as daemon, client(daemon) as one:
        await write(daemon, "preferences.md", f"# Preferences\n\n- mail goes to {address}\n")
        await turn(one, f"我的手机是{mobile}，邮箱 {address}", cwd=project)
        saved = await one.call("memory.save", entry, timeout=5)
        told = await one.call("recall.snapshot", {"cwd": project}, timeout=5)
        counts = await one.call("privacy.get", {}, timeout=5)
        file = next(daemon.places.data.glob("projects/*/memory/knowledge/contact.md"))
        shown = await data_of(daemon) + told.text + await asyncio.to_thread(file.read_text)
    assert saved.status == "saved"
    assert "mail goes to [pii:email:" in shown
    assert "call [pii:phone:" in shown
    assert mobile not in shown
    assert address not in shown
    assert {kind.label: kind.count for kind in counts.redacted} == {"pii:email": 2, "pii:phone": 2}


async def test_by_default_personal_data_stays(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await turn(one, "reach zhang.san" + "@qq.com", cwd=project)
        assert "zhang.san" + "@qq.com" in await data_of(daemon)


async def test_masking_follows_the_configuration_file(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await asyncio.to_thread(daemon.places.config.write_text, '[privacy]\npii = "mask"\n')
        await daemon.sweep.once()
        await turn(one, "reach zhang.san" + "@qq.com", cwd=project)
        assert "[pii:email:" in await data_of(daemon)


def test_an_error_in_the_log_quotes_none() -> None:
    event: dict[str, Any] = {"event": "run.broke", "exception": f"ValueError: cannot read {TOKEN}"}
    assert logs.redacted(None, "error", event)["exception"] == "ValueError: cannot read [secret:github]"


async def test_a_daemon_that_is_closed_takes_its_key_with_it(home: Path) -> None:
    async with running(home):
        assert HELD.fullmatch(redaction.redact(TOKEN))
    assert redaction.redact(TOKEN) == "[secret:github]"

"""The second net: what it finds reaches neither an agent nor a file; without its package it is not used."""

import asyncio
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.daemons import ScriptedAgent, client, each_prompt, idle, running
from support.talk import deliver, turn

from memoryd.daemon.config import Config, Privacy
from memoryd.errors import InternalError, ScanRejected
from memoryd.worker import second_net
from memoryd.worker.second_net import ChildNet, NoNet, Places

SCANNED = "gh" + "p_aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"


@dataclass
class WordNet:
    """Takes one word for a secret."""

    word: str

    def find(self, texts: Sequence[str]) -> list[Places]:
        return [[match.span() for match in re.finditer(self.word, text)] for text in texts]


class BrokenNet:
    def find(self, texts: Sequence[str]) -> list[Places]:
        raise InternalError("the secret scanner failed; mend it")


async def test_an_agent_reads_a_placeholder_where_the_net_finds_something(home: Path, tmp_path: Path) -> None:
    agent = ScriptedAgent(lambda projection, memory: [])
    async with running(home, agent=agent) as daemon, client(daemon) as one:
        daemon.runner.net = WordNet("zebra")
        await turn(one, "I prefer the zebra deploy", cwd=str(tmp_path))
        await deliver(one, "SessionEnd", cwd=str(tmp_path), reason="other")
        await idle(daemon)
        texts = [u.text for seen in agent.seen for s in seen.sessions for u in s.user_texts()]
        assert any("[secret:scanned:" in text for text in texts)
        assert "zebra" not in " ".join(texts)


async def test_what_the_net_finds_is_not_written_and_a_person_is_told(home: Path, tmp_path: Path) -> None:
    async with running(home) as daemon, client(daemon) as one:
        daemon.runner.net = WordNet("zebra")
        entry = {"cwd": str(tmp_path), "name": "Deploy", "description": "how", "type": "project"}
        with pytest.raises(ScanRejected, match="scanner"):
            await one.call("memory.save", {**entry, "content": "the zebra opens it"}, timeout=5)
        saved = await one.call("memory.save", {**entry, "content": "the gate opens it"}, timeout=5)
        assert saved.status == "saved"


async def test_a_net_that_cannot_look_lets_nothing_through_and_costs_no_event(home: Path, tmp_path: Path) -> None:
    agent = ScriptedAgent(each_prompt)
    async with running(home, agent=agent) as daemon, client(daemon) as one:
        daemon.runner.net = BrokenNet()
        await turn(one, "I prefer tabs", cwd=str(tmp_path))
        done = await one.call("consolidation.run", {"cwd": str(tmp_path), "wait": True}, timeout=20)
        assert done.outcome == "deferred"
        assert "scanner failed" in done.reason
        assert agent.seen == []
        daemon.runner.net = NoNet()
        done = await one.call("consolidation.run", {"cwd": str(tmp_path), "wait": True}, timeout=20)
        assert done.outcome == "applied"


async def test_a_net_that_is_wanted_and_not_installed_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_net, "PACKAGE", "memoryd_no_such_package")
    assert isinstance(second_net.choose(True), NoNet)
    async with running(home, config=Config(privacy=Privacy(scanner=True))) as daemon, client(daemon) as one:
        health = await one.call("daemon.health", {}, timeout=5)
        assert "memoryd[scan]" in (health.reason or "")


def test_it_is_off_unless_asked_for() -> None:
    assert isinstance(second_net.choose(Config().privacy.scanner), NoNet)


def test_a_child_that_fails_quotes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InternalError) as caught:
        ChildNet().find(["a text of the person"])
    assert "person" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.skipif(not second_net.is_installed(), reason="the extra is not installed: pip install 'memoryd[scan]'")
async def test_the_scanner_finds_secrets_and_stays_out_of_this_process() -> None:
    texts = ["nothing here", f"部署用 {SCANNED} 就好", f"{SCANNED}"]
    nothing, chinese, alone = await asyncio.to_thread(ChildNet().find, texts)
    assert nothing == []
    assert [texts[1][start:end] for start, end in chinese] == [SCANNED]
    assert alone == [(0, len(SCANNED))]
    assert second_net.PACKAGE not in sys.modules

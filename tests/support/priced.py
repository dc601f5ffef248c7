"""The model agent in this process, against a fake provider with a real price, paying from the daemon's ledger."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass

from memoryd.clock import utc_now
from memoryd.daemon.config import Config
from memoryd.memory.model import MemoryView
from memoryd.worker.agents.brief import AgentFault, Brief, Settings, incomparable
from memoryd.worker.agents.model.running import run
from memoryd.worker.budget import BudgetSpent, Cost, Need
from memoryd.worker.ports import AgentResult, Ledger
from memoryd.worker.projection import Projection
from support.fake_model import Asked, Reply, item

MODEL = "anthropic:claude-haiku-4-5"
CHARS_PER_TOKEN = 4
WORDS = (
    "gate", "river", "lamp", "stone", "orbit", "cedar", "anchor", "violet", "timber", "harbour", "copper", "meadow",
    "silver", "lantern", "bridge", "canyon", "ember", "falcon", "garnet", "hollow", "ivory", "jasper", "kernel",
    "ledger", "marble", "nectar", "opal", "pepper", "quartz", "ribbon", "saddle", "tunnel", "umber",
)  # fmt: skip
_SAID = re.compile(r"\[(u\d+)\] user(.*?)(?=\[u\d+\] user|\Z)", re.DOTALL)


@dataclass
class PricedAgent:
    """What the child of the model agent does; `ledger` is set once the daemon is there."""

    url: str
    name: str = "model"
    ledger: Ledger | None = None

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        assert self.ledger is not None
        settings = Settings(kind="model", model=MODEL, base_url=self.url, key="k-not-a-key", way="tools")
        done = await run(
            Brief.of(settings, projection, memory, utc_now()), LedgerPurse(self.ledger, run_id), incomparable
        )
        return AgentResult(proposals=done.proposals)


@dataclass
class LedgerPurse:
    ledger: Ledger
    run_id: str

    async def reserve(self, need: Need) -> str:
        try:
            return await asyncio.to_thread(self.ledger.reserve, self.run_id, need, utc_now())
        except BudgetSpent as error:
            raise AgentFault("budget", str(error)) from error

    async def spent(self, reservation: str, cost: Cost) -> None:
        await asyncio.to_thread(self.ledger.settle, reservation, cost)


def config(**budget: float) -> Config:
    free = {"calls_per_hour": 10**6, "calls_per_day": 10**6, "tokens_per_day": 10**9, "usd_per_day": 10**6}
    return Config.model_validate({"agent": {"kind": "model", "model": MODEL}, "budget": free | budget})


def keeping(every: int) -> Callable[[Asked], Reply]:
    """A model that keeps twelve words of every so many texts of the user, and charges by the length of what it gets."""
    seen = 0

    def answer(asked: Asked) -> Reply:
        nonlocal seen
        facts = []
        for cited, said in _SAID.findall(asked.text):
            seen += 1
            if seen % every == 0:
                words = [word for word in re.findall("[a-z]+", said) if word in WORDS]
                facts.append(item(" ".join(words[:12]), cited, kind="project", name=f"fact {seen}"))
        return Reply(items=facts, tokens=(len(asked.text) // CHARS_PER_TOKEN, 100 + 60 * len(facts)))

    return answer

"""The memory agents that are compared: rules, whatever answers at an endpoint or as a program, and two floors."""

from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module

from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Lines
from memoryd.worker.agents.brief import AgentFault, Brief, Cost, Need, Settings, Work
from memoryd.worker.ports import AgentResult, MemoryAgent
from memoryd.worker.projection import Projection


@dataclass(slots=True)
class Till:
    """A purse without a bottom, which counts."""

    calls: int = 0
    spent_on: Cost = field(default_factory=Cost)

    @property
    def tokens(self) -> int:
        return self.spent_on.tokens_in + self.spent_on.tokens_out

    async def reserve(self, need: Need) -> str:
        self.calls += 1
        return str(self.calls)

    async def spent(self, reservation: str, cost: Cost) -> None:
        before = self.spent_on.model_dump()
        self.spent_on = Cost(**{name: before[name] + value for name, value in cost.model_dump().items()})


@dataclass(slots=True)
class Asking:
    """An agent that asks a model, in this process. A run that fails leaves the memory as it was and is counted."""

    settings: Settings
    till: Till = field(default_factory=Till)
    faults: Counter[str] = field(default_factory=Counter)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.settings.kind

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        work: Work = import_module(f"memoryd.worker.agents.{self.settings.kind}").work
        brief = Brief.of(self.settings, projection, memory, projection.sessions[-1].utterances[-1].at)
        try:
            done = await work(brief, self.till)
        except AgentFault as error:
            self.faults[error.fault.code] += 1
            return AgentResult(proposals=())
        way = done.learnt.way or self.settings.way  # as the daemon remembers it
        self.settings = self.settings.model_copy(update={"way": way})
        return AgentResult(proposals=done.proposals, notes=done.noted())


class Parrot:
    """A floor: every prompt is kept, word for word."""

    name = "parrot"

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        prompts = [one for session in projection.sessions for one in session.user_texts()]
        return AgentResult(
            proposals=tuple(Lines(file="user.md", add=(" ".join(p.text.split()),), cites=(p.seq,)) for p in prompts)
        )


class Mute:
    """The other floor: nothing is kept."""

    name = "mute"

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        return AgentResult(proposals=())


def without_model(name: str) -> MemoryAgent:
    """The agent `rules`, `parrot` or `mute`."""
    if name == "rules":
        agent: MemoryAgent = import_module("memoryd.worker.agents.rules").RulesAgent()
        return agent
    floors: dict[str, MemoryAgent] = {"parrot": Parrot(), "mute": Mute()}
    return floors[name]

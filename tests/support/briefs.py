"""Briefs for agents that ask a model, and a purse that remembers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from memoryd.ipc.events import TIER_OF_ROLE, Role
from memoryd.memory.model import CoreLine, Entry, FileKey, Root
from memoryd.worker.agents.brief import AgentFault, Brief, Cost, Need, Settings
from memoryd.worker.projection import Projection, SessionSlice, Utterance

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class CountingPurse:
    """Grants everything, or nothing more after `grants` calls."""

    grants: int = 1000
    reserved: list[Need] = field(default_factory=list)
    settled: dict[str, Cost] = field(default_factory=dict)

    async def reserve(self, need: Need) -> str:
        if len(self.reserved) >= self.grants:
            raise AgentFault("budget", "nothing is left for today")
        self.reserved.append(need)
        return f"r{len(self.reserved)}"

    async def spent(self, reservation: str, cost: Cost) -> None:
        assert reservation not in self.settled
        self.settled[reservation] = cost

    @property
    def tokens(self) -> tuple[int, int]:
        """In and out, of all that was settled."""
        return sum(c.tokens_in for c in self.settled.values()), sum(c.tokens_out for c in self.settled.values())


def settings(url: str, *, model: str = "openai:big-70b", **more: Any) -> Settings:
    return Settings(kind="model", model=model, base_url=url, **{"way": "tools", "key": "k-not-a-key", **more})


def talk(*said: str | tuple[Role, str]) -> tuple[Utterance, ...]:
    """What the user says, or (role, text); a minute apart, seqs from 11."""
    pairs: list[tuple[Role, str]] = [("user", one) if isinstance(one, str) else one for one in said]
    return tuple(
        Utterance(seq=10 + n, at=NOON + timedelta(minutes=n), role=role, tier=TIER_OF_ROLE[role], text=text)
        for n, (role, text) in enumerate(pairs, start=1)
    )


def projection(*utterances: Utterance, **more: Any) -> Projection:
    session = SessionSlice(
        host="claude-code", session_id="s1", started_at=NOON, cwd="/p", utterances=utterances, **more
    )
    return Projection(from_seq=11, to_seq=99, sessions=(session,))


def brief(
    given: Settings,
    read: Projection,
    *,
    core: Mapping[str, str] | None = None,
    entries: Mapping[str, str] | None = None,
) -> Brief:
    """A brief whose memory holds core lines `{text: file}` and project entries `{slug: body}`."""
    lines = tuple(
        CoreLine(key=FileKey(Root.PROJECT if file == "constraints.md" else Root.USER, file), text=text)
        for text, file in (core or {}).items()
    )
    held = tuple((Root.PROJECT, Entry(slug=slug, name=slug, body=body)) for slug, body in (entries or {}).items())
    return Brief(settings=given, projection=read, core=lines, entries=held, now=NOON)

"""Instincts: what follows from what, and the proposals that they make together."""

from typing import Literal

from pydantic import AwareDatetime

from memoryd.ipc.events import Tier
from memoryd.ipc.methods.base import Method, Result, ScopeName, Where


class InstinctInfo(Result):
    slug: str
    scope: ScopeName
    path: str
    when: tuple[str, ...]  #: its triggers, words or steps; one is enough
    then: str
    source: Literal["correction", "work"]  #: the user's words, or the order of steps
    confidence: float | None  #: 0 to 1; None: a person wrote it by hand
    uses: int  #: how often it was seen
    updated_at: AwareDatetime | None = None


class EvolveParams(Where):
    dry: bool = False  #: only look


class EvolvedInfo(Result):
    slug: str
    scope: ScopeName
    text: str
    tier: Tier  #: of what it rests on
    confidence: float
    turns: int  #: that it rests on
    status: Literal["new", "open", "accepted", "rejected", ""]  #: in the review inbox; '': only looked at


class Evolved(Result):
    """Each the surest first."""

    instincts: tuple[InstinctInfo, ...]
    proposals: tuple[EvolvedInfo, ...]


METHODS: dict[str, Method] = {"instinct.evolve": Method(EvolveParams, Evolved)}

"""Instincts -> proposals for a person: those that belong together become one entry. Pure.

What follows one kind of edit belongs together, and corrections that share a word of what they are about. Nothing
becomes memory by this alone: a proposal waits in the review inbox.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoryd.ipc.events import Tier
from memoryd.memory.entries import make_slug
from memoryd.memory.maturing import Candidate, Kind
from memoryd.memory.model import EntryType, Root
from memoryd.memory.proposals import Save
from memoryd.memory.text import cut
from memoryd.memory.words import content_words

TOGETHER, ALONE = 0.6, 0.75  #: confidence from which on instincts of a cluster, and one by itself, are proposed
NAME_CHARS = 80
TAG = "evolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Instincts that belong together, the surest first."""

    members: tuple[Candidate, ...]

    @property
    def told(self) -> bool:
        return self.members[0].told

    @property
    def tier(self) -> Tier:
        return Tier.USER if self.told else Tier.TOOL

    @property
    def confidence(self) -> float:
        return self.members[0].confidence

    @property
    def turns(self) -> int:
        return len({work.seq for one in self.members for work in one.seen})


def clusters(found: Iterable[Candidate], held: Sequence[frozenset[str]] = ()) -> list[Cluster]:
    """Return what may be proposed of some instincts, the surest first.

    :param held: the words of what memory says already; a correction that it holds is not proposed
    """
    sure = [one for one in found if one.kind is Kind.INSTINCT and one.confidence >= TOGETHER]
    sure = [one for one in sure if not (one.told and any(_topic(one) <= words for words in held))]
    groups: list[list[Candidate]] = []
    for one in sorted(sure, key=lambda one: (-one.confidence, one.key)):
        near = next((group for group in groups if _belongs(one, group)), None)
        if near is None:
            groups.append([one])
        else:
            near.append(one)
    return [Cluster(members=tuple(group)) for group in groups if len(group) > 1 or group[0].confidence >= ALONE]


def proposal(cluster: Cluster, root: Root) -> Save:
    """Return the entry that a cluster would become; how often it was seen is no part of it, so it is proposed once."""
    name = cut(cluster.members[0].said if cluster.told else f"After {cluster.members[0].steps[0]}", NAME_CHARS)
    return Save(
        root=root, slug=make_slug(name), name=name, type=EntryType.FEEDBACK, content=_content(cluster.members),
        cites=tuple(sorted({seq for one in cluster.members for seq in one.cites})),
        importance=0.8 if cluster.told else 0.6, tags=(TAG,),
    )  # fmt: skip


def _belongs(one: Candidate, group: Sequence[Candidate]) -> bool:
    if one.told != group[0].told:
        return False
    if not one.told:
        return one.steps[0] == group[0].steps[0]
    return any(_topic(one) & _topic(other) for other in group)


def _topic(one: Candidate) -> frozenset[str]:
    """What a correction is about: the words of its key, which say what is wrong and what is right."""
    return content_words(one.key.removeprefix("said "))


def _content(members: Sequence[Candidate]) -> str:
    if members[0].told:
        return "\n".join(f"- {one.said}" for one in sorted(members, key=lambda one: one.key))
    oldest = min((work for one in members for work in one.seen), key=lambda work: work.seq).steps
    places = {step: n for n, step in enumerate(oldest)}
    steps = sorted((one.steps[1] for one in members), key=lambda step: (places.get(step, len(places)), step))
    if len(steps) == 1:
        return f"After {members[0].steps[0]}: {steps[0]}"
    return "\n".join([f"After {members[0].steps[0]}:", *(f"{n}. {step}" for n, step in enumerate(steps, start=1))])

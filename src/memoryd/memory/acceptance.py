"""Acceptance: which proposals may become memory, and whether the files they make may stand.

Each rule is one function of a table; the first that objects refuses. A proposal is judged before the draft is built,
the draft before it is applied. The rules hold for every memory agent; what a person asks for by hand (`person`) needs
no evidence, but the same names, limits and scans.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryd.memory.changes import Draft
from memoryd.memory.draft_rules import DRAFT_RULES, RUN_ONLY
from memoryd.memory.model import FileKey
from memoryd.memory.ports import Evidence, Rejected
from memoryd.memory.proposal_rules import PROPOSAL_RULES, Case
from memoryd.memory.proposals import Lines, Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A proposal that is not carried out: a stable code and a sentence for `memoryd log`."""

    proposal: Proposal
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a whole draft may not be applied."""

    code: str
    reason: str


def judge(
    proposals: Sequence[Proposal],
    *,
    evidence: Evidence,
    base: Mapping[FileKey, bytes],
    rejected: Sequence[Rejected] = (),
    person: bool = False,
) -> tuple[tuple[Proposal, ...], tuple[Refused, ...]]:
    """Return the accepted proposals and the refused ones with their reasons.

    `lines` proposals are judged line by line, so one bad line does not take the others with it; the accepted ones come
    back as one proposal for each line.

    :param base: the files as the memory agent saw them
    :param person: a person is the author: no evidence is asked for
    """
    case = Case(evidence=evidence, base=base, rejected=rejected, person=person)
    accepted: list[Proposal] = []
    refused: list[Refused] = []
    for proposal in (part for whole in proposals for part in _parts(whole)):
        objection = next(filter(None, (rule(proposal, case) for rule in PROPOSAL_RULES)), None)
        if objection is None:
            accepted.append(proposal)
        else:
            refused.append(Refused(proposal=proposal, code=objection[0], reason=objection[1]))
    return tuple(accepted), tuple(refused)


def check_draft(draft: Draft, base: Mapping[FileKey, bytes], *, person: bool = False) -> Refusal | None:
    """Return why the draft may not be applied, None when it may. A person may lose what a run may not."""
    rules = [rule for rule in DRAFT_RULES if not (person and rule in RUN_ONLY)]
    objection = next(filter(None, (rule(draft, base) for rule in rules)), None)
    return Refusal(code=objection[0], reason=objection[1]) if objection else None


def _parts(proposal: Proposal) -> Sequence[Proposal]:
    if not isinstance(proposal, Lines):
        return [proposal]
    empty = proposal.model_copy(update={"add": (), "replace": (), "remove": ()})
    parts = [
        *(empty.model_copy(update={"replace": (pair,)}) for pair in proposal.replace),
        *(empty.model_copy(update={"remove": (line,)}) for line in proposal.remove),
        *(empty.model_copy(update={"add": (line,)}) for line in proposal.add),
    ]
    return parts or [proposal]

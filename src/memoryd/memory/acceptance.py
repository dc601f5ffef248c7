"""Acceptance: which proposals may become memory, and whether the files they make may stand.

Each rule is one function of a table; the first that objects refuses. A proposal is judged before the draft is built,
the draft before it is applied. The rules hold for every memory agent; what a person asks for by hand (`person`) needs
no evidence, but the same names, limits and scans.

What no user said is not lost: a plain fact of a project becomes a dated fact, anything else waits for a person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memoryd.ipc.events import Tier
from memoryd.memory import noting
from memoryd.memory.case import Case, LastSaid
from memoryd.memory.changes import Draft
from memoryd.memory.draft_rules import DRAFT_RULES, RUN_ONLY
from memoryd.memory.model import FileKey
from memoryd.memory.ports import Evidence, Rejected
from memoryd.memory.proposal_rules import PROPOSAL_RULES, UNSAID, all_texts, new_texts
from memoryd.memory.proposals import Lines, Proposal, Save, Summary
from memoryd.memory.scan import threats


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A proposal that is not carried out: a stable code and a sentence for `memoryd log`."""

    proposal: Proposal
    code: str
    reason: str
    tier: Tier = Tier.USER  #: of the text that it rests on
    for_review: bool = False  #: it is only that no user said it: a person may still want it


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
    last_said: LastSaid = lambda key, line: None,
) -> tuple[tuple[Proposal, ...], tuple[Refused, ...]]:
    """Return the accepted proposals and the refused ones with their reasons.

    `lines` proposals are judged line by line and the content of a `save` row by row, so one bad line does not take the
    others with it. A save that rests on lower text comes back as `Dated`, with its tier.

    :param base: the files as the memory agent saw them
    :param person: a person is the author: no evidence is asked for
    :param last_said: of lines that stand, so that what was said before them takes the place of none
    """
    case = Case(evidence=evidence, base=base, rejected=rejected, person=person, last_said=last_said)
    accepted: list[Proposal] = []
    refused: list[Refused] = []
    for proposal in (part for whole in proposals for part in _parts(whole)):
        taken, left = _verdict(proposal, case)
        accepted += taken
        refused += left
    return tuple(accepted), tuple(refused)


def check_draft(draft: Draft, base: Mapping[FileKey, bytes], *, person: bool = False) -> Refusal | None:
    """Return why the draft may not be applied, None when it may. A person may lose what a run may not."""
    rules = [rule for rule in DRAFT_RULES if not (person and rule in RUN_ONLY)]
    objection = next(filter(None, (rule(draft, base) for rule in rules)), None)
    return Refusal(code=objection[0], reason=objection[1]) if objection else None


def flags(proposals: Sequence[Proposal]) -> tuple[str, ...]:
    """The classes of threat that accepted proposals show signs of: a person said it, so it is kept and shown."""
    return tuple(sorted({threat for proposal in proposals for threat in threats("\n".join(all_texts(proposal)))}))


def _verdict(proposal: Proposal, case: Case) -> tuple[list[Proposal], list[Refused]]:
    refused = _objection(proposal, case)
    if refused is None:
        return _as_said(proposal, case)
    if refused.code not in UNSAID:
        return [], [refused]
    if isinstance(proposal, Save):
        said, unsaid = noting.divided(proposal, case)
        if said is not None and _objection(said, case) is None:
            return [noting.plainly_titled(said, case)], [replace(refused, proposal=unsaid, for_review=True)]
        if dated := noting.as_dated(proposal, refused.tier, case):
            return [dated], []
    return [], [replace(refused, for_review=case.rests_on(proposal, "\n".join(new_texts(proposal))) > 0)]


def _as_said(proposal: Proposal, case: Case) -> tuple[list[Proposal], list[Refused]]:
    """What the user said, without the words around it that nobody did."""
    if case.person:
        return [proposal], []
    if isinstance(proposal, Summary):
        kept = noting.without_orders_of_others(proposal, case)
        return ([kept] if kept else []), []
    return [noting.plainly_titled(proposal, case) if isinstance(proposal, Save) else proposal], []


def _objection(proposal: Proposal, case: Case) -> Refused | None:
    objection = next(filter(None, (rule(proposal, case) for rule in PROPOSAL_RULES)), None)
    if objection is None:
        return None
    code, reason = objection
    tier = case.origin(proposal, "\n".join(new_texts(proposal))) if code in UNSAID else Tier.USER
    return Refused(proposal=proposal, code=code, reason=reason, tier=tier)


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

"""What proposals are judged by: the cited spans, the user's own words in them, and the tier that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoryd.ipc.events import Tier
from memoryd.memory.model import FileKey
from memoryd.memory.ports import Evidence, Rejected, Span
from memoryd.memory.proposals import Proposal
from memoryd.memory.spans import own_words
from memoryd.memory.text import content_words
from memoryd.memory.wording import SHARED_WORDS, is_ordered, is_said, share


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The evidence of one judgement; texts that several proposals cite are read once."""

    evidence: Evidence
    base: Mapping[FileKey, bytes]
    rejected: Sequence[Rejected] = ()
    person: bool = False
    _words: dict[int, str] = field(default_factory=dict)  #: own words by seq
    _foreign: dict[int, Sequence[tuple[Tier, str]]] = field(default_factory=dict)

    def cited(self, proposal: Proposal) -> tuple[Span, ...]:
        """The cited spans that exist."""
        found = self.evidence.spans(proposal.cites)
        return tuple(found[seq] for seq in dict.fromkeys(proposal.cites) if seq in found)

    def own(self, span: Span) -> str:
        """The user's own words of a span; '' when it is not the user's."""
        if not _is_users(span):
            return ""
        if span.seq not in self._words:
            self._words[span.seq] = own_words(span.text, [text for _, text in self.foreign(span)])
        return self._words[span.seq]

    def foreign(self, span: Span) -> Sequence[tuple[Tier, str]]:
        """What others said in the session of a span before it."""
        if span.seq not in self._foreign:
            self._foreign[span.seq] = self.evidence.foreign((span.seq,))
        return self._foreign[span.seq]

    def tier(self, span: Span, text: str) -> Tier:
        """The tier that a span lends to a text: what was pasted into a prompt keeps the tier of where it was seen.

        A paste that was seen nowhere else counts as web: nobody vouches for it.
        """
        if not _is_users(span):
            return min(span.tier, Tier.HOST, key=lambda tier: tier.rank)
        words, own = content_words(text), content_words(self.own(span))
        pasted = content_words(span.text) - own
        return Tier.USER if len(words & own) >= len(words & pasted) else self._seen_in(span, text) or Tier.WEB

    def lowest(self, proposal: Proposal, text: str) -> Tier:
        """The tier of a text: the lowest of the cited spans; web when nothing is cited."""
        tiers = (self.tier(span, text) for span in self.cited(proposal))
        return min(tiers, key=lambda tier: tier.rank, default=Tier.WEB)

    def origin(self, proposal: Proposal, text: str) -> Tier:
        """The tier of a text that no cited prompt says: where it was seen, at best the memory agent's own words."""
        seen = [self._seen_in(span, text) or Tier.HOST for span in self.cited(proposal)]
        return min([self.lowest(proposal, text), Tier.HOST, *seen], key=lambda tier: tier.rank)

    def said(self, proposal: Proposal, text: str, *, together: bool = False) -> bool:
        """Whether one cited prompt says a text in the user's own words; `together`: all of them may."""
        spoken = [self.own(span) for span in self.cited(proposal)]
        return any(is_said(text, own) for own in (["\n".join(spoken)] if together else spoken))

    def ordered(self, proposal: Proposal, text: str) -> bool:
        """Whether one cited prompt gives an order in the user's own words, and does not deny it."""
        return any(is_ordered(text, self.own(span)) for span in self.cited(proposal))

    def rests_on(self, proposal: Proposal, text: str) -> float:
        """The largest share of a text's content words that one cited span holds, whoever said it."""
        return max((share(text, content_words(span.text)) for span in self.cited(proposal)), default=0.0)

    def below_host(self, proposal: Proposal, text: str) -> bool:
        """Whether a text was seen in what a tool, a page or a repository gave."""
        spans = self.cited(proposal)
        given = [(span.tier, span.text) for span in spans] + [one for span in spans for one in self.foreign(span)]
        return any(
            tier.rank < Tier.HOST.rank and share(text, content_words(other)) >= SHARED_WORDS for tier, other in given
        )

    def _seen_in(self, span: Span, text: str) -> Tier | None:
        """The lowest tier of the earlier texts that hold half of the words of this one."""
        tiers = (tier for tier, other in self.foreign(span) if share(text, content_words(other)) >= SHARED_WORDS)
        return min(tiers, key=lambda tier: tier.rank, default=None)


def _is_users(span: Span) -> bool:
    return span.tier is Tier.USER and span.role == "user"

"""What proposals are judged by: the cited spans, the user's own words in them, and the tier that follows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memoryd.ipc.events import Tier
from memoryd.memory.model import FileKey
from memoryd.memory.ports import Evidence, Rejected, Span
from memoryd.memory.proposals import Proposal
from memoryd.memory.spans import own_words
from memoryd.memory.wording import SHARED_WORDS, names_stand_in, same_sense, share, telling, turned, unsaid_words
from memoryd.memory.words import content_words

#: when the newest turn was that a line of a file rests on; None: on none, or a person wrote it
LastSaid = Callable[[FileKey, str], datetime | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The evidence of one judgement; a text that several proposals cite is read and divided into words once."""

    evidence: Evidence
    base: Mapping[FileKey, bytes]
    rejected: Sequence[Rejected] = ()
    person: bool = False
    last_said: LastSaid = lambda key, line: None
    _spans: dict[int, Span | None] = field(default_factory=dict)
    _own: dict[int, str] = field(default_factory=dict)  #: own words by seq
    _words: dict[str, frozenset[str]] = field(default_factory=dict)  #: content words by text
    _foreign: dict[tuple[tuple[int, ...], bool], Sequence[tuple[Tier, str]]] = field(default_factory=dict)

    def cited(self, proposal: Proposal) -> tuple[Span, ...]:
        """The cited spans that exist."""
        if unknown := [seq for seq in proposal.cites if seq not in self._spans]:
            found = self.evidence.spans(unknown)
            self._spans.update((seq, found.get(seq)) for seq in unknown)
        spans = (self._spans[seq] for seq in dict.fromkeys(proposal.cites))
        return tuple(span for span in spans if span is not None)

    def own(self, span: Span) -> str:
        """The user's own words of a span; '' when it is not the user's."""
        if not _is_users(span):
            return ""
        if span.seq not in self._own:
            self._own[span.seq] = own_words(span.text, [text for _, text in self._said_before((span.seq,))])
        return self._own[span.seq]

    def words(self, text: str) -> frozenset[str]:
        """The content words of a text."""
        if text not in self._words:
            self._words[text] = content_words(text)
        return self._words[text]

    def tier(self, span: Span, text: str) -> Tier:
        """The tier that a span lends to a text: what was pasted into a prompt keeps the tier of where it was seen.

        A paste that was seen nowhere else counts as web: nobody vouches for it.
        """
        if not _is_users(span):
            return min(span.tier, Tier.HOST, key=_rank)
        words, own = self.words(text), self.words(self.own(span))
        pasted = self.words(span.text) - own
        return (
            Tier.USER if len(words & own) >= len(words & pasted) else self._seen_before((span.seq,), text) or Tier.WEB
        )

    def lowest(self, proposal: Proposal, text: str) -> Tier:
        """The tier of a text: the lowest of the cited spans; web when nothing is cited."""
        return min((self.tier(span, text) for span in self.cited(proposal)), key=_rank, default=Tier.WEB)

    def origin(self, proposal: Proposal, text: str) -> Tier:
        """The tier of a text that no cited prompt says: where it was seen, at best the memory agent's own words."""
        seen = self._seen_before(proposal.cites, text) or Tier.HOST
        return min(self.lowest(proposal, text), Tier.HOST, seen, key=_rank)

    def said(self, proposal: Proposal, text: str, *, together: bool = False) -> bool:
        """Whether one cited prompt says a text in the user's own words; `together`: all of them may."""
        spoken = [self.own(span) for span in self.cited(proposal)]
        return any(self._says(own, text) for own in (["\n".join(spoken)] if together else spoken))

    def ordered(self, proposal: Proposal, text: str) -> bool:
        """Whether one cited prompt gives an order in the user's own words, most of its words, and does not deny it."""
        wanted, spoken = telling(text), (self.own(span) for span in self.cited(proposal))
        mostly = (own for own in spoken if share(wanted, self.words(own)) > SHARED_WORDS)
        return any(self._says(own, text) and same_sense(text, own) for own in mostly)

    def said_wholly(self, proposal: Proposal, text: str, *, together: bool, replaced: str = "") -> bool:
        """Whether one cited prompt, with what is replaced, holds every content word of a text but its frame.

        Nor may the text deny what the prompt does not. `together`: all cited prompts may hold the words.
        """
        spoken = [self.own(span) for span in self.cited(proposal)]
        return any(
            not unsaid_words(text, f"{own}\n{replaced}") and not turned(text, own)
            for own in (["\n".join(spoken)] if together else spoken)
        )

    def better_said(self, proposal: Proposal, text: str) -> bool:
        """Whether another text of the cited sessions holds more of a text than the user's own words do."""
        wanted = telling(text)
        own = max((share(wanted, self.words(self.own(span))) for span in self.cited(proposal)), default=0.0)
        given = self._said_before(proposal.cites, later=True)
        return own < 1 and any(share(wanted, self.words(other)) > own for _, other in given)

    def said_since(self, proposal: Proposal, text: str, taken_back: Rejected) -> bool:
        """Whether a cited prompt says a text in the user's own words, and was said after a fact was taken back."""
        return any(
            span.seq > taken_back.after_seq
            and (taken_back.at is None or span.at > taken_back.at)
            and self._says(self.own(span), text)
            for span in self.cited(proposal)
        )

    def rests_on(self, proposal: Proposal, text: str) -> float:
        """The largest share of a text's content words that one cited span holds, whoever said it."""
        wanted = telling(text)
        return max((share(wanted, self.words(span.text)) for span in self.cited(proposal)), default=0.0)

    def is_from_below(self, proposal: Proposal, text: str) -> bool:
        """Whether a text was seen in what a tool, a page or a repository gave."""
        spans = [(span.tier, span.text) for span in self.cited(proposal)]
        return any(
            tier.rank < Tier.HOST.rank for tier in self._holding(text, [*spans, *self._said_before(proposal.cites)])
        )

    def _says(self, own: str, text: str) -> bool:
        """Whether the user's own words hold half of the content words of a text, and every name in it."""
        return share(telling(text), self.words(own)) >= SHARED_WORDS and names_stand_in(text, own)

    def _said_before(self, cites: tuple[int, ...], *, later: bool = False) -> Sequence[tuple[Tier, str]]:
        """What others said in the sessions of these events before them; `later`: at any time."""
        if (cites, later) not in self._foreign:
            self._foreign[cites, later] = self.evidence.foreign(cites, later=later) if cites else ()
        return self._foreign[cites, later]

    def _seen_before(self, cites: tuple[int, ...], text: str) -> Tier | None:
        """The lowest tier of the earlier texts that hold half of the words of this one."""
        return min(self._holding(text, self._said_before(cites)), key=_rank, default=None)

    def _holding(self, text: str, others: Sequence[tuple[Tier, str]]) -> Iterator[Tier]:
        wanted = telling(text)
        return (tier for tier, other in others if share(wanted, self.words(other)) >= SHARED_WORDS)


def _rank(tier: Tier) -> int:
    return tier.rank


def _is_users(span: Span) -> bool:
    return span.tier is Tier.USER and span.role == "user"

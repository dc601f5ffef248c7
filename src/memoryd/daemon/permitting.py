"""What an agent may change by its own tools, in its own name: nobody vouches for it, so it may take nothing away that
a user said, and say nothing that only a user may say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.errors import ScanRejected
from memoryd.ipc.events import Tier
from memoryd.memory.case import Case
from memoryd.memory.changes import encode
from memoryd.memory.model import EntryType, MemoryView, Root
from memoryd.memory.noting import LABEL_WORDS
from memoryd.memory.proposal_rules import asks_to_take, not_taken_back, taken_texts
from memoryd.memory.proposals import Archive, Dated, Proposal, Save
from memoryd.memory.scan import threats
from memoryd.memory.wording import is_imperative, speaks_for_user
from memoryd.memory.words import content_words

RECENT_PROMPTS = 20  #: in which a user may have asked to forget something

_ASK = "ask the user to say it in the conversation, from which memoryd learns, or to run `memoryd save`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Permits:
    """Blocking; called from a worker thread."""

    runs: JournalRuns
    history: History

    def save(self, roots: Mapping[Root, Path], proposal: Save, view: MemoryView) -> Dated:
        """Return the fact, of tier host, that the agent's save may become.

        :raises ScanRejected: only the user may say this, or it would replace what the user said
        """
        fact = Dated.model_validate({**proposal.model_dump(exclude={"kind"}), "tier": Tier.HOST, "importance": 0.4})
        _must_be_a_fact(fact)
        known = [entry for _, entry in view.entries if entry.active and entry.slug == fact.slug]
        if not all(entry.dated for entry in known):
            raise ScanRejected(f"refused: {fact.slug} holds what the user said; save under another name, or {_ASK}")
        case = Case(evidence=self.runs.evidence, base={}, rejected=self.runs.rejected(roots.values()))
        if objection := not_taken_back(fact, case):
            raise ScanRejected(f"refused ({objection[0]}): {objection[1]}")
        return fact

    def note(self, text: str) -> None:
        """Accept an agent's note. :raises ScanRejected: it shows signs of an attack"""
        _must_not_attack(text)

    def lasting_note(self, text: str) -> None:
        """Accept what an agent wants told until it is removed.

        :raises ScanRejected: it orders, or speaks for the user
        """
        if is_imperative(text) or speaks_for_user(text):
            raise ScanRejected(
                "refused: it tells its reader what to do or speaks for the user; state a fact, keep it as kind"
                f" working, or {_ASK}"
            )

    def forget(self, proposals: Sequence[Proposal], view: MemoryView, directory: Path) -> None:
        """Accept what an agent wants to forget.

        :raises ScanRejected: it is not an agent's, and the user did not ask for it lately
        """
        own = {entry.slug for _, entry in view.entries if entry.active and entry.dated}
        spans = self.runs.evidence.spans(self.history.recent_prompts(directory, RECENT_PROMPTS))
        case = Case(evidence=self.runs.evidence, base={key: encode(text) for key, text in view.files.items()})
        said = [case.own(span) for span in spans.values()]
        for proposal in proposals:
            of_agent = isinstance(proposal, Archive) and proposal.slug in own
            gone = "\n".join(taken_texts(proposal, case))
            if not of_agent and not any(asks_to_take(words, gone) for words in said):
                raise ScanRejected(
                    "refused: the user has not asked to forget this lately; ask them to say so, or to run"
                    " `memoryd forget NAME`"
                )


def _must_be_a_fact(fact: Dated) -> None:
    titles = (fact.slug.replace("-", " "), fact.name, fact.description)
    texts = [fact.content, *(title for title in titles if len(content_words(title)) > LABEL_WORDS)]
    if fact.type not in (EntryType.PROJECT, EntryType.REFERENCE):
        raise ScanRejected(f"refused: an agent saves facts of type project or reference, not {fact.type}; {_ASK}")
    if any(is_imperative(text) or speaks_for_user(text) for text in texts):
        raise ScanRejected(f"refused: it tells its reader what to do or speaks for the user; state a fact, or {_ASK}")
    _must_not_attack("\n".join((*titles, fact.content)))


def _must_not_attack(text: str) -> None:
    if found := threats(text):
        raise ScanRejected(f"refused: it reads like an attempt at {', '.join(sorted(found))}")

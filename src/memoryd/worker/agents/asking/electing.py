"""What a small model finds, the rules write: it copies out sentences of the user, and they decide, word and place.

A model of a few billion parameters copies out too much, and a form costs it more than the facts do. So it answers in
plain lines, and a line is one vote for the sentence that it was taken from: it counts where the rules nearly believe
the sentence by themselves (`rules.scales.ELECTED`). Such a model can add facts to those of the rules and nothing else.
"""

from collections.abc import Iterable
from functools import partial

from memoryd.memory.model import MemoryView
from memoryd.memory.text import bare
from memoryd.memory.words import content_words
from memoryd.worker.agents.brief import Brief, Done
from memoryd.worker.agents.rules import learn

MAX_LINES = 40
TAKEN = 0.8  #: share of a line's content words that its sentence holds
MEANT = 0.5  #: share of the sentence's that the line holds


def lines(answer: str) -> list[str]:
    """The lines of an answer that were copied out; whatever else it says is nothing."""
    rows = (row.strip() for row in answer.splitlines())
    return [bare(row).removeprefix("| ") for row in rows if row.startswith(("- ", "* ", "| "))][:MAX_LINES]


def done(brief: Brief, copied: Iterable[str]) -> Done:
    """What the run ends with: what the rules find, and what they nearly find and the model did."""
    votes = [words for text in copied if (words := content_words(text))]
    memory = MemoryView(core=brief.core, entries=brief.entries, language=brief.language, has_project=brief.has_project)
    told = learn(brief.projection, memory, partial(_is_elected, votes))
    return Done.of(told.proposals, told.notes, brief.projection)


def _is_elected(votes: Iterable[frozenset[str]], sentence: str) -> bool:
    said = content_words(sentence)
    shared = ((len(vote & said), vote) for vote in votes)
    return any(n >= TAKEN * len(vote) and n >= MEANT * len(said) for n, vote in shared)

"""What keeps coming back: mentions of a statement -> candidates, each with its six signals, score and gates. Pure.

A mention is a statement that somebody made, noted or wanted; recalled text is none. Nothing here writes: a candidate is
staged, and what becomes of it is decided by the gates below, by acceptance, and by a person.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memoryd.ipc.events import Tier
from memoryd.memory.lines import SAME_FACT
from memoryd.memory.quality import passing
from memoryd.memory.text import bigrams, fold, jaccard
from memoryd.memory.words import content_words

#: the shares of the six signals in the score; they add up to 1
WEIGHTS: Mapping[str, float] = {
    "relevance": 0.30,  #: how much its mentions read like something lasting, how high it stood among hits
    "frequency": 0.24,  #: how often it came
    "diversity": 0.15,  #: in how many different prompts, or sessions
    "recency": 0.15,  #: how lately
    "consolidation": 0.10,  #: on how many days, over how long
    "richness": 0.06,  #: how many words that say something
}
MIN_SCORE, MIN_COUNT, MIN_CONTEXTS = 0.8, 3, 3  #: the gates of promotion
FULL_COUNT, FULL_CONTEXTS, FULL_DAYS, FULL_SPAN, FULL_WORDS = 10, 5, 5, 7, 6  #: from these on a signal is 1
HALF_LIFE_DAYS = 14  #: of recency
SHARED, LEAST = 0.75, 3  #: share of the longer statement's words, and how many, that make two the same one
MORE = 2  #: times as many words as a statement has another may have that says all of it
MAX_FORMS = 4  #: ways of saying a statement that others are compared with
THEMES = 6

Differs = Callable[[str, str], bool]  #: whether two statements contradict each other


class Source(StrEnum):
    PROMPT = "prompt"
    NOTE = "note"  #: of a daily note
    SUMMARY = "summary"  #: of a session: what its agent says was done
    RECALL = "recall"  #: a prompt or a search found it: a dated fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A statement was made, noted or wanted once."""

    text: str
    at: datetime
    source: Source
    tier: Tier
    weight: float  #: 0 to 1: relevance
    context: str  #: the prompt or query that it belongs to, or a hash of it; the same words are one
    session: str  #: host/id; of a note its day
    cites: tuple[int, ...] = ()


@dataclass(slots=True, kw_only=True)
class Recurring:
    """A statement that keeps coming back, or a dated fact that keeps being wanted."""

    mentions: list[Mention] = field(default_factory=list)  #: the oldest first
    entry: str = ""  #: the path of a dated fact; its mentions are hits
    outdated: bool = False  #: something else was said of it since
    disputed: bool = False  #: memory says something else

    @property
    def text(self) -> str:
        """Its words: the user's own where there are some, those that most mentions hold, the newest of these."""
        held = [content_words(one.text) for one in self.mentions]

        def standing(one: Mention) -> tuple[int, int, datetime]:
            words = content_words(one.text)
            return one.tier.rank, sum(words <= other for other in held), one.at

        return max(self.mentions, key=standing).text

    @property
    def tier(self) -> Tier:
        return max((one.tier for one in self.mentions), key=lambda tier: tier.rank)

    @property
    def count(self) -> int:
        """How often it came; said again in one talk after the same prompt it came once."""
        return len({(one.session, one.context) for one in self.mentions})

    @property
    def contexts(self) -> int:
        return len({fold(one.context) for one in self.mentions})

    @property
    def sessions(self) -> int:
        return len({one.session for one in self.mentions})

    @property
    def days(self) -> int:
        return len({one.at.astimezone().date() for one in self.mentions})

    @property
    def cites(self) -> tuple[int, ...]:
        return tuple(sorted({seq for one in self.mentions for seq in one.cites}))

    def signals(self, now: datetime) -> dict[str, float]:
        """The six signals, each 0 to 1."""
        moments = [one.at for one in self.mentions]
        span, age = (max(moments) - min(moments)).days, max(0.0, (now - max(moments)).total_seconds() / 86_400)
        spread = min(1.0, math.log1p(self.days - 1) / math.log1p(FULL_DAYS - 1))
        return {
            "relevance": sum(one.weight for one in self.mentions) / len(self.mentions),
            "frequency": min(1.0, math.log1p(self.count) / math.log1p(FULL_COUNT)),
            "diversity": min(1.0, self.contexts / FULL_CONTEXTS),
            "recency": 0.5 ** (age / HALF_LIFE_DAYS),
            "consolidation": 0.55 * spread + 0.45 * min(1.0, span / FULL_SPAN),
            "richness": min(1.0, len(content_words(self.text)) / FULL_WORDS),
        }

    def score(self, now: datetime) -> float:
        return round(sum(WEIGHTS[name] * value for name, value in self.signals(now).items()), 3)

    def unmet(self, now: datetime) -> tuple[str, ...]:
        """The gates that it does not pass, as clauses for people; empty: it may be promoted."""
        score = self.score(now)
        gates = (
            (score < MIN_SCORE, f"its score is {score:.2f}, {MIN_SCORE:.2f} are wanted"),
            (self.count < MIN_COUNT, f"it came {_times(self.count)}, {MIN_COUNT} are wanted"),
            (self.contexts < MIN_CONTEXTS, f"in {self.contexts} different prompts, {MIN_CONTEXTS} are wanted"),
            (self.outdated, "something else was said of it since"),
            (self.disputed, "memory says something else"),
            (passing(self.text) is not None, "it tells how things are just now"),
        )
        return tuple(clause for fails, clause in gates if fails)


def gather(mentions: Iterable[Mention], known: Sequence[str], differs: Differs) -> list[Recurring]:
    """Return what the mentions say, each statement once, the best known first left out: what memory holds already.

    :param known: what is in memory, a statement each
    :param differs: asked only of statements that are near each other
    """
    found: list[tuple[list[_Form], Recurring]] = []
    for mention in sorted(mentions, key=lambda one: one.at):
        form = _Form.of(mention.text)
        near = [one for forms, one in found if any(map(form.near, forms))]
        same = next((one for one in near if not differs(one.text, mention.text)), None)
        for one in near:
            one.outdated |= one is not same and differs(one.text, mention.text)
        if same is None:
            found.append(([], same := Recurring()))
        same.mentions.append(mention)
        forms = next(forms for forms, one in found if one is same)
        if len(forms) < MAX_FORMS and form not in forms:
            forms.append(form)
    return [one for _, one in found if _is_news(one, [_Form.of(text) for text in known], differs)]


def _is_news(one: Recurring, known: Sequence["_Form"], differs: Differs) -> bool:
    """Whether memory does not hold it already; what memory says otherwise is news, and disputed."""
    form = _Form.of(one.text)
    near = [other for other in known if form.near(other)]
    one.disputed = any(differs(one.text, other.text) for other in near)
    return one.disputed or not near


def themes(found: Iterable[Recurring]) -> list[str]:
    """The words that most candidates share, the commonest first."""
    counts = Counter(word for one in found for word in content_words(one.text) if not word.isdigit())
    return [word for word, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])) if count > 1][:THEMES]


def same(one: str, other: str) -> bool:
    """Whether two texts are the same statement, in other words perhaps."""
    return _Form.of(one).near(_Form.of(other))


def says(statement: str, text: str) -> bool:
    """Whether a row of a text says a statement: recalled text that comes back is no mention of it."""
    form = _Form.of(statement)
    return any(form.near(row := _Form.of(line)) or form.words <= row.words for line in text.split("\n") if line.strip())


@dataclass(frozen=True, slots=True)
class _Form:
    """A statement as it is compared."""

    text: str
    pairs: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Form":
        return cls(text, bigrams(text), content_words(text))

    def near(self, other: "_Form") -> bool:
        shared, lengths = len(self.words & other.words), sorted((len(self.words), len(other.words)))
        contained = shared == lengths[0] > LEAST and lengths[1] <= MORE * lengths[0]
        mostly = shared >= LEAST and shared >= SHARED * lengths[1]
        return contained or mostly or jaccard(self.pairs, other.pairs) >= SAME_FACT


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"

"""What a prompt can say: facts, wishes to forget, requests."""

from dataclasses import dataclass

from memoryd.worker.agents.rules.patterns import Kind, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something lasting that the user said, in one line."""

    kind: Kind
    text: str  #: as it will stand in memory, about "the user"
    said: str  #: the sentence it was taken from
    language: Language
    importance: float
    lasting: int = 0  #: the weight of its sentence
    beside: str = ""  #: the prompt that the sentence stands in
    reason: str = ""  #: of a decision
    old_values: tuple[str, ...] = ()  #: places in which one stands that holds no longer
    changes: bool = False  #: gives a new value for something known
    may_change: bool = False  #: sounds a little like it
    news: bool = False  #: tells of something that is as it was not before
    adds: bool = False  #: stands beside what is known
    corrects: bool = False  #: takes back what was said before it, without naming it
    tentative: bool = False  #: counts only when it replaces something known
    everywhere: bool = False  #: claims all projects


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """A wish to forget: `what` names the fact; '' means the newest ones."""

    what: str
    said: str  #: the sentence that wishes
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one prompt says."""

    facts: tuple[Fact, ...] = ()
    forgets: tuple[Forget, ...] = ()
    spared: tuple[str, ...] = ()  #: clauses beside a wish to forget that say what may stay
    requests: tuple[str, ...] = ()  #: questions and tasks, for the session's summary

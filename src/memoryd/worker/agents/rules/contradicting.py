"""Whether two memories contradict each other: another number, another value of one attribute, or one denies the other.

Precision first: a question that is none costs a person more than a contradiction that nobody asks about. So the two are
laid side by side, and but for a few attributes of a person they may differ in one place alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from memoryd.memory.text import fold
from memoryd.memory.words import CJK, normal, stem
from memoryd.worker.agents.rules.held import slots_of
from memoryd.worker.agents.rules.languages import language_of
from memoryd.worker.agents.rules.weighing import OF_PERSON

#: attributes that have one value, however it is told; of others all but the value must be the same words
SINGLE = OF_PERSON | {"agent name", "answer language", "theme"}
SAME = 0.5  #: share of the words of the longer text that both have, in one order
MAX_VALUE, MAX_CHINESE_VALUE = 3, 8  #: words, or characters, that stand in the place of others
MAX_SINGLE = 16  #: words of a text that gives one of these attributes and nothing else
MAX_CHARS = 300  #: a longer text says several things

_TOKEN = re.compile(rf"\d+(?:[.:]\d+)*|[^\W\d_{CJK}][\w.+#/-]*[\w+#]|[^\W_]|[{CJK}]")
_FILLERS = frozenset(["the", "a", "an", "now", "currently", "了", "的", "现", "在"])
_DENIAL = re.compile(
    r"\b(?:do(?:es)? not|is not|are not|not|never|no longer|cannot|no(?= \w)|without)\b|\b\w+n['’]t\b"
    r"|不要|不再|不|别|勿|禁止|没有|从不"
)
#: an order and its denial differ in these too
_URGES = frozenset(["always", "should", "must", "please", "do", "要", "请", "应", "该"])
_BOTH = re.compile(r"\b(?:also|too|both|as well|sometimes|either|usually|mostly)\b|也|另外|有时|都|通常")
#: under which condition something holds; a name behind "in" is none: it may be where a person lives
_CONDITION = re.compile(
    r"\b(?:for|when(?:ever)?|if|during|inside|within|unless|until|before|after)\b[^,.;]*"
    r"|\b(?:in|on|at|from) (?:the )?(?-i:[a-z])[\w-]*"
    r"|在[^，。；,]{1,10}?[里中时上下]|[^，。；,]{1,10}(?:的时候|时候|期间|环境)",
    re.IGNORECASE,
)
_COPULA = re.compile(r"^(?P<subject>.{3,80}?)(?:\s+(?:is|are)\s+|\s*[:：]\s+|是|为)")
_OF_MANY = re.compile(r"(?:the )?users?|(?:the )?assistant|用户|助手|this|that|it|there|这|那|它", re.IGNORECASE)


class Difference(StrEnum):
    NUMBER = "number"
    DENIAL = "denial"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class _Apart:
    """A place in which two texts differ: the words of each."""

    mine: tuple[str, ...]
    other: tuple[str, ...]


def difference(one: str, other: str) -> Difference | None:
    """Return how two statements contradict each other; None: they say the same, or may well both hold."""
    if fold(one) == fold(other) or max(len(one), len(other)) > MAX_CHARS or _conditions(one) != _conditions(other):
        return None
    plain, another = (_DENIAL.sub(" ", fold(text)) for text in (one, other))
    if _denies(one) != _denies(other):
        return Difference.DENIAL if _ordered(plain) == _ordered(another) else None
    apart = list(_apart(_tokens(plain), _tokens(another)))
    if not apart or _BOTH.search(fold(one)) or _BOTH.search(fold(other)):
        return None
    slots = _slots(one) & _slots(other)
    if slots & SINGLE and _each_has_its_own(apart) and max(map(len, (_tokens(plain), _tokens(another)))) <= MAX_SINGLE:
        return Difference.VALUE
    if len(apart) != 1 or not _is_small(apart[0]) or not _alike(_tokens(plain), _tokens(another)):
        return None
    if _counts(apart[0].mine) and _counts(apart[0].other):
        return Difference.NUMBER
    return Difference.VALUE if slots or _same_subject(one, other) else None


def _tokens(folded: str) -> list[str]:
    return [stem(token) for token in _TOKEN.findall(normal(folded)) if token not in _FILLERS]


def _ordered(plain: str) -> list[str]:
    """What a text asks for, however much it urges."""
    return [token for token in _tokens(plain) if token not in _URGES]


def _apart(mine: Sequence[str], others: Sequence[str]) -> Iterator[_Apart]:
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, mine, others, autojunk=False).get_opcodes():
        if tag != "equal":
            yield _Apart(tuple(mine[i1:i2]), tuple(others[j1:j2]))


def _denies(text: str) -> bool:
    return len(_DENIAL.findall(fold(text))) % 2 == 1


def _conditions(text: str) -> set[tuple[str, ...]]:
    """Under which conditions a text holds, as their words."""
    return {tuple(_tokens(found.group().casefold())) for found in _CONDITION.finditer(" ".join(text.split()))}


def _slots(text: str) -> frozenset[str]:
    return slots_of(text, language_of(text))


def _each_has_its_own(apart: Sequence[_Apart]) -> bool:
    """Whether each of two texts holds words that the other has not: one that only says more contradicts nothing."""
    mine = {word for part in apart for word in part.mine}
    others = {word for part in apart for word in part.other}
    return bool(mine - others) and bool(others - mine)


def _is_small(apart: _Apart) -> bool:
    return all(_fits(side) for side in (apart.mine, apart.other))


def _fits(side: Sequence[str]) -> bool:
    return 0 < len(side) <= (MAX_CHINESE_VALUE if re.match(f"[{CJK}]", side[0]) else MAX_VALUE)


def _alike(mine: Sequence[str], others: Sequence[str]) -> bool:
    same = sum(block.size for block in SequenceMatcher(None, mine, others, autojunk=False).get_matching_blocks())
    return same >= SAME * max(len(mine), len(others))


def _counts(side: Sequence[str]) -> bool:
    return any(word[0].isdigit() for word in side)


def _same_subject(one: str, other: str) -> bool:
    """Whether both say what one and the same thing is: "the default branch is main"."""
    found = [_COPULA.match(" ".join(text.split())) for text in (one, other)]
    subjects = {fold(match["subject"]).strip() for match in found if match}
    return None not in found and len(subjects) == 1 and not _OF_MANY.fullmatch(subjects.pop())

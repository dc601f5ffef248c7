"""Whose fact it is, and where it holds: what is said of another subject, or of one place more, replaces nothing."""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

import re

from memoryd.memory.words import content_words
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.topics import FRAME

_PRONOUN = (
    r"(?:this|that|it|there|here|what|which|who|i|we|you|he|she|they|everything|all|everyone|please|always|never)"
)
_VERB = (
    r"(?:is|are|was|were|has|have|had|now|moved|moves|switched|changed|migrated|went|uses?|runs?|goes|lives?|happens?|must|should"
    r"|will|can|gets?|got|needs?|works?|targets?|joined|left|reviews?|likes?|prefers?|wants?|stays?|became|starts?)"
)
_SUBJECT = lazy(
    rf"(?:the |our |all |new |this (?:repo|project)'s )?(?!{_PRONOUN}\b)((?:[\w.'’/-]+ ){{0,3}}?[\w.'’/-]+) (?=(?:\w+ly )?{_VERB}\b)",
    re.IGNORECASE,
)
_KIN = (
    r"(?:parents?|mother|mom|mum|father|dad|sister|brother|son|daughter|kids?|child|children|wife|husband|partner|girlfriend"
    r"|boyfriend|friends?|colleagues?|coworkers?|boss|manager|teammates?|flatmate|roommate|family|cat|dog|client|customer)"
)
_OTHERS = lazy(rf"the user['’]s (?:\w+ ){{0,2}}?({_KIN})\b", re.IGNORECASE)
_CHINESE_OTHERS = lazy(
    r"(?:用户|我)的?(父母|爸妈|爸爸|妈妈|父亲|母亲|儿子|女儿|孩子|老婆|老公|妻子|丈夫|对象|同事|朋友|室友|老板|领导|弟弟|妹妹|哥哥|姐姐|家人|客户|猫|狗)"
)
_USER = lazy(r"the user\b", re.IGNORECASE)
_SCOPE = lazy(
    r"\b(?:for|within|inside) (?!everything|all\b|most|good|now|the (?:time|moment|future))"
    r"((?:the |our |my |an? )?(?:[\w.-]+ ?){1,3})|^(?:in|on|at) ((?:the |our |my )?(?:[\w.-]+ ?){1,3}?)(?:,| (?:i|we|the|you)\b)",
    re.IGNORECASE,
)
_TIMES = content_words(
    "week month year day monday tuesday wednesday thursday friday today tomorrow last next future general"
)


def other_owner(held: str, fact: str) -> bool:
    """Whether two facts name subjects that have no word in common; one that names none may be about any."""
    one, other = _subject(held), _subject(fact)
    return bool(one and other and not one & other)


def new_scope(held: str, said: str) -> bool:
    """Whether a sentence restricts itself ("for release branches") to what the held fact does not speak of."""
    return any(
        words and not words & content_words(held)
        for found in _SCOPE.finditer(said)
        if (words := content_words(found[1] or found[2]) - FRAME - _TIMES)
    )


def _subject(text: str) -> frozenset[str]:
    matched = simplified(text)
    if kin := _OTHERS.match(matched) or _CHINESE_OTHERS.match(matched):
        return frozenset({kin[1].casefold()})
    if _USER.match(matched) or matched.startswith("用户"):
        return frozenset({"the user"})
    found = _SUBJECT.match(matched)
    return content_words(found[1]) if found else frozenset()

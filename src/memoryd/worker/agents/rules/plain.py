"""A plain statement: one sentence that gives the value of an attribute, and neither asks, orders, doubts nor passes.

"Our CI runs on Buildkite" is worth keeping although it weighs little: nothing but what it says can be meant by it.
"""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

import re

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.attributes import attributes_of, without_name
from memoryd.worker.agents.rules.chinese_words import regex as chinese_regex
from memoryd.worker.agents.rules.languages import CHINESE, ENGLISH
from memoryd.worker.agents.rules.patterns import Kind, Language
from memoryd.worker.agents.rules.sentences import Sentence, after_opener, clauses

MOST = 14, 34  #: English words, Chinese characters of the clause that states
MOST_ALONE = 10, 24  #: of one that needs no name in it, where a prompt says nothing else
MAX_CLAUSES = 3

_PASSING = lazy(
    r"\b(?:wrong|missing|broken|fail\w*|errors? (?!track|go|get|are)|crash\w*(?! report)|stuck|slow|down|leak\w*|weird|strange|odd|maybe|perhaps|probably"
    r"|should|could|would|might|must|can|cannot|can['’]?t|try|trying|tried|let['’]?s|let me|if|whether|today|tonight|tomorrow|yesterday|ago"
    r"|right now|for now|for once|this (?:week|time|once|task|one|function|file|test|error|code|line|class|method|pr|bug|way|morning)"
    r"|that|these|those|says?|said|see|look|why|how|what|temporar\w*|until|unless|he|she|they|his|her|their|supposed|think|guess|need|needs|want|wants"
    r"|going to|gonna|will|again|still|already|yet|only \d+|too|any|some|you|was|were|had|did|red|green|behind|ahead|waiting|works|commits?|messages? (?!queue|broker)|this exercise|every time|keeps|empty|null|none|ready|done|fine|ok|free|open|closed|full)\b",
    re.IGNORECASE,
)
_CHINESE_PASSING = chinese_regex(
    r"<TROUBLE>|<POINTS>|今天|明天|昨天|暂时|临时|这次|一会|如果|要是|[吗呢吧]|怎么|什么|为什么|能不能|可以|应该|可能|大概|好像|(?<!测)试|帮|请|看看|看一下|先|再|还没|还是"
    r"|报[错了]|[挂绿红]了|上挂|失败|不对|不行|没[有用]|[跑改写查弄做加删修]一?下|别|不要|不能|不许|必须|你|(?<!跟我)说|从来|记得|记住|几$|多少|老板|什么时候"
)
_CLAUSE_END = lazy(r"[,;](?=\s)|[，；]|\s+[-–—]+\s+")  #: "editor: Zed" is one
#: what begins like an order: "port 8081", "test runner: vitest"
_NAME_AND_VALUE = lazy(r"(?:\w+ )?\w+(?: ?[:=]| \d)|test (?:runner|framework|command)\b", re.IGNORECASE)
_FOR_NOW = lazy(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|for now|this (?:week|once|time))\b|今天|明天|昨天|暂时|临时|这次|\b(?:ignore|sorry|nvm|never mind)\b",
    re.IGNORECASE,
)
_NAMED = lazy(r"\w*[A-Z]\w*|\d[\w.:/-]*|`[^`]+`|[\u4e00-\u9fff\x1a]|[\w-]+/[\w-]+")
#: what people give a value of in plain Chinese words; of another attribute it is a name, a number or a day
OF_PEOPLE = frozenset(
    row.strip()
    for row in """
    city, employer, job title, name, nickname, age, birthday, pronouns, native language, working hours, commute, car, bike
    drink, diet, pet, sport, instrument, hobby, music, answer style, answer length, answer language
    """.replace("\n", ",").split(",")
) - {""}
_CHINESE_VALUE = lazy(r"[A-Za-z]\w|\d|[周星]期?[一二三四五六日天]|每|点$|\x1a")
_OURS = lazy(r"(?:my|our)\b|[我咱]", re.IGNORECASE)


def states_plainly(sentence: Sentence, language: Language) -> bool:
    """Whether the first clause of a sentence gives a named value to an attribute, and all of it stands by itself."""
    bounds = clauses(sentence.masked, _CLAUSE_END)
    if len(bounds) > (MAX_CLAUSES if sentence.only else 2):
        return False
    start, end = bounds[0] if bounds else (0, 0)
    start, _ = after_opener(sentence.masked, start, end, language)
    said = sentence.masked[start:end].rstrip(".。!！ ")
    if not _is_short(said, language) or _asks(sentence, said, language):
        return False
    passing = _PASSING if language is ENGLISH else _CHINESE_PASSING
    if passing.search(said) or _FOR_NOW.search(sentence.masked) or language.changed.search(said):
        return False
    given = attributes_of(language.render(Kind.PERSON, said))
    known = any(not attribute.startswith("own ") for attribute in given)
    named = _NAMED.search(said, len(said.split(" ")[0])) if language is ENGLISH else len(said) > 3
    if language is CHINESE and known and not (given & OF_PEOPLE or _CHINESE_VALUE.search(without_name(said))):
        return False
    if sentence.only and _is_short(said, language, MOST_ALONE):
        return bool(known or (named and given and _OURS.match(said)))
    return bool(known and named)


def _is_short(said: str, language: Language, most: tuple[int, int] = MOST) -> bool:
    words, chars = most
    return 2 <= len(said.split()) <= words if language is ENGLISH else 4 <= len(said) <= chars


def _asks(sentence: Sentence, said: str, language: Language) -> bool:
    named = _NAME_AND_VALUE.match(said)
    return bool(language.question.match(sentence.masked) or (not named and language.request.match(said)))

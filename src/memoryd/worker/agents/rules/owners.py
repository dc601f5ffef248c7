"""Whose fact it is, and where it holds: what is said of another subject, or of one place more, replaces nothing."""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

import re

from memoryd.memory.words import content_words
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.attributes import without_frames, without_name
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.known_values import named_values
from memoryd.worker.agents.rules.languages import ENGLISH, language_of
from memoryd.worker.agents.rules.topics import FRAME

_PRONOUN = r"(?:this|that|it|there|here|what|which|who|i|we|you|he|she|they|everything|all|everyone|please|always|never|its|im|ive|i[’']m|on|in|at|got|just|as|from|now|since|nowadays|not|too|starting|driving|using|running)"
_VERB = (
    r"(?:is|are|was|were|has|have|had|now|moved|moves|switched|changed|migrated|went|uses?|runs?|goes|lives?|happens?|must|should"
    r"|will|can|gets?|got|needs?|works?|targets?|joined|left|reviews?|likes?|prefers?|wants?|stays?|became|starts?)"
)
_SUBJECT = lazy(
    rf"(?:the |our |all |new |this (?:repo|project)'s )?(?!{_PRONOUN}\b)((?:[\w.'’/-]+ ){{0,3}}?[\w.'’/-]+) (?=(?:\w+ly )?{_VERB}\b)",
    re.IGNORECASE,
)
_BEARER = lazy(
    rf"(?:the user['’]s |the |our |my |all |this (?:repo|project)'s )?(?!{_PRONOUN}\b|(?:the )?user\b)((?:[\w.’/-]+ ){{0,3}}?[\w.’/-]+)"
    rf"(?:['’]s)? (?=(?:\w+ly )?{_VERB}\b)",
    re.IGNORECASE,
)
#: what stands in front of the verb of a Chinese fact that gives something another value
_CHINESE_BEARER = lazy(
    r"(?:以后|今后|现在|目前|如今|我们|咱们|用户|上周|上个?月|昨天|今天|最近|刚刚?|已经|[把将从的])*([\u4e00-\u9fffA-Za-z]{2,6}?)(?:里|上)? *(?:现在|已经|以后|目前)*(?:都|统一|全)? *(?:改用|改成|改为|置换成|换成|换到|用|有|部署在|放在|跑在|是)"
)
#: words of a subject that tell no project from another, and no thing of one from its next
_GENERIC = content_words(
    "project repo repository service app application system code codebase production prod team company daily main"
    " primary default current new old regular deploys deployments lockfile lock file queries query base favourite favorite coding personal whole everything stack setup one thing"
    " 以后 今后 项目 服务 这个 个项 团队 公司 系统 统现 现在 线上 这边 我们 主力 默认 新的 平时 最近 目前 用户 户现 在我 我的"
)
_KIN = (
    r"(?:parents?|mother|mom|mum|father|dad|sister|brother|son|daughter|boy|girl|kids?|child|children|wife|husband|partner|girlfriend"
    r"|boyfriend|friends?|colleagues?|coworkers?|boss|manager|teammates?|flatmate|roommate|neighbou?rs?|uncle|aunt|cousin|niece|nephew|grandma|grandpa|family|cat|dog|client|customer)"
)
_OTHERS = lazy(rf"(?:the user['’]s|my) (?:\w+ ){{0,2}}?({_KIN})\b", re.IGNORECASE)
_SAME_KIN = {
    **dict.fromkeys(
        ("son", "daughter", "kid", "kids", "child", "children", "boy", "girl", "儿子", "女儿", "孩子"), "child"
    ),
    **dict.fromkeys(("wife", "husband", "partner", "老婆", "老公", "妻子", "丈夫", "对象"), "partner"),
}
_CHINESE_SCOPE = lazy(r"(?:写|做|在|给)?([\u4e00-\u9fffA-Za-z]{1,8}?)的?(?:时候|情况下)")
_CHINESE_OTHERS = lazy(
    r"(?:(?:用户|我|我们)的?|我?家)?(父母|爸妈|爸爸|妈妈|父亲|母亲|儿子|女儿|孩子|老婆|老公|妻子|丈夫|对象|同事|朋友|室友|老板|领导|弟弟|妹妹|哥哥|姐姐|家人|客户|猫|狗)"
)
_HE = lazy(r"(?:he|she|they)\b|[他她]", re.IGNORECASE)
_USER = lazy(r"the user\b", re.IGNORECASE)
_SCOPE = lazy(
    r"\b(?:for|within|inside) (?!everything|all\b|most|good|now|(?:an? |half |\d+ |\w+ )*(?:hours?|minutes?|days?|weeks?|months?|years?)\b|the (?:time|moment|future))"
    r"((?:the |our |my |an? )?(?:[\w.-]+ ?){1,3})|^(?:in|on|at) ((?:the |our |my )?(?:[\w.-]+ ?){1,3}?)(?:,| (?:i|we|the|you)\b)",
    re.IGNORECASE,
)
_TIMES = content_words(
    "week month year day monday tuesday wednesday thursday friday today tomorrow last next future general morning afternoon evening night weekend weekends lunch sprint quarter"
)


def other_owner(held: str, fact: str) -> bool:
    """Whether two facts name subjects that have no word in common; one that names none may be about any."""
    one, other = _subject(held), _subject(fact)
    return bool(one and other and not one & other)


def other_bearer(held: str, fact: str) -> bool:
    """Whether a fact is about somebody or something that another does not speak of: "my wife", "the metrics endpoint"."""
    if _kin(held) != _kin(fact) and not (_kin(held) and _HE.match(fact)):
        return True
    if _kin(fact) or language_of(held) is not language_of(fact):
        return False
    bearer = _bearer(fact) - _GENERIC
    return bool(bearer) and not bearer & content_words(simplified(held))


def new_scope(held: str, said: str) -> bool:
    """Whether a sentence restricts itself ("for release branches") to what the held fact does not speak of."""
    scope = _scope(said) if language_of(held) is language_of(said) else frozenset()
    return bool(scope) and not scope & content_words(held)


def elsewhere(held: str, said: str) -> bool:
    """Whether a fact holds for one place ("for caching"), and a sentence that names its value speaks of another thing."""
    if _kin(held) != _kin(said):
        return True
    scope = _scope(held)
    return bool(scope) and language_of(held) is language_of(said) and not scope & content_words(said)


def _scope(text: str) -> frozenset[str]:
    """The words of the places that a text restricts itself to."""
    found = [match[1] or match[2] for match in _SCOPE.finditer(text)]
    found += [match[1] for match in _CHINESE_SCOPE.finditer(simplified(text))]
    return frozenset().union(*(content_words(without_name(words)) for words in found)) - FRAME - _TIMES - _GENERIC


def _bearer(text: str) -> frozenset[str]:
    """The words of what a fact is about beside the person, the project and the attribute itself."""
    matched = simplified(text)
    if language_of(text) is ENGLISH:
        found = _BEARER.match(matched)
        named = _without_values(found[1]) if found else ""
    else:
        found = _CHINESE_BEARER.match(without_name(matched))
        named = without_frames(_without_values(found[1])) if found else ""
    return content_words(without_name(named))


def _without_values(phrase: str) -> str:
    """What a phrase says beside the values that it names: "on Helix now" is about nothing of that name."""
    for _, value in named_values(simplified(phrase)):
        phrase = re.sub(re.escape(value), " ", phrase, flags=re.IGNORECASE)
    return phrase


def _kin(text: str) -> str:
    """Whom of the person's a fact is about, '' when it is about themselves or a thing."""
    matched = simplified(text)
    found = _OTHERS.match(matched) or _CHINESE_OTHERS.match(matched)
    return _SAME_KIN.get(found[1].casefold(), found[1].casefold()) if found else ""


def _subject(text: str) -> frozenset[str]:
    matched = simplified(text)
    if kin := _kin(text):
        return frozenset({kin})
    if _USER.match(matched) or matched.startswith("用户"):
        return frozenset({"the user"})
    found = _SUBJECT.match(matched)
    return content_words(found[1]) if found else frozenset()

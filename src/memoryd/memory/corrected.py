"""What a user's own words correct: "no, use X", "don't use Y, use X", 不要用 Y，用 X. Pure; English and Chinese.

One correction proves little and may be read wrongly: only those that come again become an instinct. So more is taken
for one here than the rules take for a lasting fact.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memoryd.memory.quality import passing
from memoryd.memory.scan import threats
from memoryd.memory.spans import BLANK, unquoted
from memoryd.memory.text import cut, fold
from memoryd.memory.words import content_words

MAX_SAID_CHARS, MAX_TERM_WORDS, MAX_OF_PROMPT = 160, 6, 2
READ_CHARS = 500  #: of a prompt: what reacts to the turn before stands in its beginning

_DO = r"(?:use|using|run|running|call|calling|write|writing|put|putting|take|prefer|try|add|adding)"
_ALSO_DO = rf"(?:{_DO}|do|make|keep|say)"
_ZH_DO = "(?:(?<![使常费专通引作信应滥])使?用(?![户例法途处来的])|改用|换成|改成|跑|运行|调用|写|执行)"
_DONT, _ZH_DONT = r"(?:don['’]?t|do not|never|stop)", "(?:不要|别|不许|禁止|不准|不能)再?"
_TERM = r"(?:[^,;:!?.，。；：！？、\n]|\.(?=\S)){1,60}?"
_USE, _NOT = rf"(?P<use>{_TERM})", rf"(?P<not>{_TERM})"
_END = r"(?=\s*(?:[,;!?，。；！？、]|\.(?:\s|$)|$))"


#: both sides are named, anywhere in a line
_BOTH = (
    rf"\b{_DO}\s+{_USE}\s*(?:,?\s*(?:instead of|rather than|in place of)|(?:,|\band)\s*(?:not|never))\s+"
    rf"(?:{_DO}\s+)?{_NOT}",
    rf"\b(?:{_DONT}|no more|avoid)\s+{_DO}\s+{_NOT}\s*(?:[,;.—–-]+|and|but)\s*"
    rf"(?:please\s+|always\s+|just\s+)*{_DO}\s+{_USE}",
    rf"(?:{_ZH_DONT}(?:{_ZH_DO}|加)|不再?使?用)\s*{_NOT}\s*[，,、；;。]?\s*(?:要|请|应该|而是|就|得)*{_ZH_DO}\s*{_USE}",
    rf"{_ZH_DO}\s*{_USE}\s*[，,]?\s*(?:而不是|而非|代替|不是|不用|(?:不要|别)再?{_ZH_DO})\s*{_NOT}",
)
#: one sentence, in a prompt that reacts to something
_ALONE = (
    rf"{_DONT}\s+(?P<not>\w+\s+{_TERM})",
    rf"{_ZH_DONT}{_NOT}",
    rf"{_USE}\s*,?\s*\bnot\s+{_NOT}",
    rf"把?{_NOT}(?:改成|换成|改为|换为)\s*{_USE}",
    rf"{_ALSO_DO}\s+{_USE}",
    rf"{_ZH_DO}\s*{_USE}",
)
_WRONG = r"that(?:['’]s| is) (?:wrong|not (?:it|right|what i \w+))|not (?:like )?(?:that|this)"
_TOLD_YOU = r"(?:as )?i (?:already )?(?:said|told you|asked)(?: you)?(?: to)?"
_ZH_WRONG = (
    "不对|不是(?:这样|的)?|又?错了|不行|别这样|不要这样|都说了|说过多少[次遍]了?"
    "|跟你说过?了?|我(?:都|已经|刚)?说(?:过了?|了)"
)
_REACTS = re.compile(
    rf"\s*(?:(?:no+|nope|nah|wrong|stop|{_WRONG}|{_TOLD_YOU})\b|again[,!]|{_ZH_WRONG}|[停不][，,！!。])", re.IGNORECASE
)
_OPENING = re.compile(
    rf"(?:(?:no+|nope|nah|wrong|stop(?: (?:it|that))?(?=\s*[,.!;])|{_WRONG}|{_TOLD_YOU})\b"
    rf"|(?:again|actually|please|hey|just)\b|{_ZH_WRONG}|[停不](?=[，,！!。])|请|应该)[\s,，.。:：;!！、—–-]*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
_LINE_END = re.compile(r"\n")
#: the end of what stands before somebody else's word
_REPORTS = re.compile(
    r"\b(?:says?|said|writes?|wrote|reads|suggest(?:s|ed)?|recommend(?:s|ed)?|claim(?:s|ed)?|told|tells|comment(?:s|ed)?:"
    r"|advi[cs]e[sd]?:?)(?:\s+(?:to|that|you|me|us|one|should|must))*[\s:,]*$|\baccording to [^,;:]*[,;:]\s*$"
    r"|(?:(?<![再都])说|写着|写道|写的是|建议|认为|(?:评论|提示)[:：])(?:是|道)?[\s:：，,]*$",
    re.IGNORECASE,
)
_BY_USER = re.compile(r"\b(?:I|we|my|let['’]s)\b|[我咱]", re.IGNORECASE)
#: it holds here and now
_THIS_TIME = re.compile(
    r"\b(?:this (?:time|once)|just (?:once|here)|in this (?:file|case|one|branch|pr|commit|test))\b|[这本]一?[次回]"
    "|[这本]个?(?:文件|分支|提交|测试)里?",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:\s+(?:please|instead|here|again|for (?:this|that|it)|from now on|ok(?:ay)?|always|everywhere|too))+$"
    r"|(?:吧|啊|呀|哦|好吗|了|才对|才行|来)+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One correction; at least one of `use` and `instead_of` says something."""

    use: str = ""  #: what is right
    instead_of: str = ""  #: what is wrong
    said: str  #: the clause that says so, in the user's words

    @property
    def key(self) -> str:
        """What makes two corrections the same: the words that tell what is wrong and what is right."""
        return f"{_key(self.instead_of)} > {_key(self.use)}"

    def opposes(self, other: "Correction") -> bool:
        """Whether both cannot hold: what one wants the other forbids, or they want different things in one place."""
        wanted, forbidden = _key(self.use), _key(self.instead_of)
        if wanted and wanted == _key(other.instead_of):
            return True
        if forbidden and forbidden == _key(other.use):
            return True
        return (
            bool(forbidden and wanted and other.use)
            and forbidden == _key(other.instead_of)
            and wanted != _key(other.use)
        )


def corrections(own: str) -> tuple[Correction, ...]:
    """Return what a user's own words correct, at most two of a prompt; what they quote or report is not theirs."""
    text = _Words(own, unquoted(own)).part(0, READ_CHARS)
    reacts = bool(_REACTS.match(text.masked))
    found = {one.key: one for line in text.split(_LINE_END) for one in _of(line, reacts=reacts)}
    return tuple(found.values())[:MAX_OF_PROMPT]


@dataclass(frozen=True, slots=True)
class _Words:
    """Some words, and their copy of equal length in which no pattern reads what is quoted."""

    raw: str
    masked: str

    def part(self, start: int, end: int | None = None) -> "_Words":
        """The words between two places, without the white space around them."""
        masked = self.masked[start:end]
        start += len(masked) - len(masked.lstrip())
        return _Words(self.raw[start : start + len(masked.strip())], masked.strip())

    def split(self, gap: re.Pattern[str]) -> Iterator["_Words"]:
        at = 0
        for found in gap.finditer(self.masked):
            yield self.part(at, found.start())
            at = found.end()
        yield self.part(at)


@cache
def _compiled(forms: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Compiled when the first prompt comes: it takes a while, and a daemon that starts has none to read."""
    return tuple(re.compile(rf"(?P<act>{form}){_END}", re.IGNORECASE) for form in forms)


def _of(line: _Words, *, reacts: bool) -> Iterator[Correction]:
    """What a line corrects. A sentence that names only one side counts in a prompt that reacts to something."""
    places = [found for pattern in _compiled(_BOTH) for found in pattern.finditer(line.masked)]
    both = list(filter(None, (_correction(line, found) for found in places)))
    yield from both
    if reacts and not both:
        yield from filter(None, map(_one_sided, line.split(_SENTENCE)))


def _one_sided(sentence: _Words) -> Correction | None:
    while opened := _OPENING.match(sentence.masked):  # "no, I said"
        sentence = sentence.part(opened.end())
    found = next(filter(None, (pattern.match(sentence.masked) for pattern in _compiled(_ALONE))), None)
    return _correction(sentence, found) if found else None


def _correction(words: _Words, found: re.Match[str]) -> Correction | None:
    named = {side: _term(words.raw[slice(*found.span(side))]) for side in ("use", "not") if _names(found, side)}
    use, wrong = named.get("use", ""), named.get("not", "")
    said = _trimmed(cut(words.raw[slice(*found.span("act"))], MAX_SAID_CHARS))
    asks = words.masked[found.end() :].lstrip().startswith(("?", "？"))
    telling = all(0 < len(content_words(term)) <= MAX_TERM_WORDS for term in named.values())
    if asks or not telling or _key(use) == _key(wrong) or threats(said) or not _holds(words.masked, found):
        return None
    return Correction(use=use, instead_of=wrong, said=said)


def _names(found: re.Match[str], side: str) -> bool:
    return found.groupdict().get(side) is not None


def _holds(masked: str, found: re.Match[str]) -> bool:
    """Whether the sentence around a clause makes it neither somebody else's word nor one for the moment."""
    before, after = (_SENTENCE.split(part) for part in (masked[: found.start()], masked[found.end() :]))
    reported = _REPORTS.search(before[-1]) and not _BY_USER.search(before[-1])
    sentence = f"{before[-1]}{found['act']}{after[0]}"
    return not (reported or _THIS_TIME.search(sentence) or passing(sentence))


def _term(text: str) -> str:
    """What one side names: a name in quotation marks is the name."""
    term = _trimmed(text)
    return term[1:-1] if len(term) > len('""') and set(unquoted(term)[1:-1]) == {BLANK} else term


def _trimmed(text: str) -> str:
    return _FILLER.sub("", text.strip()).strip()


def _key(term: str) -> str:
    return " ".join(sorted(content_words(fold(term))))

"""What the form of a text says of how well it may answer, before a question is known.

A question seldom holds an answer, a few words say little, and who asks when wants a text that names a time. The numbers
were chosen by cross-validation over public conversations (bench/README.md).
"""

import math
import re

from memoryd.memory.text import tokens

ENDS_ASKING, ASKS = 0.85, 0.9  #: worth of a text whose last words, or some of whose words, ask
ENOUGH_TOKENS = 50  #: a text from this length on loses nothing
SHORTNESS = 0.15  #: exponent of the share of these tokens that a text has
TIMED_BOOST = 1.2  #: of a text that names a time, for a query that asks when

_SPEAKER = re.compile(r"\s*([^\W\d_][\w.'’ -]{0,39})(?::\s+|：)(?=\S)")
_DAY = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_MONTH = r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
_TIME = re.compile(
    rf"{_DAY}|{_MONTH}|\b(?:yesterday|today|tonight|tomorrow|ago|last|next|recently|weekend|week|month|year|just)\b"
    r"|\bthis (?:morning|afternoon|evening|past)\b|\b\d{4}\b"
    r"|[今明昨前后去]天|[今去明前]年|[上下这本](?:个)?(?:周|星期|礼拜|月)|周[一二三四五六日末]|星期[一二三四五六日天]"
    r"|\d+ ?[年月日号点]|刚刚|刚才|最近",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:which|what) (?:day|date|week|month|year|time)\b"
    r"|什么时候|何时|几时|哪[天年月]|哪一[天年]|几[月号点]|多久|什么时间",
    re.IGNORECASE,
)


def worth(text: str) -> float:
    """Return 0 to 1: how much of its relevance a text keeps."""
    asking = ENDS_ASKING if text.rstrip().endswith(("?", "？")) else ASKS if asks(text) else 1.0
    share = min(1.0, max(1, tokens(text)) / ENOUGH_TOKENS)
    return asking * math.pow(share, SHORTNESS)


def asks(text: str) -> bool:
    return "?" in text or "？" in text


def names_time(text: str) -> bool:
    return _TIME.search(text) is not None


def asks_when(query: str) -> bool:
    return _WHEN.search(query) is not None


def speaker(text: str) -> str:
    """Return the `Name` that a text begins with before a colon; '' without one."""
    label = _SPEAKER.match(text)
    return label[1] if label else ""


def unlabelled(text: str) -> str:
    """Return a text without the `Name:` that it begins with: who speaks there says nothing of the texts around it."""
    label = _SPEAKER.match(text)
    return text[label.end() :] if label else text

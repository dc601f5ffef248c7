"""Chinese cues: how much the characters of a sentence speak for a lasting statement of the user.

A sentence is weighed by its characters and pairs of characters, each counted once: particles, auxiliaries and the verbs
of habit, duty and request tell a rule from a task whatever its topic is. Latin words, names of symbols, numbers and
quotations count by their shape alone. Linear: a character costs two look-ups.
"""

import re
from functools import cache

from memoryd.worker.agents.rules.chinese_weights import BASE, WEIGHTS
from memoryd.worker.agents.rules.patterns import Kind

_QUOTED = re.compile("\x1a+")
_LATIN = re.compile(r"[A-Za-z][\w./+#-]*(?:\(\))?")
_SYMBOL = re.compile(r"[a-z]\.[a-z]|[(_/]")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_SPACE = re.compile(r"\s+")
_PAUSE = re.compile(r"[：:；]")
_END = re.compile(r"[。，！!？?~～…]+$")


def weigh(masked: str) -> int:
    """Return how much speaks for a lasting statement, in tenths of a logit; 0 is as likely as not."""
    known = _weights()
    return (BASE + sum(known.get(cue, 0) for cue in cues_in(masked))) // 10


def cues_in(masked: str) -> set[str]:
    """Return the characters and pairs of characters of a sentence: Q a quotation, F a symbol, A a word, 9 a number."""
    text = _QUOTED.sub("Q", masked)
    text = _LATIN.sub(lambda m: "F" if _SYMBOL.search(m[0]) else "A", text)
    text = _SPACE.sub("", _NUMBER.sub("9", text))
    text = f"，{_PAUSE.sub('，', _END.sub('', text))}，"
    return {*text, *(text[n : n + 2] for n in range(len(text) - 1))}


@cache
def _weights() -> dict[str, int]:
    return {cue: weight for weight, cues in WEIGHTS.items() for cue in cues.split(" ")}


_PERSON = re.compile(r"(?:.*，)?.{0,4}(?:我|本人)(?!们|司)(?!.{0,6}(?:喜欢|讨厌|习惯|希望|想))")
_LIKING = re.compile(r".*(?:喜欢|讨厌|习惯|偏|爱|烦|受不了|回答|回复|解释|讲|说)")
_FACT = re.compile(r".{0,14}(?:是|在|叫|跑|用的|部署|托管)")
_DUTY = re.compile(r".*(?:要|得|别|不|都|必|须|请|先|用|只)")


def kind_of(masked: str) -> Kind:
    """Return what a lasting statement that no pattern knows is about."""
    if _PERSON.match(masked):
        return Kind.PERSON
    if _LIKING.match(masked):
        return Kind.PREFERENCE
    return Kind.PROJECT if _FACT.match(masked) and not _DUTY.match(masked) else Kind.RULE

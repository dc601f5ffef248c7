"""Chinese characters: the signs that a sentence is weighed by, and what a lasting one is about."""

import re

from memoryd.worker.agents.rules.caches import kept_for_a_run
from memoryd.worker.agents.rules.patterns import Kind

_QUOTED = re.compile("\x1a+")
_LATIN = re.compile(r"[A-Za-z][\w./+#-]*(?:\(\))?")
_SYMBOL = re.compile(r"[a-z]\.[a-z]|[(_/]")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_SPACE = re.compile(r"\s+")
_PAUSE = re.compile(r"[：:；]")
_SIZES, _LONGEST = ((8, "short"), (16, "middle"), (30, "long")), "very long"
_END = re.compile(r"[。，！!？?~～…]+$")


def grams(masked: str) -> frozenset[str]:
    """Return the characters of a sentence and their runs of two and three.

    Q is a quotation, F a symbol, A a Latin word, 9 a number, ， any pause; `^...` opens the sentence.
    """
    text = _plain(masked)
    runs = {text[n : n + k] for k in (1, 2, 3) for n in range(len(text) - k + 1)}
    opening = {sign for gram in openers(masked) for sign in (f"^{gram}", f"^{gram}~{_size(text)}")}
    return frozenset(runs | opening | {f"~{_size(text)}"})


def openers(masked: str) -> frozenset[str]:
    """Return the one, two and three characters that open a sentence."""
    text = _plain(masked)
    return frozenset(text[1 : 1 + k] for k in (1, 2, 3))


@kept_for_a_run
def _plain(masked: str) -> str:
    text = _QUOTED.sub("Q", masked)
    text = _LATIN.sub(lambda m: "F" if _SYMBOL.search(m[0]) else "A", text)
    text = _SPACE.sub("", _NUMBER.sub("9", text))
    return f"，{_PAUSE.sub('，', _END.sub('', text))}，"


def _size(text: str) -> str:
    return next((name for most, name in _SIZES if len(text) < most), _LONGEST)


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

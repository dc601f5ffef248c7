"""The terms that a user sets while they work: what must and must not be done here, and what was decided.

They hold for the session that they were said in, so more is taken for one than the rules take for a lasting fact: what
is told back is the user's own sentence, and one too many does no harm. English and Chinese; pure; linear.
"""

import re
from collections.abc import Iterator
from typing import Literal

from memoryd.memory.spans import own_words
from memoryd.memory.text import bare, effective
from memoryd.patterns import lazy

MAX_PROMPT_CHARS = 4_000  #: of a prompt; what follows is material
MAX_TERM_CHARS, LEAST_CHARS = 240, 4

Term = tuple[Literal["constraint", "decision"], str]

_SENTENCE_END = lazy(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
_ASKED = ("?", "？")
_CONSTRAINT = lazy(
    r"\b(?:always|never|must|must ?n['’]?t|avoid|make sure|ensure|stick to|off[- ]limits|(?:is|are) not allowed"
    r"|no (?:new|more|other|third[- ]party)|at (?:most|least)|up to \d|unless i"
    r"|only (?:if|use|touch|change|edit|in|the)"
    r"|without (?:touching|changing|breaking|adding|using|asking|any)"
    r"|leave [^.]{1,60} (?:alone|untouched|as (?:it is|they are|is))|keep (?:it|the|all|every|your|to|in mind))\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\byou )(?<!\bwhy )\b(?:do not|don['’]?t)\b"
    r"(?! (?:worry|know|think|mind|you)\b)"
    r"|必须|务必|一定要|不要|不许|不准|不得|禁止|不能(?=[改动用删加碰把写])|别(?![的人名处担])|只(?=[能许准用改动在])|千万|始终|一律"
    r"|避免|除非我|至少|最多|不超过|保持.{1,20}不变",
    re.IGNORECASE,
)
_DECISION = lazy(
    r"\b(?:let['’]?s (?:go|use|keep|do it|stick|take|stay)|(?:i|we)(?:['’]ve| have)? (?:decided|chose|agreed|settled)"
    r"|go(?:ing)? with|switch(?:ing)? to|settled? on|instead of|rather than|decision\s*:"
    r"|(?:option|variant|plan) [a-d1-9])\b"
    r"|决定|就用|改用|换成|选用|采用|定为|敲定|就按|而不是|代替|按(?=方案|第)|选(?=方案|第|择了)",
    re.IGNORECASE,
)


def terms(prompt: str) -> Iterator[Term]:
    """Yield the terms of a prompt in its order, each a whole sentence of at most 240 characters."""
    for sentence in _SENTENCE_END.split(own_words(prompt[:MAX_PROMPT_CHARS])):
        said = " ".join(bare(sentence).split())
        if len(said) > MAX_TERM_CHARS or len(effective(said)) < LEAST_CHARS or said.endswith(_ASKED):
            continue
        if _CONSTRAINT.search(said):
            yield "constraint", said
        elif _DECISION.search(said):
            yield "decision", said

"""A way of working in the user's own words: "when you release, do 1. run the tests 2. tag it". Pure."""

import re
from collections.abc import Iterable

from memoryd.memory.scan import threats
from memoryd.memory.text import cut, fold

MAX_STEPS, MAX_STEP_CHARS, MAX_NAME_CHARS = 12, 160, 80
_WHAT_FOR = (
    re.compile(
        r"\b(?P<name>(?:when(?:ever)?|before|after|each time|every time)\s+[^\n:,;.?!]{3,80}"
        r"|(?:how to|to)\s+[^\n:,;.?!]{3,60})\s*[,:]",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<name>[^\s，。：:,；;？！]{2,30}?(?:的时候|时|之前|之后|以前|以后|前|后|的步骤|的流程))"
        r"(?:[，,：:]|请|要|需要|应该|先)"
    ),
)
_NUMBER = re.compile(
    r"(?:(?<=\s)|(?<=[，,。；;：:、])|^)(?:step\s+)?(\d{1,2})[.)、．：:]\s*(?=\D)", re.IGNORECASE | re.MULTILINE
)
_WORDS = re.compile(
    r"(?:^|[,;，；。.]?\s*)(?:\b(?:first(?:ly)?|then|next|after that|finally|lastly)\b,?|先|再|接着|然后|之后|最后)\s*",
    re.IGNORECASE,
)
_ENDS = " \t,;，；。、."
_FIRST = re.compile(r"\bfirst(?:ly)?\b|先", re.IGNORECASE)


def procedures(own: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each way of working that a user's own words tell, with what it is for and its steps, two at least."""
    found = []
    for pattern in _WHAT_FOR:
        for what in pattern.finditer(own):
            rest = own[what.start("name") + len(what["name"]) :]
            steps = _numbered(rest) or _in_order(rest)
            if len(steps) >= 2 and not threats("\n".join(steps)):
                found.append((cut(" ".join(what["name"].split()), MAX_NAME_CHARS), steps))
                break  # one a language: what follows is part of its steps
    return tuple(found[:1])


def _numbered(text: str) -> tuple[str, ...]:
    """The items 1, 2, 3 ... that a text counts; the last one ends with its line."""
    run = list[re.Match[str]]()
    for mark in _NUMBER.finditer(text):
        if int(mark[1]) == len(run) + 1:
            run.append(mark)
    ends = [mark.start() for mark in run[1:]]
    if run:
        line = text.find("\n", run[-1].end())
        ends.append(line if line >= 0 else len(text))
    return _steps(text[mark.end() : end] for mark, end in zip(run, ends, strict=True))


def _in_order(text: str) -> tuple[str, ...]:
    """The clauses of one sentence that says first, then, finally."""
    sentence = re.split(r"[。!?！？\n]|\.\s", text, maxsplit=1)[0]
    first = _FIRST.search(sentence)
    if first is None:
        return ()
    return _steps(_WORDS.split(sentence[first.start() :]))


def _steps(parts: Iterable[str]) -> tuple[str, ...]:
    texts = (cut(" ".join(part.split()).strip(_ENDS), MAX_STEP_CHARS) for part in parts)
    said = [text for text in texts if len(fold(text)) > 1]
    return tuple(said[:MAX_STEPS])

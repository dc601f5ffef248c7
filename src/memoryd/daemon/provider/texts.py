"""What goes to a provider and what comes from it, as text: words to look for, rows to show. Pure."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memoryd.daemon.provider.settings import strings
from memoryd.ipc.sanitise import sanitise, within
from memoryd.memory.fence import clean, quoted
from memoryd.memory.text import cut
from memoryd.memory.words import CJK, content_words
from memoryd.patterns import lazy

MAX_WORDS = 4  #: of a prompt that are looked for, each by a call of its own
MAX_ROWS, ROW_CHARS = 10, 400  #: of an answer
READ_CHARS = 2_000  #: of a row, before it is cleaned
VALUE_CHARS = 8_000  #: of one text that is sent
_PART = lazy(rf"[{CJK}]+|[^\W_{CJK}][\w.@:/+-]*[^\W_]")


def telling(prompt: str) -> list[str]:
    """The words that a prompt may be about, the longest first; pairs of characters of a script without spaces."""
    found = [word for part in _PART.findall(prompt) for word in _words(part)]
    return sorted(dict.fromkeys(found), key=lambda word: -len(word))[:MAX_WORDS]


def _words(part: str) -> Iterable[str]:
    words = content_words(part)
    if re.match(rf"[{CJK}]", part):
        return sorted(words, key=part.find)
    return [part] if words and len(part) > 2 else []


def rows(answers: Iterable[str], limit: int = MAX_ROWS) -> list[str]:
    """What tools answered as rows that may be shown: each on one line, cleaned and quoted; of most answers first."""
    found = Counter(row for answer in answers for row in _distinct(answer))
    shown = (clean(quoted(cut(sanitise(within(row, READ_CHARS)), ROW_CHARS))) for row, _ in found.most_common(limit))
    return [row for row in shown if row.strip(" “”")]


def _distinct(answer: str) -> Iterable[str]:
    try:
        return dict.fromkeys(_rows(answer))
    except RecursionError:  # nested so deep that it is no answer
        return ()


def _rows(answer: str) -> Iterator[str]:
    """JSON item by item, other text line by line."""
    try:
        value = json.loads(answer)
    except ValueError:
        value = None
    if not isinstance(value, dict | list):
        yield from filter(None, (" ".join(line.split()) for line in answer.splitlines()))
        return
    for item in _items(value):
        if row := " · ".join(filter(None, (" ".join(leaf.split()) for leaf in strings(item)))):
            yield row


def _items(value: Any) -> Iterator[Any]:
    """The members of the lists of an object; an object without lists is one itself."""
    if isinstance(value, list):
        yield from value
    elif isinstance(value, Mapping) and any(isinstance(part, list | Mapping) for part in value.values()):
        for part in value.values():
            if isinstance(part, list | Mapping):
                yield from _items(part)
    else:
        yield value

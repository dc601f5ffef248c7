"""Secrets in text, found by the literals that announce them, become `[secret:<kind>:<4 hex digits>]`.

A rule is tried only where one of its literals stands, so clean text costs some substring searches. Precision is traded
for recall where a literal is unmistakable; free assignments (`X_TOKEN=...`) also need the look of a secret.

The digits are a keyed hash of the secret: the same secret has the same placeholder, and nobody without the key can
try secrets against it. Without a key (a process that has no data directory) there are none.
"""

import hashlib
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memoryd.ipc.redaction.context import CONTEXT, NAMES
from memoryd.ipc.redaction.personal import PERSONAL
from memoryd.ipc.redaction.rule import Rule
from memoryd.ipc.redaction.said import SAID, WORDS
from memoryd.ipc.redaction.tokens import TOKENS
from memoryd.ipc.redaction.views import View, views

RULES: tuple[Rule, ...] = (*TOKENS, *CONTEXT, *SAID)
KEY_BYTES = 32
MIN_CHARS = 8  #: no secret that we know is shorter, its announcement included
SCANNED = "secret:scanned"  #: of the second net (`worker.second_net`)
_LABELS = sorted({SCANNED, *(rule.label for rule in (*RULES, *PERSONAL))})
#: of kinds that exist, so that nothing else hides in brackets
_PLACEHOLDER = re.compile(rf"\[(?:{'|'.join(_LABELS)})(?::[0-9a-f]{{4}})?\]")
_FORM = re.compile(r"\\[nrt]|[\s\\]+")  #: how a secret is written down, not what it is


class Span(NamedTuple):
    """A secret at `text[start:end]`."""

    start: int
    end: int
    label: str  #: `secret:<kind>` or `pii:<kind>`


@dataclass(slots=True)
class _Settings:
    """Of this process: it serves one data directory."""

    key: bytes = b""
    masks_pii: bool = False


_settings = _Settings()


def configure(*, key: bytes | None = None, masks_pii: bool | None = None) -> None:
    """Set the key of placeholders, and whether personal data is masked; None leaves a setting as it is.

    :param key: `KEY_BYTES` bytes, made once for a data directory; empty: placeholders without a hash
    """
    if key is not None:
        _settings.key = key
    if masks_pii is not None:
        _settings.masks_pii = masks_pii


def redact(text: str) -> str:
    """Replace every secret by its placeholder. Doing it twice changes nothing more."""
    spans = find(text)
    return replace(text, spans) if spans else text


def find(text: str) -> list[Span]:
    """The secrets of a text; spans may overlap, none holds a part of a placeholder."""
    if len(text) < MIN_CHARS:
        return []
    literals = tuple(_present(text))
    found = list(_secrets(text, literals))
    steps: list[View] = []
    for view in views(text):
        steps = [view, *steps]
        literals = tuple(dict.fromkeys((*literals, *_new_in(view))))
        found += [
            _back(span, start, steps)
            for start, end in view.regions()
            for span in _secrets(view.text[start:end], literals)
        ]
    return _without_placeholders(text, found) if found and "[" in text else found


def telling(name: str) -> bool:
    """Whether the name of a field can tell that its value is a secret."""
    lowered = name.lower()
    return any(literal in lowered for literal in (*NAMES, *WORDS))


def replace(text: str, spans: Iterable[Span], counted: Counter[str] | None = None) -> str:
    """Put a placeholder at each span; where spans overlap, one for their union, with the label of the first.

    :param counted: what was replaced is added to it, by label
    """
    parts, position = [], 0
    for span in merged(spans):
        parts += [text[position : span.start], _placeholder(span.label, text[span.start : span.end])]
        position = span.end
        if counted is not None:
            counted[span.label] += 1
    return "".join([*parts, text[position:]])


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap joined."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = Span(last.start, max(last.end, span.end), last.label)
        else:
            joined.append(span)
    return joined


def _back(span: Span, offset: int, steps: Iterable[View]) -> Span:
    """Where a secret of a view stands in the text."""
    start, end = span.start + offset, span.end + offset
    for step in steps:
        start, end = step.back(start, end)
    return Span(start, end, span.label)


def _placeholder(label: str, secret: str) -> str:
    if not _settings.key:
        return f"[{label}]"
    plain = _FORM.sub("", secret).encode(errors="surrogatepass")
    return f"[{label}:{hashlib.blake2b(plain, key=_settings.key, digest_size=2).hexdigest()}]"


def _without_placeholders(text: str, spans: list[Span]) -> list[Span]:
    """Cut placeholders out of the spans: what was replaced stays as it is, what stands beside it does not."""
    known = [match.span() for match in _PLACEHOLDER.finditer(text)]
    if not known:
        return spans
    return [part for span in spans for part in _cut(span, known) if any(map(str.isalnum, text[part.start : part.end]))]


def _cut(span: Span, known: Sequence[tuple[int, int]]) -> Iterator[Span]:
    position = span.start
    for number in range(max(bisect(known, (position,)) - 1, 0), len(known)):
        start, end = known[number]
        if start >= span.end:
            break
        if start > position:
            yield Span(position, start, span.label)
        position = max(position, end)
    if position < span.end:
        yield Span(position, span.end, span.label)


# --- literals -------------------------------------------------------------------------------------------------------

_SEPARATORS = "_-.AJ"  #: rare enough, and each in many literals; a text is split at them in no time


def _by_literal(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    table: dict[str, list[Rule]] = {}
    for rule in rules:
        for literal in rule.literals:
            table.setdefault(literal, []).append(rule)
    return table


def _separator(literal: str) -> int:
    """Where the first separator stands with two other characters before it, 0 when none does."""
    places = (n for n, c in enumerate(literal) if c in _SEPARATORS and n >= 2 and c not in literal[n - 2 : n])
    return next(places, 0)


def _prefixes(literals: Iterable[str]) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """separator -> the two characters before it -> the literals that begin so."""
    table: dict[str, dict[str, tuple[str, ...]]] = {}
    for literal in literals:
        at = _separator(literal)
        heads, head = table.setdefault(literal[at], {}), literal[at - 2 : at]
        heads[head] = (*heads.get(head, ()), literal)
    return table


def _by_wide_character(literals: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """The first character that is not ASCII -> the literals with it: one character is found in no time."""
    table: dict[str, tuple[str, ...]] = {}
    for literal in literals:
        first = next(c for c in literal if not c.isascii())
        table[first] = (*table.get(first, ()), literal)
    return table


_EXACT, _ANY_CASE = _by_literal(TOKENS), _by_literal((*CONTEXT, *SAID))
_PREFIXES = _prefixes(filter(_separator, _EXACT))
_EXACT_WORDS = tuple(literal for literal in _EXACT if not _separator(literal))
_WORDS = tuple(literal for literal in _ANY_CASE if literal.isascii())
_WIDE_WORDS = _by_wide_character(literal for literal in _ANY_CASE if not literal.isascii())
_PERSONAL = _by_literal(PERSONAL)
_ANYWHERE = tuple(rule for rule in PERSONAL if not rule.literals)


def _present(text: str) -> Iterator[str]:
    """The literals of a text, those of tokens first: where two rules find the same, the first one names it.

    One with a separator is looked for only where a piece before such a separator ends as it does.
    """
    lowered = text.lower()
    yield from (word for word in _EXACT_WORDS if word in text)
    for separator, heads in _PREFIXES.items():
        for head in heads.keys() & {piece[-2:] for piece in text.split(separator)}:
            yield from (literal for literal in heads[head] if literal in text)
    yield from (word for word in _WORDS if word in lowered)
    if not text.isascii():
        for character in filter(lowered.__contains__, _WIDE_WORDS):
            yield from (word for word in _WIDE_WORDS[character] if word in lowered)


def _new_in(view: View) -> Iterator[str]:
    """The literals that a view may hold beyond those of the text: with a character that it made, or over a seam."""
    if not view.made:
        return _present(view.seams())
    lowered = view.text.lower()
    wanted = (literal for literal in (*_EXACT, *_ANY_CASE) if not view.made.isdisjoint(literal))
    return (literal for literal in wanted if literal in view.text or literal in lowered)


def _secrets(text: str, literals: Iterable[str]) -> Iterator[Span]:
    lowered = _lowered(text)
    for literal in literals:
        if literal in _EXACT:
            yield from _matches(_EXACT[literal], literal, text, text)
        if literal in _ANY_CASE:
            yield from _matches(_ANY_CASE[literal], literal, text, lowered)
    if _settings.masks_pii:
        yield from _personal(text)


def _personal(text: str) -> Iterator[Span]:
    for literal, rules in _PERSONAL.items():
        yield from _matches(rules, literal, text, text)
    for rule in _ANYWHERE:
        yield from (_span(rule, match) for match in rule.pattern.compiled.finditer(text) if rule.accept(match))


def _lowered(text: str) -> str:
    """The text in lower case, each character at its place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower() if c.isascii() else c for c in text)


def _matches(rules: Sequence[Rule], literal: str, text: str, searched: str) -> Iterator[Span]:
    """The secrets where a literal stands in `searched`, the text or its lower case. A rule goes on after its match."""
    goes_on = [0] * len(rules)
    at = searched.find(literal)
    while at >= 0:
        for number, rule in enumerate(rules):
            match = _match(rule, text, at, len(literal)) if at >= goes_on[number] else None
            if match is not None and rule.accept(match):
                yield _span(rule, match)
                goes_on[number] = match.end()
        at = searched.find(literal, at + 1)


def _match(rule: Rule, text: str, at: int, chars: int) -> re.Match[str] | None:
    if not rule.lead:
        return rule.pattern.compiled.match(text, at)
    search, end = rule.pattern.compiled.search, at + chars + rule.reach
    match = search(text, max(at - rule.lead, 0), end)
    while match is not None and match.end() <= at:  # of a literal before this one
        match = search(text, match.end(), end)
    return match


def _span(rule: Rule, match: re.Match[str]) -> Span:
    group = "secret" if "secret" in match.re.groupindex else 0
    return Span(match.start(group), match.end(group), rule.label)

"""What may be written down of a text: without what memoryd and the host put in, private spans, invisible characters
and secrets. Every text passes here once, in a thread, before the journal sees it.
"""

import re
from collections import Counter
from collections.abc import Iterator

from memoryd.ipc import redaction
from memoryd.patterns import lazy

_PIECE_CHARS = 64 * 1024
_OVERLAP_CHARS = 16 * 1024  #: longer than any secret we know, so that one on a border is whole in one of two pieces


def sanitise(text: str, counted: Counter[str] | None = None) -> str:
    """Return the text as it may be stored. Pure; linear in the length of the text.

    :param counted: what was replaced is added to it, by label
    """
    if not text.isascii():
        text = _without_surrogates(text)
    text = strip_blocks(strip_invisible(text))
    return redaction.replace(text, _secrets(text), counted)


def within(text: str, limit: int) -> str:
    """The first `limit` characters, before they are sanitised: a secret that goes on behind them is left out whole."""
    if len(text) <= limit:
        return text
    start = max(limit - _OVERLAP_CHARS, 0)
    spans = redaction.find(text[start : limit + _OVERLAP_CHARS])
    return text[: min((span.start + start for span in spans if span.start < limit - start < span.end), default=limit)]


def sanitise_value(value: object, counted: Counter[str] | None = None) -> object:
    """Sanitise every string of a JSON-like value, keys included; other values are handed on."""
    match value:
        case str():
            return sanitise(value, counted)
        case dict():
            return {sanitise_value(key, counted): _field(key, part, counted) for key, part in value.items()}
        case list() | tuple():
            return type(value)(sanitise_value(part, counted) for part in value)
    return value


def _field(key: object, value: object, counted: Counter[str] | None) -> object:
    """A value whose key alone tells that it is a secret reads as `key="value"` does."""
    if isinstance(key, str) and isinstance(value, str) and len(value) <= 512 and redaction.telling(key):
        shown = f'{key}="{value}"'
        if any(span.start == len(key) + 2 for span in redaction.find(shown)):
            return redaction.replace(value, [redaction.Span(0, len(value), "secret:assigned")], counted)
    return sanitise_value(value, counted)


def _without_surrogates(text: str) -> str:
    """Lone surrogates become U+FFFD; a pair written as two becomes its character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# --- blocks ---------------------------------------------------------------------------------------------------------

_BLOCKS = (
    "memory-context",  # ours
    "project-memory-context",
    "private",  # the person's
    "system-reminder",  # the hosts'
    "system_reminder",
    "hook_context",
    "qwen:user-prompt-submit-context",
    "qwen:session-start-context",
)
PRIVATE = "[private]"  #: stands where a private span was taken out
_MAX_ROUNDS = 16  #: taking a block out may join the halves of another tag; more is no accident
_TAG_CHARS = 64  #: no name of a block is longer
_BEGUN_TAG = lazy(r"</?[\w:-]*\Z")
_TAG = lazy(rf"<(?P<close>/?)(?P<name>{'|'.join(map(re.escape, _BLOCKS))})(?:\s[^<>]*)?>", re.IGNORECASE)


def strip_blocks(text: str) -> str:
    """Remove injected blocks and private spans, nested ones included; one that is not closed runs to the end.

    A private span leaves a mark, so that nobody takes what is left of its sentence for the whole of it.
    """
    for _ in range(_MAX_ROUNDS):
        shorter = _strip_once(text)
        if shorter == text:
            return text if PRIVATE not in text or text.replace(PRIVATE, "").strip() else ""
        text = shorter
    tag = _TAG.search(text)
    return text[: tag.start()] if tag else text


def _strip_once(text: str) -> str:
    kept, position = [], 0
    for start, end, name in _block_spans(text):
        within_tag = _BEGUN_TAG.search(text, max(start - _TAG_CHARS, 0), start)  # whose halves are to join and go too
        kept += [text[position:start], PRIVATE if name == "private" and not within_tag else ""]
        position = end
    return "".join([*kept, text[position:]])


def _block_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Outermost blocks with their names, and, without one, closing tags that nothing opened."""
    name, start, depth = "", 0, 0
    for tag in _TAG.finditer(text):
        found, closes = tag["name"].lower(), bool(tag["close"])
        if depth == 0 and closes:
            yield *tag.span(), ""
        elif depth == 0:
            name, start, depth = found, tag.start(), 1
        elif found == name:
            depth += -1 if closes else 1
            if depth == 0:
                yield start, tag.end(), name
    if depth:
        yield start, len(text), name


# --- invisible characters -------------------------------------------------------------------------------------------

_EMOJI = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_JOINING = (
    "\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc"  # Arabic and its neighbours
    "\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1800-\u180a\u1820-\u18af"  # Indic to Mongolian
)
_KEPT = (
    rf"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"  # families, professions
    rf"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"  # Persian, Indic
    r"|(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])[\u200c\u200d]"  # half forms, chillus
    rf"|(?<=[{_EMOJI}#*0-9\xa9\xae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299])[\ufe0e\ufe0f]"  # as emoji or text
    r"|(?<=[\u3400-\u9fff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"  # ideographic variants
    r"|(?<=\U0001f3f4)\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    r"|\U000e0077\U000e006c\U000e0073)\U000e007f"  # the flags of England, Scotland, Wales
)
_REMOVED = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # terminal colours and cursor moves
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_INVISIBLE = lazy(f"(?P<kept>{_KEPT})|{_REMOVED}")
_ANY_INVISIBLE = lazy(_REMOVED.partition("|")[2])  # one class, which a terminal's sequences begin with too
_PLAIN = bytes([9, 10, 13, *range(32, 127)])  #: what an ASCII text may hold


def strip_invisible(text: str) -> str:
    """Remove control, bidi and zero-width characters; those that an emoji or a script needs in its place stay."""
    if text.isascii():
        if not text.encode().translate(None, _PLAIN):
            return text
    elif not _ANY_INVISIBLE.search(text):
        return text
    return _INVISIBLE.sub(lambda match: match["kept"] or "", text)


# --- secrets --------------------------------------------------------------------------------------------------------


def _secrets(text: str) -> Iterator[redaction.Span]:
    for start in range(0, len(text), _PIECE_CHARS):
        piece = text[max(start - _OVERLAP_CHARS, 0) : start + _PIECE_CHARS]
        offset = max(start - _OVERLAP_CHARS, 0)
        for span in redaction.find(piece):
            yield redaction.Span(span.start + offset, span.end + offset, span.label)

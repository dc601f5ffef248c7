"""Personal data, masked when `[privacy] pii = "mask"`: e-mail, telephone, Chinese identity card, bank card.

Numbers are believed for their check digits, or for the way they are written, never for their length alone.
"""

import re
from datetime import date

from memoryd.ipc.redaction.rule import Pattern, Rule

_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS = "10X98765432"
_MIN_INTERNATIONAL, _MAX_INTERNATIONAL = 8, 15  #: digits of a number with its country (E.164)
_NOBODY = ("example.com", "example.org", "example.net", "users.noreply.github.com", "localhost")
_CARD = re.compile(  #: Visa, Mastercard, American Express, UnionPay, Discover
    r"4\d{15}|4\d{18}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|62\d{14,17}|6(?:011|5\d\d)\d{12}"
)


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _is_identity_card(match: re.Match[str]) -> bool:
    """GB 11643: a date of birth, and a check digit of modulus 11-2."""
    text = match[0].upper()
    try:
        date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    return _ID_CHECKS[sum(int(c) * w for c, w in zip(text[:17], _ID_WEIGHTS, strict=True)) % 11] == text[17]


def _is_bank_card(match: re.Match[str]) -> bool:
    """ISO 7812: the form of a known network, and Luhn's sum; never the same digit again and again."""
    digits = _digits(match[0])
    if len(set(digits)) < 4 or not _CARD.fullmatch(digits):
        return False
    doubled = [int(c) * (1 + n % 2) for n, c in enumerate(reversed(digits))]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0


def _is_international(match: re.Match[str]) -> bool:
    digits = _digits(match[0])
    return _MIN_INTERNATIONAL <= len(digits) <= _MAX_INTERNATIONAL and len(set(digits)) > 2


def _is_persons_address(match: re.Match[str]) -> bool:
    host = match["host"].lower()
    return not host.endswith(_NOBODY) and match["user"].lower() not in {"git", "noreply", "no-reply"}


PERSONAL: tuple[Rule, ...] = (
    Rule(
        kind="email", family="pii", literals=("@",), lead=64, accept=_is_persons_address,
        pattern=Pattern(
            r"(?<![A-Za-z0-9._%+/:-])(?P<user>[A-Za-z0-9][A-Za-z0-9._%+-]{0,63})"
            r"@(?P<host>(?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24})(?![A-Za-z0-9_@:/-])"
        ),
    ),
    Rule(
        kind="phone", family="pii", literals=("+",), accept=_is_international,
        pattern=Pattern(r"(?<![\w+.=/])\+[1-9]\d{0,2}(?:[ .-]?\(?\d{1,5}\)?){2,6}(?![\w+/=]|[.]\d)", re.ASCII),
    ),
    Rule(
        kind="phone", family="pii", literals=(),
        pattern=Pattern(r"(?<![\w.+/=-])1[3-9]\d(?:\d{8}|([ -])\d{4}\1\d{4})(?![\w/=-]|[.]\d)", re.ASCII),
    ),
    Rule(
        kind="id-card", family="pii", literals=(), accept=_is_identity_card,
        pattern=Pattern(r"(?<![\w.-])[1-9]\d{5}(?:19|20)\d{9}[\dXx](?![\w-]|[.]\d)", re.ASCII),
    ),
    Rule(
        kind="bank-card", family="pii", literals=(), accept=_is_bank_card,
        pattern=Pattern(
            r"(?<![\w.+-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|3[47]\d\d([ -])\d{6}\2\d{5})"
            r"(?![\w-]|[.]\d)", re.ASCII,
        ),
    ),
)  # fmt: skip

"""Personal data, masked when `[privacy] pii = "mask"`: e-mail, telephone, identity card, bank card and account.

Numbers are believed for their check digits, or for the way they are written, never for their length alone.
"""

import re
from datetime import date

from memoryd.ipc.redaction.rule import Pattern, Rule

_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS = "10X98765432"
_MIN_INTERNATIONAL, _MAX_INTERNATIONAL = 8, 15  #: digits of a number with its country (E.164)
_MIN_JOINED = 10  #: of one behind 00 that is written without a blank
_NOBODY = ("example.com", "example.org", "example.net", "users.noreply.github.com", "localhost")
_CARD = re.compile(  #: Visa, Mastercard, American Express, UnionPay, Discover
    r"4\d{15}|4\d{18}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|62\d{14,17}|6(?:011|5\d\d)\d{12}"
)


_IBAN_CHARS = {  #: of the countries that use it most, the letters included (ISO 13616)
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18,
    "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26,
    "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26, "UA": 29,
}  # fmt: skip
#: of a country behind 00, where a `+` does not announce it
_COUNTRY = (
    r"(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]"
    r"|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\d)"
)
_AREA = r"0(?:10|2\d|[3-9]\d\d)"  #: of a Chinese landline; London is 020 too
_PLACE = r"[2-9]\d\d"  #: an area of North America, and what follows it
_BEFORE, _AFTER = r"(?<![\w.+/=-])", r"(?![\w/=-]|[.]\d)"
_ALONE = rf"{_BEFORE}(?<!\d )"  #: no group of a longer number
_END = rf"(?:-\d{{1,5}}| ?(?:x|转|ext\.?) ?\d{{1,5}})?{_AFTER}(?! \d)"  #: an extension, and the end of such a number


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _is_identity_card(match: re.Match[str]) -> bool:
    """GB 11643: a date of birth, and a check digit of modulus 11-2."""
    text = re.sub(r"[ -]", "", match[0]).upper()
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


def _is_no_measure(match: re.Match[str]) -> bool:
    """Three round numbers in a row are sizes or a range."""
    return not all(group.endswith("0") for group in re.findall(r"\d+", match[0])[-3:])


def _is_mobile(match: re.Match[str]) -> bool:
    return len(set(_digits(match[0]))) > 3


def _is_abroad(match: re.Match[str]) -> bool:
    """A number behind 00; without a blank it is long, or it would be any number with zeros before it."""
    digits = _digits(match[0])[2:]
    shortest = _MIN_INTERNATIONAL if len(match[0]) > len(digits) + 2 else _MIN_JOINED
    return shortest <= len(digits) <= _MAX_INTERNATIONAL and len(set(digits)) > 2


def _is_iban(match: re.Match[str]) -> bool:
    """ISO 13616: the length that its country has, and modulus 97."""
    text = match[0].replace(" ", "")
    if _IBAN_CHARS.get(text[:2]) != len(text):
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


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
        kind="phone", family="pii", literals=("+",), lead=1, accept=_is_international,
        pattern=Pattern(
            r"(?<![\w+.=/])(?:\(\+[1-9]\d{0,2}\)|\+[1-9]\d{0,2})(?:[ .-]?\(?\d{1,5}\)?){2,6}(?![\w+/=]|[.]\d)", re.ASCII
        ),
    ),
    Rule(  # 0049 30 1234567
        kind="phone", family="pii", literals=("00",), accept=_is_abroad,
        pattern=Pattern(rf"{_BEFORE}00{_COUNTRY}[ .-]?\(?\d{{1,5}}\)?(?:[ .-]?\d{{1,8}}){{1,5}}{_AFTER}", re.ASCII),
    ),
    Rule(  # a Chinese mobile
        kind="phone", family="pii", literals=(), accept=_is_mobile,
        pattern=Pattern(rf"{_BEFORE}(?:86[ -]?)?1[3-9]\d(?:\d{{8}}|([ -])\d{{4}}\1\d{{4}}){_AFTER}", re.ASCII),
    ),
    Rule(  # (021) 6234 5678, 0755-26543210, 020 7946 0958
        kind="phone", family="pii", literals=(),
        pattern=Pattern(
            rf"{_ALONE}(?:[(（]{_AREA}[)）][ -]?|{_AREA}[ -])[2-9]\d{{2,3}}[ -]?\d{{4}}{_END}", re.ASCII
        ),
    ),
    Rule(  # (415) 867-5309, 1-415-867-5309
        kind="phone", family="pii", literals=(), accept=_is_no_measure,
        pattern=Pattern(
            rf"{_ALONE}(?:1[ .-])?(?:\({_PLACE}\)[ -]?{_PLACE}[ .-]|{_PLACE}([ .-]){_PLACE}\1)\d{{4}}{_END}", re.ASCII
        ),
    ),
    Rule(
        kind="id-card", family="pii", literals=(), accept=_is_identity_card,
        pattern=Pattern(r"(?<![\w.-])[1-9]\d{5}([ -]?)(?:19|20)\d{6}\1\d{3}[\dXx](?![\w-]|[.]\d)", re.ASCII),
    ),
    Rule(
        kind="iban", family="pii", literals=(), accept=_is_iban,
        pattern=Pattern(
            r"(?<![A-Za-z0-9])[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])", re.ASCII
        ),
    ),
    Rule(
        kind="bank-card", family="pii", literals=(), accept=_is_bank_card,
        pattern=Pattern(
            r"(?<![\w.+-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|3[47]\d\d([ -])\d{6}\2\d{5})"
            r"(?![\w-]|[.]\d)", re.ASCII,
        ),
    ),
)  # fmt: skip

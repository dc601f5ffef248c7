"""What a rule is, and how a value must look that nothing but its name announces."""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

Accept = Callable[[re.Match[str]], bool]


def always(match: re.Match[str]) -> bool:
    return True


class Pattern:
    """A regular expression that is compiled when it is first needed: most of them never are."""

    __slots__ = ("_compiled", "_flags", "_source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self._source, self._flags)
        return self._compiled


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A kind of secret. Its pattern is tried only where one of its literals stands in the text."""

    kind: str  #: lower-case letters, digits and dashes
    literals: tuple[str, ...]  #: of a token: as it is spelled; of a context: in lower case, for every spelling
    pattern: Pattern  #: tried at the literal; the group `secret`, else the whole match, is replaced
    accept: Accept = always
    lead: int = 0  #: the pattern may begin that many characters before the literal
    reach: int = 256  #: and then ends at most that many after it
    family: str = "secret"  #: or `pii`

    @property
    def label(self) -> str:
        return f"{self.family}:{self.kind}"


STAND_IN = re.compile(
    r"\$|%|<|\{|\[|\*{3}|x{3,}|\.{3}"
    r"|(?:your|my|the|example|sample|dummy|fake|placeholder|changeme|redacted|todo)[-_ .]",
    re.IGNORECASE,
)
_LOOK_UP = re.compile(
    r"(?:process\.env|os\.environ|os\.getenv|getenv|env|import\.meta|config|settings|secrets?|vars?|self|this|args|opts)"
    r"[.\[(]|[A-Za-z_][\w.]*\(|https?://|[~.]{0,2}/[\w.-]+/|\d{4}-\d\d-\d\d"
)
_NAME = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z_]*(?:password|passwd|token|secret|_key)[A-Za-z_]*\d?", re.IGNORECASE
)
_HEX = re.compile(r"[0-9a-fA-F]+")
_SETS = re.compile(r"(?<![\w-])(?:set(?:[ \t]+--?[A-Za-z-]{1,10}){1,5}|(?i:setx)|setenv|ENV)[ \t]+\w{0,60}\Z", re.ASCII)
_TYPED = re.compile(r"(?<![\w-])--?[\w-]{0,30}\Z", re.ASCII)
_ELEMENT = re.compile(r"(?:<|&lt;)[\w:.-]{0,40}\Z")
_ACCOUNT = re.compile(r"(?:user|role|exists|to|,)\s{1,8}\S{1,80}\s{1,8}\Z", re.IGNORECASE)
_BEHIND = 100  #: characters before a match that may say what it is
FREE_ENTROPY = 3.0  #: bits per character of a value that only its name announces


def entropy(text: str) -> float:
    """Bits per character of the text's own distribution."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def is_mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def is_free_secret(match: re.Match[str]) -> bool:
    value = match["secret"]
    if STAND_IN.match(value) or not is_mixed(value) or entropy(value) < FREE_ENTROPY:
        return False
    return bool(match["quote"]) or not (_LOOK_UP.match(value) or _NAME.fullmatch(value))


def is_free_key(match: re.Match[str]) -> bool:
    """The value of a `..._KEY`, which may as well be the key of a cache: no hash, and more at random."""
    value = match["secret"]
    return is_free_secret(match) and not _HEX.fullmatch(value) and entropy(value) >= FREE_ENTROPY + 0.5


def is_said_secret(match: re.Match[str]) -> bool:
    value = match["secret"]
    if STAND_IN.match(value) or value.startswith("/") or "://" in value:
        return False
    return any(c.isdigit() for c in value)


def is_said_token(match: re.Match[str]) -> bool:
    return is_said_secret(match) and is_mixed(match["secret"])


def is_said_word(match: re.Match[str]) -> bool:
    """Beside a word of a language with Latin or Cyrillic letters: any word may follow, fewer digits do."""
    return is_said_secret(match) and (is_mixed(match["secret"]) or match["secret"].isdigit())


def is_set(match: re.Match[str]) -> bool:
    """`set -x NAME value` of fish, `setx NAME value` of Windows, `setenv` of csh, `ENV` of a Dockerfile."""
    return is_free_secret(match) and _behind(match, _SETS)


def is_element(match: re.Match[str]) -> bool:
    return is_named_value(match) and _behind(match, _ELEMENT)


def is_named_value(match: re.Match[str]) -> bool:
    """Beside a password any word with a digit; a token or a key is longer, and random."""
    if match[0][0] in "pP":
        return is_said_secret(match)
    value = match["secret"]
    return is_said_token(match) and len(value) >= 8 and entropy(value) >= FREE_ENTROPY and not _LOOK_UP.match(value)


def is_sql(match: re.Match[str]) -> bool:
    """A quoted word is a password behind a keyword in capitals; else it has a digit."""
    return no_stand_in(match) if match[0].startswith("PASSWORD") else is_said_secret(match)


def is_identified(match: re.Match[str]) -> bool:
    """`IDENTIFIED BY` of SQL, not of a sentence: in capitals before a quote, or after an account."""
    if match["quote"] and match[0].startswith("IDENTIFIED"):
        return no_stand_in(match)
    return is_said_secret(match) and _behind(match, _ACCOUNT)


def is_bare(match: re.Match[str]) -> bool:
    """Any word where nothing but a password may stand, unless it is the name of one."""
    return no_stand_in(match) and not (_LOOK_UP.match(match["secret"]) or _NAME.fullmatch(match["secret"]))


def is_mysql(match: re.Match[str]) -> bool:
    """`-p` has its password without a blank; what stands after one is a schema, if it does not look at random."""
    return is_free_secret(match) if match["blank"] else not STAND_IN.match(match["secret"])


def is_typed_option(match: re.Match[str]) -> bool:
    return is_option(match) and _behind(match, _TYPED)


def _behind(match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    return pattern.search(match.string[max(match.start() - _BEHIND, 0) : match.start()]) is not None


def is_url_password(match: re.Match[str]) -> bool:
    value = match["secret"]
    return not STAND_IN.match(value) and value.lower() not in {"password", "passwd", "pass", "pwd", "secret"}


def is_option(match: re.Match[str]) -> bool:
    return is_mixed(match["secret"]) and not STAND_IN.match(match["secret"])


def has_digit(match: re.Match[str]) -> bool:
    return any(c.isdigit() for c in match[0])


def no_example(match: re.Match[str]) -> bool:
    """AWS writes its examples so."""
    return "EXAMPLE" not in match[0]


def no_stand_in(match: re.Match[str]) -> bool:
    return not STAND_IN.match(match["secret"])

"""Secrets in text, found by the literals that announce them, become `[secret:<kind>]`.

A rule runs only when one of its literals is in the text, so clean text costs a few substring searches. Precision is
traded for recall where a literal is unmistakable; free assignments (`X_TOKEN=...`) also need the look of a secret.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """A secret at `text[start:end]`."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Rule:
    kind: str
    literals: tuple[str, ...]  #: lower case; the rule runs only if one is in the lowered text
    pattern: re.Pattern[str]  #: the group `secret`, else the whole match, is replaced
    accept: Callable[[re.Match[str]], bool] = lambda match: True


MIN_CHARS = 8  #: no secret that we know is shorter, its announcement included


def redact(text: str) -> str:
    """Replace every secret by `[secret:<kind>]`. Doing it twice changes nothing more."""
    return replace(text, find(text))


def find(text: str) -> list[Span]:
    """The secrets of a text; spans may overlap."""
    if len(text) < MIN_CHARS:
        return []
    lowered = text.lower()
    found = {literal for literal in _LITERALS if literal in lowered}
    if not found:
        return []
    return [span for rule in RULES if not found.isdisjoint(rule.literals) for span in _matches(rule, text)]


def telling(name: str) -> bool:
    """Whether the name of a field can tell that its value is a secret."""
    lowered = name.lower()
    return any(literal in lowered for literal in _NAMES)


def replace(text: str, spans: Iterable[Span]) -> str:
    """Put a placeholder at each span; where spans overlap, one for their union, with the kind of the first."""
    parts, position = [], 0
    for span in _merged(spans):
        parts += [text[position : span.start], f"[secret:{span.kind}]"]
        position = span.end
    return "".join([*parts, text[position:]])


def _matches(rule: Rule, text: str) -> Iterator[Span]:
    group = "secret" if "secret" in rule.pattern.groupindex else 0
    for match in rule.pattern.finditer(text):
        if rule.accept(match):
            yield Span(match.start(group), match.end(group), rule.kind)


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return merged


# --- what a free value must look like -------------------------------------------------------------------------------

_STAND_IN = re.compile(
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


def _entropy(text: str) -> float:
    """Bits per character of the text's own distribution."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_free_secret(match: re.Match[str]) -> bool:
    value = match["secret"]
    if _STAND_IN.match(value) or not _mixed(value) or _entropy(value) < 3.0:
        return False
    return bool(match["quote"]) or not (_LOOK_UP.match(value) or _NAME.fullmatch(value))


def _is_said_secret(match: re.Match[str]) -> bool:
    value = match["secret"]
    return any(c.isdigit() for c in value) and not _STAND_IN.match(value) and not value.startswith("/")


def _is_url_password(match: re.Match[str]) -> bool:
    value = match["secret"]
    return not _STAND_IN.match(value) and value.lower() not in {"password", "passwd", "pass", "pwd", "secret"}


def _has_digit(match: re.Match[str]) -> bool:
    return any(c.isdigit() for c in match[0])


def _no_stand_in(match: re.Match[str]) -> bool:
    return not _STAND_IN.match(match["secret"])


# --- the rules ------------------------------------------------------------------------------------------------------

_B = r"(?<![A-Za-z0-9_-])"  #: no part of a longer word before it
_ASSIGN = r"""["'`]?\s{0,4}(?:=>|:=|=|:|：)\s{0,4}"""
_PEM_BODY = r"(?:[A-Za-z0-9+/=\s\\:,]|-(?!----))*"

RULES: tuple[Rule, ...] = (
    Rule("aws-access-key", ("akia", "asia"), re.compile(r"(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])")),
    Rule(
        "aws-secret",
        ("secret",),
        re.compile(
            r"(?i:secret[_ -]?(?:access)?[_ -]?key)(?:" + _ASSIGN + r"|\s+is\s+|\s+)"
            r"""["'`]?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"""
        ),
    ),
    Rule(
        "github",
        ("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"),
        re.compile(r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}"),
    ),
    Rule("gitlab", ("glpat-",), re.compile(r"glpat-[A-Za-z0-9_-]{20,}")),
    Rule("slack", ("xox",), re.compile(r"xox[abeoprs]-[A-Za-z0-9-]{10,}")),
    Rule(
        "slack-webhook",
        ("hooks.slack.com",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ),
    Rule("anthropic", ("sk-ant-",), re.compile(r"sk-ant-[A-Za-z0-9_-]{16,}")),
    Rule("openai", ("sk-",), re.compile(_B + r"sk-(?!ant-)(?:[a-z]{4,8}-)?[A-Za-z0-9_-]{20,}"), _has_digit),
    Rule(
        "google",
        ("aiza", "gocspx-", "ya29."),
        re.compile(r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[\w-]{20,}"),
    ),
    Rule("stripe", ("k_live_", "k_test_", "whsec_"), re.compile(r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}")),
    Rule("npm", ("npm_",), re.compile(r"npm_[A-Za-z0-9]{36,}")),
    Rule(
        "npm",
        ("_auth", "_password"),
        re.compile(r"_(?:authToken|auth|password)\s{0,4}=\s{0,4}(?P<secret>[^\s\"']{8,512})"),
        _no_stand_in,
    ),
    Rule("pypi", ("pypi-",), re.compile(r"pypi-[A-Za-z0-9_-]{32,}"), _has_digit),
    Rule("huggingface", ("hf_",), re.compile(r"(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,}")),
    Rule("digitalocean", ("dop_v1_",), re.compile(r"dop_v1_[0-9a-f]{32,}")),
    Rule("age", ("age-secret-key-1",), re.compile(r"AGE-SECRET-KEY-1[0-9A-Z]{40,}")),
    Rule("telegram", (":aa",), re.compile(r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,}")),
    Rule("vault", ("hvs.",), re.compile(r"(?<![A-Za-z0-9])hvs\.[A-Za-z0-9_-]{24,}")),
    Rule("docker", ("dckr_pat_",), re.compile(r"dckr_pat_[A-Za-z0-9_-]{20,}")),
    Rule("shopify", ("shpat_", "shpss_", "shpca_", "shppa_"), re.compile(r"shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}")),
    Rule(
        "option",
        ("--pass", "--token", "--secret", "--api-key"),
        re.compile(
            r"--(?:password|passwd|token|secret|api-key)(?:=|\s{1,4})[\"']?(?P<secret>[^\s\"'<>$\[{-][^\s\"']{5,512})"
        ),
        lambda match: _mixed(match["secret"]) and not _STAND_IN.match(match["secret"]),
    ),
    Rule(
        "option",
        ("curl ",),
        re.compile(r"curl\s[^\n]{0,300}?-u\s{0,4}[\"']?[\w.@-]{1,80}:(?P<secret>[^\s\"'$<]{4,200})"),
    ),
    Rule("option", ("mysql",), re.compile(r"mysql\w{0,10}\s[^\n]{0,200}?\s-p(?P<secret>[^\s\"'$<-][^\s\"']{4,200})")),
    Rule("netrc", ("login ",), re.compile(r"login\s{1,8}\S{1,80}\s{1,8}password\s{1,8}(?P<secret>\S{6,200})")),
    Rule(
        "cookie",
        ("cookie",),
        re.compile(r"(?i:cookie):[^\n]{0,500}?(?i:session|sid|auth|token)\w{0,20}=(?P<secret>[^;\s\"']{12,4096})"),
    ),
    Rule("sendgrid", ("sg.",), re.compile(r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}")),
    Rule("twilio", ("sk",), re.compile(r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])")),
    Rule(
        "twilio",
        ("twilio",),
        re.compile(r"(?i:twilio)[^\n]{0,60}?(?<![A-Za-z0-9])(?P<secret>[0-9a-f]{32})(?![A-Za-z0-9])"),
    ),
    Rule(
        "azure",
        ("accountkey=", "sharedaccesskey="),
        re.compile(r"(?i:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/=]{20,})"),
    ),
    Rule("jwt", ("eyj",), re.compile(_B + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")),
    Rule(
        "private-key",
        ("private key",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,400}?[A-Za-z0-9+/]{24})"
            + _PEM_BODY
            + r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
    Rule(
        "url-password",
        ("://",),
        re.compile(r"://[^\s/:@\"'<>]{0,256}:(?P<secret>[^\s/@\"'<>]{1,256})@(?=[A-Za-z0-9\[])"),
        _is_url_password,
    ),
    Rule(
        "authorization",
        ("authorization",),
        re.compile(
            r"(?i:authorization)"
            + _ASSIGN
            + r"""["'`]?(?i:bearer|basic|token|apikey)\s+(?P<secret>[A-Za-z0-9._~+/=-]{8,})"""
        ),
        _no_stand_in,
    ),
    Rule(
        "authorization", ("bearer",), re.compile(r"(?i:bearer)\s{1,4}(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)"), _has_digit
    ),
    Rule(
        "assigned",
        ("pass", "pwd", "secret", "token", "key", "credential"),
        re.compile(
            r"(?i:pass(?:word|wd|phrase|(?![a-z]))|pwd|secret|token(?!s)|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|auth[_-]?key)"
            r"(?!(?i:[_-]?(?:name|id|url|uri|path|file|type|count|limit|ttl|expir\w*)))[A-Za-z0-9_-]{0,40}"
            + _ASSIGN
            + r"""(?P<quote>["'`]?)(?P<secret>[^\s"'`,;<>()\[\]{}]{8,512})(?![(\[])"""
        ),
        _is_free_secret,
    ),
    Rule(
        "said",
        ("passw", "passphrase"),
        re.compile(r"""(?i:passw(?:or)?d|passphrase)\s{1,4}(?i:is|was)[\s:]{1,4}["'`]?(?P<secret>[!-~]{6,128})"""),
        _is_said_secret,
    ),
    Rule(
        "said",
        ("密码", "口令", "密钥", "令牌"),
        re.compile(
            r"""(?:密码|口令|密钥|令牌)\s{0,4}(?:是|为|改成|改为|:|：|=)\s{0,4}["'“「`]?(?P<secret>[!-~]{4,128})"""
        ),
        _is_said_secret,
    ),
)

_LITERALS = tuple(sorted({literal for rule in RULES for literal in rule.literals}))
_NAMES = next(rule.literals for rule in RULES if rule.kind == "assigned")

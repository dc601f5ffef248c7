"""Words and signs that are no memory -> the fault that the daemon acts on. One table; the first row that fits.

The words are those that the released programs print (and what is told of older ones), often with the exit status 0.
They are looked for where a program says that it failed, and in an answer that is none.
"""

import re
from datetime import datetime

from memoryd.worker.agents.asking import refusals
from memoryd.worker.agents.brief import AgentFault, FaultCode
from memoryd.worker.agents.command.output import Told
from memoryd.worker.agents.command.process import KEPT_ERROR_BYTES, Ended
from memoryd.worker.agents.command.programs import KNOWN, Program
from memoryd.worker.agents.command.resets import seconds_until

NOT_FOUND, NOT_EXECUTABLE = 127, 126  #: what a shell ends with
_LOOKED_AT = KEPT_ERROR_BYTES  #: characters of what a program says when it fails
_NOTICE_CHARS = 1000  #: of an answer: a longer one is talk, which may well be about limits and logins

_Rows = tuple[tuple[FaultCode, re.Pattern[str]], ...]


def _rows(*rows: tuple[FaultCode, str]) -> _Rows:
    return tuple((code, re.compile(words, re.IGNORECASE)) for code, words in rows)


_WORDS: dict[str, _Rows] = {
    "claude": _rows(
        (
            "rate-limited",
            r"hit your .{0,60}limit|reached your .{0,60}limit|usage limit reached|request rejected \(429\)|"
            r"limit (?:reached )?[·∙•] resets",
        ),
        (
            "quota",
            r"credit balance (?:is )?too low|out of (?:extra usage|usage credits|usage)|requires? usage credits|"
            r"seat type doesn't include|usage allocation has been disabled|usage limit is set to \$0|spend limit",
        ),
        (
            "login",
            r"please run /login|not logged in|login expired|sign in again|invalid (?:api key|auth token)|"
            r"oauth token (?:revoked|has expired)|failed to authenticate|authentication (?:required|error)|"
            r"disabled (?:api key authentication|organization)|organization has been disabled|"
            r"could not refresh your login|apikeyhelper|re-authenticate",
        ),
        ("refused", r"safeguards flagged|usage policy|unable to respond to this request|violates? our"),
        ("configuration", r"issue with the selected model|do you trust the files|unknown option|invalid settings"),
        ("bad-answer", r"prompt is too long|input is too long|context limit reached"),
        ("no-end", r"reached max(?:imum number of)? turns|exceeded usd budget|error_max_turns"),
        ("provider-down", r"empty or malformed response|unable to connect to api|overloaded|high load"),
        ("provider-slow", r"request timed out"),
    ),
    "codex": _rows(
        ("rate-limited", r"hit your usage limit|usage limit has been reached|last status: 429|rate limit reached"),
        (
            "quota",
            r"quota exceeded|out of credits|hit your spend cap|upgrade to plus|insufficient_quota|"
            r"exceeded your current quota",
        ),
        (
            "login",
            r"not logged in|log ?in again|sign in again|(?:status|last status:) 401|refresh token|"
            r"access token could not be refreshed|token data is not available|missing environment variable|"
            r"login is required",
        ),
        ("refused", r"flagged for possible|limited access to this content|content_filter|content policy"),
        (
            "configuration",
            r"not inside a trusted directory|unexpected argument|unknown feature|cannot be used multiple times|"
            r"error loading config|model .{0,80}(?:does not exist|not supported)|status 404",
        ),
        ("bad-answer", r"ran out of room in the model's context"),
        ("provider-down", r"at capacity|high demand|stream disconnected|connection failed|error sending request"),
    ),
    "gemini": _rows(
        (
            "quota",
            r"exhausted your (?:daily )?quota|exceeded your current quota|quota exceeded|requests ?per ?day|"
            r"terminalquotaerror",
        ),
        ("rate-limited", r"resource_exhausted|resource (?:has been )?exhausted|rate ?limit|too many requests"),
        (
            "login",
            r"set an auth method|invalid auth method|api key not valid|api_key_invalid|unauthenticated|"
            r"authentication (?:required|failed)|manual authorization is required|verify your account",
        ),
        ("refused", r"prohibited_content|blocked due to|finishreason: safety|response was blocked"),
        ("configuration", r"not running in a trusted directory|unknown arguments?|model .{0,80}not found"),
        ("provider-down", r"model_capacity_exhausted|exhausted your capacity|overloaded|fetch failed|econnrefused"),
    ),
}

_ANY = _rows(
    (
        "rate-limited",
        r"\b(?:usage|session|weekly|5-hour) limit (?:was |has been )?(?:reached|exceeded|hit)|\brate[ -]?limit|"
        r"\b(?:hit|reached) (?:your|the) .{0,60}limit|too many requests",
    ),
    (
        "quota",
        r"insufficient (?:quota|credits?|balance)|quota (?:was |has been )?(?:exceeded|exhausted)|"
        r"exceeded your .{0,40}quota|payment required",
    ),
    (
        "login",
        r"not logged in|please (?:log|sign) in|please run \S*login|(?<!\S)/login\b|"
        r"unauthorized|invalid api key|api key not",
    ),
    ("configuration", r"command not found|no such file or directory|permission denied|trust this (?:folder|directory)"),
    ("provider-down", r"<!doctype html|<html[ >]|connection (?:refused|reset)|could not resolve|service unavailable"),
    ("provider-slow", r"timed? ?out"),
    ("refused", refusals.WORDS),
)
_STATUSES: dict[int, FaultCode] = {
    401: "login", 402: "quota", 403: "login", 404: "configuration", 408: "provider-slow", 413: "bad-answer",
    429: "rate-limited",
}  # fmt: skip
_EXITS: dict[str, dict[int, FaultCode]] = {
    "gemini": {41: "login", 42: "configuration", 52: "configuration", 53: "no-end", 55: "configuration"},
}  # fmt: skip

_REASONS: dict[FaultCode, str] = {
    "rate-limited": "{name} has reached a limit of its subscription; it is asked again when that ends",
    "quota": "the account of {name} has nothing left; add to it, or name another agent in [agent]",
    "login": "{name} wants its login renewed: {login}",
    "refused": "{name} refused to work on this conversation",
    "configuration": "{name} cannot be run as it is configured; run it by hand, and correct [agent] command",
    "bad-answer": "{name} did not answer with what it was asked for",
    "no-end": "{name} used up its turns without an answer",
    "provider-down": "{name} does not reach its service; nothing needs to be done, or see the network",
    "provider-slow": "{name} did not answer in time; nothing needs to be done, or raise [agent] timeout_seconds",
    "crashed": "{name} ended with status {status} and no words that are known; run it by hand to see why",
}

_UNKNOWN = (
    "{name} cannot be run as it is configured: in its cage it may start only the system's programs and what lies beside"
    " it; write claude, codex or gemini as the first word of [agent] command, without a wrapper, or correct it"
)
_TOO_MUCH = "{name} printed without end and was ended; run it by hand to see what"


def failure(program: Program, ended: Ended, told: Told, now: datetime) -> AgentFault | None:
    """The fault of a program that says that it failed, by its words or its status; None when it does not."""
    if ended.too_much:
        return AgentFault("bad-answer", _TOO_MUCH.format(name=program.name or "the command"))
    if not told.error and ended.status == 0:
        return None
    texts = (told.error, told.text, ended.error)
    code = "refused" if told.refused else _code_of(program, texts) or _code_of_status(program, ended, told)
    return fault(program, code or "crashed", status=ended.status, retry_after=_limit(code, texts, now))


def of_no_answer(program: Program, ended: Ended, told: Told, now: datetime) -> AgentFault:
    """The fault of a program that ended well and answered with something else than it was asked for."""
    #: what holds items is an answer, though a bad one: its words are the conversation's
    texts = () if '"items"' in told.text else (_notice(told.text) if told.text else ended.error,)
    code = "refused" if told.refused else _code_of(program, texts)
    return fault(program, code or "bad-answer", retry_after=_limit(code, texts, now))


def fault(program: Program, code: FaultCode, *, status: int = 0, retry_after: float | None = None) -> AgentFault:
    """A fault with our words alone: nothing that was printed."""
    words = _UNKNOWN if code == "configuration" and program.name not in KNOWN else _REASONS[code]
    reason = words.format(name=program.name or "the command", login=program.login, status=status)
    return AgentFault(code, reason, retry_after)


def absent(program: Program) -> AgentFault:
    """The fault of a program that the daemon does not find, or may not run."""
    return AgentFault(
        "configuration",
        f"{program.name or 'no program'} is not found in the daemon's PATH, or may not be run; "
        "write its absolute path into [agent] command",
    )


def _code_of(program: Program, texts: tuple[str, ...]) -> FaultCode | None:
    """The first row that fits, text by text: the program's own rows before everybody's."""
    rows = (*_WORDS.get(program.name, ()), *_ANY)
    return next((code for text in map(_plain, texts) for code, words in rows if words.search(text)), None)


def _code_of_status(program: Program, ended: Ended, told: Told) -> FaultCode | None:
    if ended.status in (NOT_FOUND, NOT_EXECUTABLE):
        return "configuration"
    if told.status is not None and 500 <= told.status < 600:
        return "provider-down"
    return _STATUSES.get(told.status or 0) or _EXITS.get(program.name, {}).get(ended.status)


def _limit(code: FaultCode | None, texts: tuple[str, ...], now: datetime) -> float | None:
    """Seconds until a limit ends, where one of the texts says when."""
    told = (seconds_until(_plain(text), now) for text in texts) if code in ("rate-limited", "quota") else ()
    return next((seconds for seconds in told if seconds is not None), None)


def _notice(text: str) -> str:
    """What is short enough to be a notice, or a page."""
    return text if len(text) <= _NOTICE_CHARS or text.lstrip().startswith("<") else ""


def _plain(text: str) -> str:
    return text[:_LOOKED_AT].replace("\u2019", "'")

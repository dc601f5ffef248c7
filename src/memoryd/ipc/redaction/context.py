"""Secrets that only what stands before them announces: a name, an option, a scheme, an element."""

import re

from memoryd.ipc.redaction.rule import (
    Pattern,
    Rule,
    has_digit,
    is_bare,
    is_element,
    is_free_key,
    is_free_secret,
    is_identified,
    is_mysql,
    is_named_value,
    is_option,
    is_set,
    is_sql,
    is_typed_option,
    is_url_password,
    no_example,
    no_stand_in,
)

_BLANK = r"[ \t]{0,4}"
_ASSIGN = rf"""["'`]?{_BLANK}(?:=>|:=|=|:|：){_BLANK}"""
_QUOTE = r"""(?P<quote>["'`]?)"""
#: one character of a free value: no quote, no bracket; `&` and `\` only where they begin nothing else
_FREE = r"""(?:[!#$%*+./0-9:=?@A-Z^_a-z|~-]|&(?![A-Za-z_]\w*=)|\\(?![nrtu"'\\/]))"""

#: such a name from its literal on; a bare `key` names anything
_NAMED = r"(?:pass|pwd|secret|credential|token|(?<=api)key|(?<=access)key|(?<=private)key|(?<=[_-])key)"

NAMES = ("pass", "pwd", "secret", "token", "key", "credential")  #: what the name of a secret may hold

CONTEXT: tuple[Rule, ...] = (
    Rule(
        kind="aws-secret", literals=("secret",), accept=no_example,
        pattern=Pattern(
            r"(?i:secret[_ -]?(?:access)?[_ -]?key)(?:" + _ASSIGN + r"|\s+is\s+|\s+|[ \t]{0,2}是[ \t]{0,2})"
            r"""["'`]?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"""
        ),
    ),
    Rule(
        kind="npm", literals=("pass", "token"), accept=is_option,
        pattern=Pattern(r"(?:(?<=:_)password|(?<=_auth)Token)\s{0,4}=\s{0,4}(?P<secret>[!#-&(-~]{8,512})"),
    ),
    Rule(
        kind="npm", literals=("auth",), accept=is_option,
        pattern=Pattern(r"(?<![A-Za-z0-9]_)(?<=_)auth\s{0,4}=\s{0,4}(?P<secret>[!#-&(-~]{8,512})"),
    ),
    Rule(
        kind="docker", literals=("auth",), accept=no_stand_in,
        pattern=Pattern(r'(?<=")auth"\s{0,4}:\s{0,4}"(?P<secret>[A-Za-z0-9+/]{16,512}={0,2})"'),
    ),
    Rule(
        kind="option", literals=("pass", "token", "secret", "key"), accept=is_typed_option,
        pattern=Pattern(
            r"(?:(?<=-)(?:pass(?:word|wd|phrase)?|token|secret)|(?<=-api-)key)(?:=|[ \t]{1,4})[\"']?"
            r"(?P<secret>[!#-&(-,.-;=?-Z\\^-z|~][!#-&(-~]{5,512})"
        ),
    ),
    Rule(
        kind="option", literals=("curl ",),
        pattern=Pattern(r"(?i:curl)\s[^\n]{0,300}?-u(?:ser)?[\s=]{0,4}[\"']?[\w.@-]{1,80}:(?P<secret>[!#%&(-;=?-~]{4,200})"),
    ),
    Rule(
        kind="option", literals=("mysql",), accept=is_mysql,
        pattern=Pattern(
            r"(?i:mysql)\w{0,10}\s[^\n]{0,200}?\s-p(?P<blank>[ \t]{0,2})(?P<quote>[\"']?)"
            r"(?P<secret>[!#%&(-,.-;=?-~][!#-&(-~]{4,200})"
        ),
    ),
    Rule(
        kind="option", literals=("pass", "pwd"), accept=is_bare,
        pattern=Pattern(
            r"(?:(?i:(?<=ssh)pass)\s{1,4}-p\s{0,4}|(?:(?<=PG)PASSWORD|(?<=MYSQL_)PWD|(?<=SSH)PASS)=)[\"']?"
            r"(?P<secret>[!#-&(-;=?-~]{4,200})"
        ),
    ),
    Rule(
        kind="option", literals=("login ",), accept=is_option,
        pattern=Pattern(r"(?i:login)\s[^\n]{0,200}?\s-p[ \t=]{0,4}[\"']?(?P<secret>[!#-&(-;=?-~]{6,512})"),
    ),
    Rule(
        kind="pgpass", literals=(":543",), accept=is_option, lead=128,
        pattern=Pattern(
            r"(?<![\w.*:@/-])[\w.*-]{1,120}:543\d:[\w.*-]{1,63}:[\w.@*-]{1,63}:(?P<secret>[!-9;-~]{5,128})(?![!-~])"
        ),
    ),
    Rule(
        kind="sql", literals=("pass",), accept=is_sql,
        pattern=Pattern(r"(?i:password)(?:\s{1,4}|\s{0,2}\(\s{0,2})'(?P<secret>[^'\s]{4,128})'"),
    ),
    Rule(
        kind="sql", literals=("identified",), accept=is_identified,
        pattern=Pattern(
            r"(?i:identified\s{1,8}(?:with\s{1,8}\S{1,64}\s{1,8})?(?:by|as)\s{1,8}(?:password\s{1,8})?)"
            r"(?P<quote>[\"']?)(?P<secret>[!#-&(-:<-~]{4,128})"
        ),
    ),
    Rule(
        kind="netrc", literals=("machine ",),
        pattern=Pattern(
            r"machine\s{1,8}\S{1,128}\s{1,8}login\s{1,8}\S{1,128}\s{1,8}password\s{1,8}(?P<secret>[!-~]{4,200})"
        ),
    ),
    Rule(
        kind="netrc", literals=("login ",), accept=is_option,
        pattern=Pattern(r"(?i:login)\s{1,8}\S{1,80}\s{1,8}password\s{1,8}(?P<secret>[!-~]{6,200})"),
    ),
    Rule(
        kind="cookie", literals=("cookie",), accept=no_stand_in,
        pattern=Pattern(r"(?i:cookie):[^\n]{0,500}?(?i:session|sid|auth|token)\w{0,20}=(?P<secret>[!#-&(-:<-~]{12,4096})"),
    ),
    Rule(
        kind="twilio", literals=("twilio",),
        pattern=Pattern(r"(?i:twilio)[^\n]{0,60}?(?<![A-Za-z0-9])(?P<secret>[0-9a-f]{32})(?![A-Za-z0-9])"),
    ),
    Rule(
        kind="azure", literals=("key",),
        pattern=Pattern(r"(?i:(?<=account)|(?<=sharedaccess))(?i:key)\s{0,2}=\s{0,2}(?P<secret>[A-Za-z0-9+/=]{20,255})"),
    ),
    Rule(
        kind="url-password", literals=("://",), accept=is_url_password,
        pattern=Pattern(r"://[^\s/:@\"'<>]{0,256}:(?P<secret>[!#-&(-.0-;=?A-~]{1,256})@(?=[A-Za-z0-9\[])"),
    ),
    Rule(
        kind="dsn-password", literals=("@tcp(",), accept=is_url_password, lead=200, reach=1,
        pattern=Pattern(r"[\w.-]{1,64}:(?P<secret>[!#-&(-.0-9;=?A-~]{1,128})@tcp\("),
    ),
    Rule(
        kind="authorization", literals=("auth",), accept=no_stand_in,
        pattern=Pattern(
            r"(?i:authorization)" + _ASSIGN
            + r"""["'`]?(?i:bearer|basic|token|apikey)\s+(?P<secret>[A-Za-z0-9._~+/=-]{8,4096})"""
        ),
    ),
    Rule(
        kind="authorization", literals=("bearer",), accept=has_digit,
        pattern=Pattern(r"(?i:bearer)\s{1,4}(?P<secret>[A-Za-z0-9._~+/-]{20,4096}={0,2})"),
    ),
    Rule(
        kind="assigned", literals=NAMES, accept=is_free_secret,
        pattern=Pattern(
            r"(?<!:)(?:pass(?:word|wd|phrase|(?![a-z]))|pwd|secret|credentials?"
            r"|(?<!next)(?<!page)(?<!change)(?<!lock)token(?!s)"
            r"|(?:(?<=api)|(?<=api[_-])|(?<=access)|(?<=access[_-])|(?<=private)|(?<=private[_-])|(?<=auth)"
            r"|(?<=auth[_-])|(?<=client-))key)"
            r"(?![_-]?(?:name|id|url|uri|path|file|type|count|limit|ttl|expir))[a-z0-9_-]{0,40}"
            + _ASSIGN + _QUOTE + rf"(?P<secret>{_FREE}{{8,512}}+)(?![(\[])",
            re.IGNORECASE,
        ),
    ),
    Rule(
        kind="assigned", literals=NAMES, accept=is_set,
        pattern=Pattern(_NAMED + r"\w{0,40}[ \t]{1,4}" + _QUOTE + rf"(?P<secret>{_FREE}{{8,512}}+)", re.IGNORECASE),
    ),
    Rule(
        kind="assigned", literals=NAMES, accept=is_element,
        pattern=Pattern(
            _NAMED + r"[\w.-]{0,40}(?:\s[^<>\n]{0,120}+)?(?:>|&gt;)(?:<!\[CDATA\[)?"
            r"(?P<secret>(?:[^\s<>\]&]|&(?!lt;)){4,512}+)(?:\]\]>)?(?:<|&lt;)/",
            re.IGNORECASE,
        ),
    ),
    Rule(
        kind="assigned", literals=NAMES, accept=is_named_value,
        pattern=Pattern(
            _NAMED + r"""[\w.-]{0,40}(?:["']?,?\s{1,20}["']?value["']?\s{0,2}[:=]\s{0,2}["']?|</key>\s{0,20}<string>)"""
            r"""(?P<secret>[^"'\s<>]{6,512})""",
            re.IGNORECASE,
        ),
    ),
    Rule(
        kind="assigned", literals=("key",), accept=is_free_key,
        pattern=Pattern(r"(?<=[A-Z0-9]_)KEY" + _BLANK + "=" + _BLANK + _QUOTE
                           + r"(?P<secret>[A-Za-z0-9+/=_.-]{16,512}+)(?![(\[])"),
    ),
)  # fmt: skip

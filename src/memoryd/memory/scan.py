"""Texts that hide something, steer an agent, carry data out, or open a way in; English and Chinese side by side.

A hit is a flag, not a verdict: a user may well say "ignore the previous instructions". Acceptance refuses what the user
did not say; what the user did say is kept and shown with its flag.
"""

import base64
import binascii
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum

from memoryd.ipc.sanitise import strip_invisible
from memoryd.patterns import lazy


class Threat(StrEnum):
    INVISIBLE = "invisible"
    INJECTION = "injection"
    EXFILTRATION = "exfiltration"
    BACK_DOOR = "back-door"


#: characters that a reader does not see; joiners and selectors count only where no emoji or script needs them
INVISIBLE: Mapping[str, str] = {
    "control character": "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]",
    "soft hyphen": "[\xad\u034f\u061c]",
    "zero-width space": "\u200b",
    "zero-width joiner": "[\u200c\u200d]",
    "direction mark": "[\u200e\u200f]",
    "direction override": "[\u202a-\u202e]",
    "direction isolate": "[\u2066-\u2069]",
    "word joiner or invisible operator": "[\u2060-\u2065\u206a-\u206f\U0001d173-\U0001d17a]",
    "byte order mark": "\ufeff",
    "line or paragraph separator": "[\u2028\u2029]",
    "blank letter": "[\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0]",
    "annotation": "[\ufff0-\ufffb]",
    "tag character": "[\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]",
    "variation selector": "[\ufe00-\ufe0f\U000e0100-\U000e01ef]",
    "private or lone character": "[\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]",
}
_HIDDEN = {name: lazy(pattern) for name, pattern in INVISIBLE.items()}
#: never drawn, wherever they stand; what `strip_invisible` removes may be fine in its place
_ALWAYS_HIDDEN = lazy("|".join(INVISIBLE[name] for name in (
    "line or paragraph separator", "annotation", "private or lone character", "control character",
)))  # fmt: skip

_SECRETS = r"(?:credentials?|passwords?|secrets?|tokens?|api[ _-]?keys?|private keys?|\.env\b|ssh keys?|cookies?)"
_SECRETS_ZH = r"(?:密码|口令|密钥|令牌|凭证|凭据|私钥|环境变量)"

#: of each class the English patterns and the Chinese ones; each takes a time that grows as the text does
PATTERNS: Mapping[Threat, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Threat.INJECTION: (
        (
            r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|system|safety)\b"
            r".{0,30}\b(?:instructions?|rules|prompts?|guidelines|messages)\b",
            r"\byou are now\b|\bfrom now on you (?:are|act)\b|\bpretend (?:to be|you are|that you)\b",
            r"\b(?:new|updated|real) (?:system )?instructions?\s*:",
            r"^[^\w\n]*(?:system|assistant|developer)\s*(?:prompt|message)?\s*:",
            r"\b(?:act|behave|respond) as (?:if|though) (?:you|there)\b.{0,40}\b(?:no|without)\b",
            r"\b(?:do not|don['’]t|never) (?:tell|inform|mention|reveal)\b.{0,20}\b(?:user|anyone|person|human)\b",
            r"\b(?:jailbreak|developer mode|dan mode|unrestricted mode)\b",
            # "never commit without asking the user" is a rule of care
            r"(?:^|[.;!?]\s)(?!(?>[^.;!?\n]*?\b(?:never|not|don['’]t|no|nothing)\b)[^.;!?\n]*\bwithout)[^.;!?\n]*"
            r"\bwithout (?:asking|confirmation|permission|telling)\b.{0,20}\buser\b",
            r"\b(?:bypass|disable|turn off|skip)\b.{0,20}\b(?:safety|security|permission|approval|guard ?rails?)\b",
            r"<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?INST\]|<<SYS>>|</?(?:system|instructions?)>",
        ),
        (
            r"(?:忽略|无视|忘记|忘掉|不要理会).{0,12}(?:之前|先前|以上|上述|前面|所有|系统).{0,12}(?:指令|指示|规则|提示|要求)",
            r"(?:从现在起|现在开始)?你(?:现在)?(?:是|扮演)一个?.{0,10}(?:不受限制|没有限制|无限制)",
            r"(?:新的|真正的)(?:系统)?(?:指令|指示|提示)\s*[:：]",
            r"^[^\w\n]*(?:系统|助手|开发者)(?:提示|消息)?\s*[:：]",
            r"(?:不要|不得|别|禁止)(?:告诉|告知|通知|提醒|透露给)(?:用户|任何人|别人)",
            r"(?:越狱|开发者模式|无限制模式)",
            r"(?:绕过|关闭|跳过|禁用).{0,8}(?:安全|权限|审批|审核|防护)",
            r"(?:无需|不用|不必)(?:询问|经过|征得)用户",
            r"(?:假装|扮演|充当)(?:你是|成|一个)?.{0,10}(?:管理员|系统|开发者|黑客)",
        ),
    ),
    Threat.EXFILTRATION: (
        (
            rf"\b(?:send|upload|post|e?mail|transmit|leak|exfiltrate|forward|share)\b.{{0,60}}\b{_SECRETS}",
            rf"\b{_SECRETS}.{{0,60}}\b(?:to|at)\s+https?://",
            rf"\b(?:curl|wget|nc|fetch)\b.{{0,80}}(?:\$\w+|\.env\b|{_SECRETS})",
            r"\b(?:cat|print|echo|read|dump)\b.{0,30}(?:~?/\.ssh|\.env\b|/etc/(?:passwd|shadow)|id_rsa|\.aws/|\.netrc)",
            r"\b(?:encode|base64)\b.{0,40}\b(?:append|include|put)\b.{0,20}\burl\b",
        ),
        (
            rf"(?:发送|上传|传到|发到|泄露|转发|提交).{{0,20}}{_SECRETS_ZH}",
            rf"(?:把|将).{{0,15}}{_SECRETS_ZH}.{{0,20}}(?:发送|上传|发给|发到|传给|写入)",
            rf"(?:读取|打印|输出|导出).{{0,10}}{_SECRETS_ZH}.{{0,10}}(?:文件|内容|并)",
            rf"{_SECRETS_ZH}.{{0,20}}https?://",
        ),
    ),
    Threat.BACK_DOOR: (
        (
            r"\bauthorized_keys\b",
            r"\b(?:curl|wget)\b[^|\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
            r"\b(?:add|create|install|open)\b.{0,30}\b(?:back ?door|reverse shell|root user|admin (?:user|account))\b",
            r"\bbase64\s+(?:-d|--decode|-D)\b[^|\n]{0,80}\|\s*(?:sudo\s+)?(?:\w*sh|python\d?)\b|/dev/tcp/",
        ),
        (
            r"(?:添加|植入|留下|安装|创建).{0,10}(?:后门|反弹|木马|管理员账[号户])",
            r"(?:写入|加入|修改).{0,10}(?:authorized_keys|sudoers|crontab)",
            r"(?:下载|拉取).{0,20}(?:脚本|程序).{0,10}(?:直接|立即|并).{0,4}(?:执行|运行)",
        ),
    ),
}

_COMPILED = {
    threat: lazy("|".join(f"(?:{p})" for patterns in both for p in patterns), re.IGNORECASE | re.MULTILINE)
    for threat, both in PATTERNS.items()
}
_BASE64 = lazy(r"(?<![\w+/])[A-Za-z0-9+/]{24,4000}={0,2}(?![\w+/=])")


def threats(text: str) -> frozenset[Threat]:
    """Return the classes of threat that a text shows signs of; wide letters and base64 are read as what they say."""
    shown = "\n".join([unicodedata.normalize("NFKC", text), *_decoded(text)])
    found = {threat for threat, pattern in _COMPILED.items() if pattern.search(shown)}
    return frozenset(found | ({Threat.INVISIBLE} if hidden(text) else set()))


def hidden(text: str) -> tuple[str, ...]:
    """Return the kinds of characters in a text that a reader does not see and a model does, named for people.

    Line ends and tabs are fine, and so are the joiners and selectors that an emoji or a script needs in its place.
    """
    if text.isascii() and text.isprintable():
        return ()
    unseen = "".join([*(Counter(text) - Counter(strip_invisible(text))), *_ALWAYS_HIDDEN.findall(text)])
    return tuple(name for name, pattern in _HIDDEN.items() if pattern.search(unseen))


def _decoded(text: str) -> Iterator[str]:
    """What stands in a text as base64."""
    for run in _BASE64.findall(text):
        try:
            yield base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue

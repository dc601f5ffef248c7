"""Texts that try to steer an agent, to carry data out, or to open a way in; English and Chinese side by side.

A hit is a flag, not a verdict: a user may well say "ignore the previous instructions". Acceptance refuses what the user
did not say.
"""

import re
from enum import StrEnum


class Threat(StrEnum):
    INJECTION = "injection"
    EXFILTRATION = "exfiltration"
    BACK_DOOR = "back-door"


_SECRETS = r"(?:credentials?|passwords?|secrets?|tokens?|api[ _-]?keys?|private keys?|\.env\b|ssh keys?|cookies?)"
_SECRETS_ZH = r"(?:密码|口令|密钥|令牌|凭证|凭据|私钥|环境变量)"

_PATTERNS: dict[Threat, tuple[str, ...]] = {
    Threat.INJECTION: (
        r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|system|safety)\b.{0,30}"
        r"\b(?:instructions?|rules|prompts?|guidelines|messages)\b",
        r"\byou are now\b|\bfrom now on you (?:are|act)\b",
        r"\b(?:new|updated|real) (?:system )?instructions?\s*:",
        r"^\W*(?:system|assistant|developer)\s*(?:prompt|message)?\s*:",
        r"\b(?:act|behave|respond) as (?:if|though) (?:you|there)\b.{0,40}\b(?:no|without)\b",
        r"\b(?:do not|don['’]t|never) (?:tell|inform|mention|reveal)\b.{0,20}\b(?:user|anyone|person|human)\b",
        r"\b(?:jailbreak|developer mode|dan mode|unrestricted mode)\b",
        # "never commit without asking the user" is a rule of care
        r"(?:^|[.;!?]\s)(?![^.;!?\n]*\b(?:never|not|don['’]t|no|nothing)\b[^.;!?\n]*\bwithout)[^.;!?\n]*"
        r"\bwithout (?:asking|confirmation|permission|telling)\b.{0,20}\buser\b",
        r"\b(?:bypass|disable|turn off|skip)\b.{0,20}\b(?:safety|security|permission|approval|guard ?rails?)\b",
        r"(?:忽略|无视|忘记|忘掉|不要理会).{0,12}(?:之前|先前|以上|上述|前面|所有|系统).{0,12}(?:指令|指示|规则|提示|要求)",
        r"(?:从现在起|现在开始)?你(?:现在)?(?:是|扮演)一个?.{0,10}(?:不受限制|没有限制|无限制)",
        r"(?:新的|真正的)(?:系统)?(?:指令|指示|提示)\s*[:：]",
        r"^\W*(?:系统|助手|开发者)(?:提示|消息)?\s*[:：]",
        r"(?:不要|不得|别|禁止)(?:告诉|告知|通知|提醒|透露给)(?:用户|任何人|别人)",
        r"(?:越狱|开发者模式|无限制模式)",
        r"(?:绕过|关闭|跳过|禁用).{0,8}(?:安全|权限|审批|审核|防护)",
        r"(?:无需|不用|不必)(?:询问|经过|征得)用户",
    ),
    Threat.EXFILTRATION: (
        rf"\b(?:send|upload|post|e?mail|transmit|leak|exfiltrate|forward|share)\b.{{0,60}}\b{_SECRETS}",
        rf"\b{_SECRETS}.{{0,60}}\b(?:to|at)\s+https?://",
        rf"\b(?:curl|wget|nc|fetch)\b.{{0,80}}(?:\$\w+|\.env\b|{_SECRETS})",
        r"\b(?:cat|print|echo|read|dump)\b.{0,30}(?:~?/\.ssh|\.env\b|/etc/(?:passwd|shadow)|id_rsa|\.aws/|\.netrc)",
        r"\b(?:encode|base64)\b.{0,40}\b(?:append|include|put)\b.{0,20}\burl\b",
        rf"(?:发送|上传|传到|发到|泄露|转发|提交).{{0,20}}{_SECRETS_ZH}",
        rf"(?:把|将).{{0,15}}{_SECRETS_ZH}.{{0,20}}(?:发送|上传|发给|发到|传给|写入)",
        rf"(?:读取|打印|输出|导出).{{0,10}}{_SECRETS_ZH}.{{0,10}}(?:文件|内容|并)",
        rf"{_SECRETS_ZH}.{{0,20}}https?://",
    ),
    Threat.BACK_DOOR: (
        r"\bauthorized_keys\b",
        r"\b(?:curl|wget)\b[^|\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
        r"\b(?:add|create|install|open)\b.{0,30}\b(?:back ?door|reverse shell|root user|admin (?:user|account))\b",
        r"(?:添加|植入|留下|安装|创建).{0,10}(?:后门|反弹|木马|管理员账[号户])",
        r"(?:写入|加入|修改).{0,10}(?:authorized_keys|sudoers|crontab)",
    ),
}  # fmt: skip

_COMPILED = {
    threat: re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.MULTILINE)
    for threat, patterns in _PATTERNS.items()
}


def threats(text: str) -> frozenset[Threat]:
    """Return the classes of threat that a text shows signs of."""
    return frozenset(threat for threat, pattern in _COMPILED.items() if pattern.search(text))

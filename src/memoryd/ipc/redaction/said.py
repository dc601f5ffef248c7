"""Secrets of a sentence, in the languages that people speak of them: "the password is ...", `密碼：...`."""

import re

from memoryd.ipc.redaction.rule import Pattern, Rule, is_said_secret, is_said_token, is_said_word

_OPEN = r"""["'“„「『«`]?"""
_SIGN = r"""["'”」`]?\s{0,4}(?:=>|[:：=—–])\s{0,4}"""
_IS = rf"(?:\s{{0,4}}(?:是|为|為|改成了?|改为|改為|设为|設為|设成|設成|は|が|은|는|이|가)[\s:：]{{0,4}}|{_SIGN})"
_NO_COUNT = r"(?!\d{1,6}\s?[年月日位个個次回桁文년월일자회번])"  #: how long it is, or since when
_EST = rf"(?:\s{{1,4}}(?:is|ist|lautet|war|est|es|era|é|è|jest)[\s:]{{1,4}}|{_SIGN})"
_OF = r"(?: [\w.]{1,20}){0,3}?"  #: what it opens: "mot de passe de la base"

_CJK_PASSWORDS = ("密码", "口令", "密碼", "パスワード", "비밀번호", "패스워드")
_CJK_TOKENS = ("密钥", "令牌", "凭证", "凭据", "密鑰", "金鑰", "權杖", "憑證", "トークン", "토큰")
_PASSWORDS = ("contrase", "senha", "kennwort", "пароль", "hasło", "şifre", "mật khẩu")

WORDS = (*_PASSWORDS, *_CJK_PASSWORDS, *_CJK_TOKENS)  #: what the name of a secret may hold beside `context.NAMES`

SAID: tuple[Rule, ...] = (
    Rule(
        kind="said", literals=("pass",), accept=is_said_secret,
        pattern=Pattern(
            r"(?:password|passwd|passphrase|passcode)(?: (?:for|of|to|on)(?: [\w.-]{1,20}){1,3}?)?"
            r"\s{1,4}(?:is|was)[\s:]{1,4}[\"'`]?(?P<secret>[!-~]{6,128})",
            re.IGNORECASE,
        ),
    ),
    Rule(
        kind="said", literals=("pass",), accept=is_said_word,
        pattern=Pattern(
            rf"(?:passwort|(?<=mot de )passe){_OF}{_EST}{_OPEN}\s?(?P<secret>[!-~]{{6,128}})", re.IGNORECASE
        ),
    ),
    Rule(
        kind="said", literals=_PASSWORDS, accept=is_said_word,
        pattern=Pattern(
            rf"(?:contrase(?:ñ|n)a|{'|'.join(_PASSWORDS[1:])}){_OF}{_EST}{_OPEN}\s?(?P<secret>[!-~]{{6,128}})",
            re.IGNORECASE,
        ),
    ),
    Rule(
        kind="said", literals=_CJK_PASSWORDS, accept=is_said_secret,
        pattern=Pattern(rf"(?:{'|'.join(_CJK_PASSWORDS)}){_IS}{_OPEN}{_NO_COUNT}(?P<secret>[!-~]{{4,128}})"),
    ),
    Rule(
        kind="said", literals=_CJK_TOKENS, accept=is_said_token,
        pattern=Pattern(rf"(?:{'|'.join(_CJK_TOKENS)}){_IS}{_OPEN}(?P<secret>[!-~]{{8,128}})"),
    ),
    Rule(
        kind="said", literals=("token", "key"), accept=is_said_token,
        pattern=Pattern(
            rf"(?i:token|key)\s{{0,4}}(?:是|为|為|改成|改为|改為|は|은|는|：)\s{{0,4}}{_OPEN}(?P<secret>[!-~]{{8,128}})"
        ),
    ),
)  # fmt: skip

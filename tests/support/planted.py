"""Secrets of many kinds to be planted, written in six ways, made at run time from a seed."""

import base64
import json
import random
import string
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, unquote
from uuid import UUID

EACH = 8  #: values of a kind
MIN_LEFT = 8  #: characters of a secret in a row that must not be left
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
WORD = ALNUM + "_-"
BASE64 = ALNUM + "+/"


class Dice:
    """Runs of characters at random, each with a letter and a digit."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def run(self, alphabet: str, chars: int) -> str:
        while True:
            made = "".join(self.random.choices(alphabet, k=chars))
            if any(c.isdigit() for c in made) and any(c.isalpha() for c in made) and made[0].isalnum():
                return made if made[-1].isalnum() else made[:-1] + "7"

    def uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))


Make = Callable[[Dice], tuple[str, str]]  #: what its provider puts before all of a kind, and the secret


def _prefixed(prefix: str, alphabet: str, chars: int) -> Make:
    return lambda dice: (prefix, dice.run(alphabet, chars))


def _run(alphabet: str, chars: int) -> Make:
    return _prefixed("", alphabet, chars)


def _jwt(dice: Dice) -> tuple[str, str]:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head = part({"alg": "HS256", "typ": "JWT"})
    said = part({"sub": dice.run(ALNUM, 18)})
    return f"{head}.{said[:12]}", f"{said[12:]}.{dice.run(WORD, 43)}"


def _pem(dice: Dice) -> tuple[str, str]:
    kind = dice.random.choice(["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"])
    body = "\n".join("".join(dice.random.choices(BASE64, k=64)) for _ in range(12))
    return f"{'-' * 5}BEGIN {kind}{'-' * 5}\n", f"{body}\n"


PLAIN = ("it is {} ok", "use {} there", "{}", "see ({}) here", "value: {} end")


#: kind -> how it is made, and the sentences that it stands in; prefixes are cut so that none stands in a file whole
KINDS: dict[str, tuple[Make, tuple[str, ...]]] = {
    "aws-access-key": (_prefixed("AK" + "IA", UPPER, 16), PLAIN),
    "github": (_prefixed("gh" + "p_", ALNUM, 36), PLAIN),
    "github-fine": (lambda d: ("github" + "_pat_", d.run(ALNUM, 22) + "_" + d.run(ALNUM, 59)), PLAIN),
    "gitlab": (_prefixed("glp" + "at-", WORD, 20), PLAIN),
    "slack": (_prefixed("xox" + "b-2345678901-", ALNUM, 24), PLAIN),
    "slack-webhook": (_prefixed("https://hooks.slack" + ".com/services/T01/B02/", ALNUM, 24), PLAIN),
    "anthropic": (_prefixed("sk-" + "ant-api03-", WORD, 93), PLAIN),
    "openai": (_prefixed("sk-" + "proj-", ALNUM, 64), PLAIN),
    "google": (_prefixed("AI" + "za", WORD, 35), PLAIN),
    "stripe": (_prefixed("sk_" + "live_", ALNUM, 24), PLAIN),
    "npm": (_prefixed("np" + "m_", ALNUM, 36), PLAIN),
    "pypi": (_prefixed("pyp" + "i-AgEIcHlwaS5vcmc", WORD, 80), PLAIN),
    "rubygems": (_prefixed("rubyg" + "ems_", HEX, 48), PLAIN),
    "huggingface": (_prefixed("h" + "f_", ALNUM, 34), PLAIN),
    "groq": (_prefixed("gs" + "k_", ALNUM, 52), PLAIN),
    "digitalocean": (_prefixed("dop" + "_v1_", HEX, 64), PLAIN),
    "linear": (_prefixed("lin_" + "api_", ALNUM, 40), PLAIN),
    "figma": (_prefixed("fig" + "d_", WORD, 40), PLAIN),
    "postman": (lambda d: ("PMA" + "K-", d.run(HEX, 24) + "-" + d.run(HEX, 34)), PLAIN),
    "grafana": (_prefixed("gls" + "a_", ALNUM, 41), PLAIN),
    "databricks": (_prefixed("da" + "pi", HEX, 32), PLAIN),
    "planetscale": (_prefixed("pscale" + "_tkn_", ALNUM, 43), PLAIN),
    "supabase": (_prefixed("sb" + "p_", HEX, 40), PLAIN),
    "hubspot": (lambda d: ("pat-" + "na1-", d.uuid()), PLAIN),
    "aliyun": (_prefixed("LT" + "AI5t", ALNUM, 20), PLAIN),
    "tencent": (_prefixed("AK" + "ID", ALNUM, 32), PLAIN),
    "telegram": (_prefixed("123456789:A" + "A", WORD, 33), PLAIN),
    "vault": (_prefixed("hv" + "s.", WORD, 90), PLAIN),
    "docker": (_prefixed("dckr" + "_pat_", WORD, 27), PLAIN),
    "shopify": (_prefixed("shp" + "at_", HEX, 32), PLAIN),
    "sendgrid": (lambda d: ("S" + "G.", d.run(WORD, 22) + "." + d.run(WORD, 43)), PLAIN),
    "jwt": (_jwt, PLAIN),
    "private-key": (_pem, ("my key:\n{}" + "-" * 5 + "END PRIVATE KEY" + "-" * 5 + "\nis in the vault",)),
    "aws-secret": (_run(BASE64, 40), ("aws_secret_access_key = {}", "AWS_SECRET_ACCESS_KEY={}")),
    "url-password": (
        _run(ALNUM, 14),
        ("git clone https://bob:{}@git.example.org/r.git", "postgresql://app:{}@db:5432/shop", "redis://:{}@cache:6379"),
    ),
    "connection-string": (
        _run(ALNUM, 18), ("Server=db;Database=shop;User Id=app;Password={};Encrypt=true", "Data Source=x;Pwd={};"),
    ),
    "azure": (
        lambda d: ("", d.run(BASE64, 86) + "=="), ("DefaultEndpointsProtocol=https;AccountKey={};EndpointSuffix=x",),
    ),
    "export": (_run(ALNUM, 24), ("export DEPLOY_TOKEN={}", "export X_API_KEY='{}'", "set BUILD_SECRET={}")),
    "assigned": (
        _run(ALNUM, 20), ('password = "{}"', "client_secret: {}", '{{"api_key": "{}"}}', "db.passwd={}"),
    ),
    "npmrc": (_run(ALNUM, 40), ("//registry.npmjs.org/:_authToken={}", "_auth={}")),
    "netrc": (_run(ALNUM, 16), ("machine git.example.org login bob password {}",
                                           "machine git.example.org\n  login bob\n  password {}")),
    "authorization": (_run(ALNUM, 32), ("curl -H 'Authorization: Bearer {}' x", "Authorization: Basic {}")),
    "cookie": (_run(ALNUM, 32), ("Cookie: theme=dark; session_id={}",)),
    "option": (_run(ALNUM, 18), ("deploy --password {}", "deploy --token={}", "curl -u bob:{} https://x.org")),
    "option-of-its-own": (
        _run(ALNUM, 18),
        ("sshpass -p {} ssh bob@db", "sshpass -p '{}' ssh bob@db", "docker login -u bob -p {} registry.example.org",
         "mysql -u root -p'{}' shop", "mysql -u root -p {} shop", "curl --user bob:{} https://x.org",
         "deploy --db-password {}", "PGPASSWORD={} psql -h db"),
    ),
    "set": (
        _run(ALNUM, 24),
        ("set -x API_TOKEN {}", "set -gx DEPLOY_API_KEY '{}'", "set -U -x DB_PASSWORD {}", "set --export API_TOKEN {}",
         "setx API_TOKEN {}", 'setx DB_PASSWORD "{}" /M', "setenv API_SECRET {}", "ENV API_TOKEN {}"),
    ),
    "element": (
        _run(ALNUM, 16),
        ("<password>{}</password>", "<db:password>{}</db:password>", '<apiKey type="text">{}</apiKey>',
         "<serverPassword><![CDATA[{}]]></serverPassword>", '<add key="DbPassword" value="{}"/>',
         '<property name="password" value="{}"/>', "- name: DB_PASSWORD\n  value: {}",
         "<key>Password</key><string>{}</string>"),
    ),
    "sql": (
        _run(ALNUM, 16),
        ("CREATE ROLE app WITH LOGIN PASSWORD '{}';", "alter user app with password '{}';",
         "CREATE USER 'app'@'%' IDENTIFIED BY '{}';", "create user app identified by '{}';",
         "ALTER USER app IDENTIFIED WITH mysql_native_password BY '{}';", 'ALTER USER app IDENTIFIED BY "{}"',
         "ALTER USER app IDENTIFIED BY {};", "SET PASSWORD FOR 'app' = PASSWORD('{}');"),
    ),
    "pgpass": (
        _run(ALNUM, 16), ("db.example.org:5432:shop:app:{}", "localhost:5432:*:bob:{}", "10.0.0.7:5433:x:app:{}"),
    ),
    "twitter": (lambda d: ("A" * 21, f"{d.run(ALNUM, 26)}%2B{d.run(ALNUM, 18)}%3D{d.run(ALNUM, 48)}"), PLAIN),
    "said": (
        _run(ALNUM, 12),
        ("my password is {} by the way", "the passphrase was {} then", "the password for the db is {}"),
    ),
    "said-in-europe": (
        _run(ALNUM, 12),
        ("Das Passwort für die Datenbank ist {}", "Kennwort: {}", "le mot de passe est {}", "mot de passe : {}",
         "la contraseña de la base es {}", "a senha é {}", "Пароль от базы: {}", "hasło: {}"),
    ),
    "said-in-asia": (
        _run(ALNUM, 12),
        ("数据库的密码是{}", "口令：{}", "資料庫的密碼：{}", "密碼改為 {}", "パスワードは {}", "パスワード：「{}」です",
         "비밀번호: {}", "비밀번호는 {} 입니다"),
    ),
    "token-said-in-asia": (_run(ALNUM, 24), ("令牌: {}", "金鑰是 {}", "トークンは {}", "토큰은 {}", "访问密钥：{}")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Planted:
    kind: str
    text: str  #: as it is written
    secret: str  #: as it is meant; of a token all but its provider's mark
    begins: str  #: how the secret begins, as it is written


def _json(text: str, dice: Dice) -> str:
    once = json.dumps({"text": text}, ensure_ascii=dice.random.random() < 0.5)
    return once if dice.random.random() < 0.7 else json.dumps(once)


def _wrapped(text: str, secret: str, dice: Dice) -> str:
    """Put words before the text until the secret stands across the end of a line of 40 to 80 columns."""
    width = dice.random.randint(40, 80)
    at = text.index(secret)
    within = dice.random.randint(4, max(4, min(len(secret) - 4, width - 8)))
    words = "and then we said that the build needs a value from the place where they are all kept for now "
    lead = (words * 3)[: (width - within - at) % width + width - 1] + " "
    first, *rest = (lead + text).split("\n")
    return "\n".join([*(first[n : n + width] for n in range(0, len(first), width)), *rest])


CHINESE = ("部署的时候用{}，别忘了。", "请记住：{}。以后都用这个", "他说{}不能泄露，但还是发给我了")


def _written(form: str, frame: str, secret: str, dice: Dice) -> tuple[str, str]:
    """The text, and the first characters of the secret in it."""
    text = frame.format(secret)
    match form:
        case "json":
            return _json(text, dice), secret[:6]
        case "url":
            return quote(text, safe=""), quote(secret[:6], safe="")
        case "url-chinese":
            return quote(dice.random.choice(CHINESE).format(text), safe=""), quote(secret[:6], safe="")
        case "wrapped":
            return _wrapped(text, secret, dice), secret[:4]
        case "chinese":
            return dice.random.choice(CHINESE).format(text), secret[:6]
        case _:
            return text, secret[:6]


FORMS = ("plain", "json", "url", "wrapped", "chinese", "url-chinese")


def planted(form: str, seed: int) -> list[Planted]:
    """`EACH` secrets of every kind, written in one way."""
    dice = Dice(seed)
    found = []
    for kind, (make, frames) in KINDS.items():
        for number in range(EACH):
            mark, secret = make(dice)
            text, begins = _written(form, frames[number % len(frames)], mark + secret, dice)
            found.append(Planted(kind, text, secret, begins))
    return found


def is_left(one: Planted, shown: str) -> bool:
    """Whether so much of a secret is left in a text that it is of use."""
    plain, meant = _plain(shown), _plain(one.secret)
    return any(meant[at : at + MIN_LEFT] in plain for at in range(max(1, len(meant) - MIN_LEFT + 1)))


def _plain(text: str) -> str:
    return "".join(unquote(text).replace("\\n", "").replace("\\", "").split())

"""Secrets in the shape of real ones, made at run time from a seed, so that no token stands in a file."""

import base64
import json
import random
import string

SEED = 20_261_130
_ALNUM = string.ascii_letters + string.digits
_B64 = _ALNUM + "+/"


def _take(rng: random.Random, alphabet: str, n: int) -> str:
    """n characters with at least one digit and one letter."""
    return "a1" + "".join(rng.choices(alphabet, k=n - 2))


def samples(seed: int = SEED) -> dict[str, tuple[str, str]]:
    """name -> (text that holds a secret, the secret itself)."""
    rng = random.Random(seed)

    def alnum(n: int) -> str:
        return _take(rng, _ALNUM, n)

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    upper = "".join(rng.choices(string.ascii_uppercase + string.digits, k=16))
    hexes = "".join(rng.choices("0123456789abcdef", k=32))
    jwt = ".".join([part({"alg": "HS256"}), part({"sub": alnum(8)}), alnum(43)])
    dashes = "-" * 5
    body = "\n".join("".join(rng.choices(_B64, k=64)) for _ in range(24))
    pem = f"{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{body}\n{dashes}END RSA PRIVATE KEY{dashes}"
    plain = {
        "aws access": "AK" + "IA" + upper,
        "github classic": "ghp" + "_" + alnum(36),
        "github server": "ghs" + "_" + alnum(36),
        "github fine": "github" + "_pat_" + alnum(22) + "_" + alnum(59),
        "gitlab": "glpat" + "-" + alnum(20),
        "slack": "xoxb" + "-" + "123456789012-" + alnum(24),
        "slack hook": "hooks.slack" + ".com/services/T0000/B0000/" + alnum(24),
        "anthropic": "sk" + "-ant-api03-" + alnum(90),
        "openai": "sk" + "-" + alnum(48),
        "openai project": "sk" + "-proj-" + alnum(60),
        "google": "AI" + "za" + alnum(35),
        "stripe": "sk" + "_live_" + alnum(24),
        "stripe restricted": "rk" + "_live_" + alnum(24),
        "npm": "npm" + "_" + alnum(36),
        "pypi": "pypi" + "-AgE" + alnum(60),
        "huggingface": "hf" + "_" + alnum(34),
        "sendgrid": "SG" + "." + alnum(22) + "." + alnum(43),
        "twilio": "SK" + hexes,
        "jwt": jwt,
        "pem": pem,
        "pem cut off": pem[:400],
        "pem escaped": pem.replace("\n", "\\n"),
    }
    aws, word, long_word = _take(rng, _B64, 40), alnum(9), alnum(24)
    said = {
        "aws secret": ("aws_secret_access_key = {}", aws),
        "azure": ("DefaultEndpointsProtocol=https;AccountKey={};Suffix=x", _take(rng, _B64, 86) + "=="),
        "url": ("git clone https://me:{}@example.org/repo.git", word),
        "database url": ("postgresql://app:{}@db:5432/x", word),
        "bearer": ("curl -H 'Authorization: Bearer {}' x", long_word),
        "basic": ('"Authorization": "Basic {}"', long_word + "=="),
        "export": ("export DEPLOY_TOKEN={}", long_word),
        "assignment": ('password = "{}"', "a1" + "".join(rng.sample(_ALNUM[2:26], 10))),
        "json": ('{{"api_key": "{}"}}', long_word),
        "yaml": ("client_secret: {}", long_word),
        "npmrc": ("//registry.npmjs.org/:_authToken={}", long_word),
        "twilio context": ("TWILIO auth {}", hexes),
        "said in English": ("my password is {} by the way", word),
        "said in Chinese": ("数据库的密码是{}，别忘了", word),
        "written in Chinese": ("密码：{}。", word),
    }
    found = {name: (f"it is {secret} ok", secret) for name, secret in plain.items()}
    return found | {name: (frame.format(secret), secret) for name, (frame, secret) in said.items()}

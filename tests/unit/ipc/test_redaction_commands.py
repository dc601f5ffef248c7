"""Secrets as people type them: options, netrc, cookies, and providers with a prefix of their own."""

import random
import string

import pytest

from memoryd.ipc.redaction import redact

SEED = 7
_dice = random.Random(SEED)


def made_up(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """A value that no file holds; it begins with a letter and has a digit."""
    return "q" + "".join(_dice.choices(alphabet, k=length - 2)) + "7"


HEX = "0123456789abcdef"
CASES = {
    "digitalocean": "dop" + "_v1_" + "0" + made_up(63, HEX).replace("q", "a"),
    "age": "AGE-SECRET" + "-KEY-1" + made_up(58, string.ascii_uppercase + string.digits).upper(),
    "telegram": "123456789" + ":AA" + made_up(33),
    "vault": "hvs" + "." + made_up(40),
    "docker": "dckr" + "_pat_" + made_up(27),
    "shopify": "shp" + "at_" + ("ab12" * 8),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_token_with_a_prefix_of_its_provider_is_replaced(kind: str) -> None:
    print("seed", SEED)
    assert redact(f"use {CASES[kind]} there") == f"use [secret:{kind}] there"


@pytest.mark.parametrize(
    "shape",
    [
        "deploy --password {}", "deploy --token={}", "curl -u bob:{} https://example.org", "mysql -h db -p{} shop",
        "machine example.org login bob password {}", "Cookie: theme=dark; session={}", "pass: {}", "password: {}",
    ],
)  # fmt: skip
def test_a_secret_as_it_is_typed_is_replaced(shape: str) -> None:
    value = "Sup3rSecretPwd" + made_up(6) if shape.startswith("password") else made_up(16)
    assert value not in redact(shape.format(value))


@pytest.mark.parametrize(
    "text",
    [
        "run it with --password and a file", "pass the test: all 12 of them", "curl -u $USER:$TOKEN https://example.org",
        "mysql -p shop", "login page, password field", "Cookie: theme=dark", "the token is read from TOKEN_FILE",
        "password: $DB_PASSWORD", "set --token=<your-token>", "secret_key = settings.SECRET_KEY",
    ],
)  # fmt: skip
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    assert redact(text) == text

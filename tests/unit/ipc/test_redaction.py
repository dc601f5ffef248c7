import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.secrets import SEED, samples

from memoryd.ipc.redaction import redact
from memoryd.ipc.redaction.engine import RULES

SAMPLES = samples()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_secret_is_replaced_and_the_text_around_it_stays(name: str) -> None:
    text, secret = SAMPLES[name]
    redacted = redact(text)
    print(f"seed {SEED}: {redacted}")
    assert secret not in redacted
    pieces = re.split(r"\[secret:[a-z-]+\]", redacted)
    assert len(pieces) == 2
    assert text.startswith(pieces[0])
    assert text.endswith(pieces[1])
    assert not any(line in redacted for line in secret.splitlines() if len(line) > 8)


@given(st.integers(0, 2**32))
def test_secrets_of_any_seed_are_found(seed: int) -> None:
    for text, secret in samples(seed).values():
        assert secret not in redact(text)


@given(st.sampled_from(sorted(SAMPLES)), st.sampled_from(sorted(SAMPLES)))
def test_redacting_twice_changes_nothing_more(first: str, second: str) -> None:
    once = redact(SAMPLES[first][0] + "\n" + SAMPLES[second][0])
    assert redact(once) == once
    assert SAMPLES[first][1] not in once
    assert SAMPLES[second][1] not in once


@pytest.mark.parametrize(
    "clean",
    [
        "token = os.environ['API_TOKEN_2']",
        "password = process.env.DB_PASSWORD1",
        "password: ${DB_PASSWORD_2}",
        "export API_TOKEN=$OTHER_TOKEN_1",
        "api_key = get_api_key(user1)",
        "password = config.database.password2",
        "password=<your-password-1>",
        "token: your-token-here-123",
        "secret_key_path: /etc/keys/id_ed25519",
        "max_tokens: 12345678",
        "tokens_used = abc12345678def",
        "token_expires_at: 2026-11-30T06:25:41Z",
        "the password is required",
        "密码是必填项",
        "https://user@example.org/path1",
        "https://user:password@example.org",
        "postgresql://app:$PASSWORD@db/x",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "sk-learn and task-management-for-large-teams-of-people",
        "pypi-server-configuration-and-deployment-notes",
        "ask-me-anything-about-the-number-42-please",
        "A bearer of good news, Authorization: none",
        "-----BEGIN PRIVATE KEY----- is how the file starts",
        "I use tabs, 4 wide; the key is to be consistent: always",
        "keyboard: qwerty-layout-2",
    ],
)
def test_what_only_looks_like_a_secret_stays(clean: str) -> None:
    assert redact(clean) == clean


def test_each_line_of_a_pgpass_file_loses_its_password() -> None:
    passwords = [f"pQ{n}xT{n}wRz" for n in range(4)]
    shown = redact("\n".join(f"db{n}:5432:shop:app:{password}" for n, password in enumerate(passwords)))
    assert shown == "\n".join(f"db{n}:5432:shop:app:[secret:pgpass]" for n in range(4))


def test_a_placeholder_names_its_kind_in_letters_only() -> None:
    for rule in RULES:
        assert re.fullmatch(r"[a-z-]+", rule.kind)


@given(st.text(max_size=300))
def test_any_text_can_be_redacted(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "repeated",
    ["eyJ", "sk-", "://", "://a:", "password=", "secret key ", "twilio ", "-----BEGIN PRIVATE KEY-----",
     "\\", "\\n", "%41", "auth",
     '"auth": "', "machine a login b password ", f"{'a1' * 20}\n",
     "mysql -p", "login -p ", "localhost:5432:a:b:", "a:5432:", "set -x API_TOKEN ", "<password ", "<password>a1",
     "identified by ",
     "name: password value: ", "contraseña ", "senha a b c ", "Passwort is ", "password for ",
     "密碼：", "パスワードは", "%E5%AF%86",
     "[secret:github] gh" + "p_" + "aB3" * 12, "[secret:x:0000]", "_", "A"],
)  # fmt: skip
def test_hostile_repetition_stays_linear(repeated: str) -> None:
    small, large = (repeated * (n // len(repeated)) for n in (64 * 1024, 256 * 1024))
    for text in (small, large):  # pytest-timeout is the bound: quadratic work on the larger one would take minutes
        assert SAMPLES["github classic"][1] not in redact(f"{text}\n{SAMPLES['github classic'][0]}")

"""A placeholder tells secrets apart without telling them, and survives whatever text goes through."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.secrets import samples

from memoryd.daemon import placeholder_key
from memoryd.ipc.redaction import configure, redact
from memoryd.ipc.sanitise import sanitise, sanitise_value

SAMPLES = samples()
TEXT, TOKEN = SAMPLES["github classic"]
FORM = re.compile(r"\[secret:[a-z-]+:[0-9a-f]{4}\]")


@pytest.fixture(autouse=True)
def key() -> Iterator[None]:
    configure(key=b"k" * 32)
    yield
    configure(key=b"")


def test_one_secret_has_one_placeholder_another_secret_or_key_another() -> None:
    one = redact(TOKEN)
    assert FORM.fullmatch(one)
    assert redact(f"export GITHUB_TOKEN={TOKEN}") == f"export GITHUB_TOKEN={one}"
    assert redact(TOKEN[:-6] + "Zz9Yy8") != one
    configure(key=b"o" * 32)
    assert redact(TOKEN) != one


def test_nothing_hides_in_what_only_looks_like_a_placeholder() -> None:
    word = "da39a3ee5e6b4b0d" + "3255bfef95601890afd80709"
    for hidden in (
        f"password = [secret:{word}]",
        f"://me:[secret:{word}]@example.org",
        f"token: '[secret:x-{word}:12ab]'",
    ):
        assert redact(redact(hidden)) == redact(hidden)
    assert redact(f"https://me:[pii:{TOKEN}]@example.org").count(TOKEN) == 0


def test_without_a_key_a_placeholder_has_no_hash_that_anyone_could_try_secrets_against() -> None:
    configure(key=b"")
    assert redact(TOKEN) == "[secret:github]"


def test_a_key_of_several_lines_is_the_same_secret_raw_and_escaped() -> None:
    pem = SAMPLES["pem"][1]
    assert redact(pem) == redact(pem.replace("\n", "\\n"))


@pytest.mark.parametrize("name", SAMPLES)
def test_what_was_replaced_stays_as_it_is_wherever_it_stands(name: str) -> None:
    text = redact(SAMPLES[name][0])
    found = FORM.search(text)
    assert found is not None
    shown = found[0]
    for again in (
        text, json.dumps(text), json.dumps(json.dumps(text)), f"> {text}", f"password = {shown}",
        f"Cookie: session={shown}", f"https://me:{shown}@example.org", f"密码是{shown}", f"export X_TOKEN={shown}",
    ):  # fmt: skip
        assert sanitise(again) == again
    assert sanitise_value({"api_token": shown}) == {"api_token": shown}


@given(st.sampled_from(sorted(SAMPLES)), st.sampled_from(sorted(SAMPLES)), st.sampled_from(["", " ", "/", "=", "\n"]))
def test_a_secret_beside_a_placeholder_is_still_found(first: str, second: str, between: str) -> None:
    once = redact(SAMPLES[first][0]) + between + SAMPLES[second][0]
    assert SAMPLES[second][1] not in redact(once)
    assert redact(redact(once)) == redact(once)


def test_the_key_is_made_once_for_its_owner_alone_and_made_again_when_it_is_torn(tmp_path: Path) -> None:
    made = placeholder_key.load(tmp_path)
    path = tmp_path / placeholder_key.NAME
    assert len(made) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert placeholder_key.load(tmp_path) == made
    path.write_bytes(made[:9])
    assert len(placeholder_key.load(tmp_path)) == 32

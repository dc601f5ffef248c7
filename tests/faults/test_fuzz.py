"""Payloads, transcripts, frontmatter and configuration with anything in them: an answer, or a typed error."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from support.events import START
from support.faults_profile import dice, pick
from support.faults_table import Judge

from memoryd.daemon import config
from memoryd.errors import ConfigError
from memoryd.ipc import hosts
from memoryd.ipc.hosts.base import RawHook, TranscriptState, TranslationError
from memoryd.memory import frontmatter

ROUNDS = pick(quick=150, full=20_000)
KEYS = (
    "session_id", "cwd", "prompt", "prompt_id", "type", "message", "content", "role", "uuid", "payload",
    "transcript_path",
    "tool_name", "tool_input", "hook_event_name", "timestamp", "id", "text", "parts", "source",
)  # fmt: skip
NAMES = ("Stop", "SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd", "assistant", "user", "message", "")


def anything(random: Random, depth: int = 3) -> object:
    """A value of JSON; objects have the keys that hosts use."""
    if depth and random.random() < 0.6:
        if random.random() < 0.7:
            return {random.choice(KEYS): anything(random, depth - 1) for _ in range(random.randrange(6))}
        return [anything(random, depth - 1) for _ in range(random.randrange(4))]
    plain = [
        None,
        True,
        0,
        -1.5,
        2**70,
        random.choice(NAMES),
        "\u0000",
        "\ud800",
        "x" * 3000,
        "/tmp",
        "2026-11-30T08:00:00Z",
    ]
    return random.choice(plain)


def line(random: Random) -> str:
    """JSON, or what is left of it."""
    whole = json.dumps({random.choice(KEYS): anything(random) for _ in range(8)}, ensure_ascii=random.random() < 0.9)
    return whole[: random.randrange(len(whole))] if random.random() < 0.1 else whole


def _text(line: str) -> str:
    """What can come over the socket: a lone surrogate is refused there."""
    return line.encode("utf-8", "replace").decode()


def payload(random: Random) -> None:
    host = random.choice(hosts.names())
    event = random.choice((None, *NAMES, *hosts.get(host).hook_events))
    raw = RawHook(
        id="0" * 32, at=START, host=host, event=event, raw=_text(line(random)), cwd=random.choice((None, "/tmp"))
    )
    try:
        hosts.get(host).translate(raw)
    except TranslationError:
        return


def transcript(random: Random) -> None:
    lines = "\n".join(line(random) for _ in range(5)).encode("utf-8", "surrogatepass")
    host = hosts.get(random.choice(hosts.names()))
    read = host.read_transcript(lines + b"\n", session_id="s", cwd="/tmp", state=TranscriptState(), final=True)
    assert read.bad_lines >= 0


def memory_file(random: Random) -> None:
    pieces = (
        "---\n",
        "name: x\n",
        "type: user\n",
        ": : :\n",
        "- [\n",
        "  a: &a [*a]\n",
        "tags: [",
        "\t\x00\n",
        "正文\n",
        "? \n",
        '"',
    )
    text = "---\n" * (random.random() < 0.8) + "".join(random.choice(pieces) for _ in range(random.randrange(12)))
    before, body = frontmatter.split(text)
    assert before + body == text
    frontmatter.read(text)


def configuration(random: Random, path: Path) -> None:
    pieces = ("[daemon]\n", "[agent]\n", "[budget]\n", "kind = 'rules'\n", "calls_per_hour = -1\n", "max_steps = 'x'\n",
              "socket = 3\n", "[recall.blocks.x]\n",
              "a.b.c = {}\n", "[[recall]]\n", "= 1\n", "\x00", "语 = 1\n")  # fmt: skip
    path.write_text("".join(random.choice(pieces) for _ in range(random.randrange(8))))
    try:
        config.load(path, {})
    except ConfigError:
        return


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("what", [payload, transcript, memory_file])
def test_no_content_is_met_with_an_error_that_nobody_expects(what: Callable[[Random], None], judge: Judge) -> None:
    random = dice(what.__name__)
    for _ in range(ROUNDS):
        what(random)
    judge(f"fuzz: {what.__name__.replace('_', ' ')}", ROUNDS)


@pytest.mark.timeout(3600)
def test_no_configuration_is_met_with_an_error_that_nobody_expects(tmp_path: Path, judge: Judge) -> None:
    random = dice("configuration")
    for _ in range(ROUNDS):
        configuration(random, tmp_path / "config.toml")
    judge("fuzz: configuration", ROUNDS)

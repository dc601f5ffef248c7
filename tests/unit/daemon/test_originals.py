"""Large results: their beginnings, and the wholes read again out of every host's transcript."""

import json
from pathlib import Path

import pytest

from memoryd.daemon import originals
from memoryd.daemon.journal.large import LargeText
from memoryd.daemon.originals import KEPT_CHARS, Place
from memoryd.ipc import hosts
from memoryd.ipc.events import Event, Message
from memoryd.ipc.hosts.base import TranscriptState

RECORDINGS = Path(__file__).parents[2] / "recordings"
HOSTS = ("claude-code", "codex", "copilot", "gemini", "qwen")
SECRET = "hunter2-correct-horse"
LARGE = "\n".join(f"row {n} of 界" for n in range(1_500)) + f"\npassword={SECRET}\nthe last row"


def results(events: tuple[Event, ...] | list[Event]) -> list[Message]:
    return [event for event in events if isinstance(event, Message) and event.data.role == "tool"]


def read(host: str, chunk: bytes) -> tuple[Event, ...]:
    return hosts.get(host).read_transcript(
        chunk, session_id="s", cwd="/w", state=TranscriptState(), final=True
    ).events  # fmt: skip


def grown(host: str) -> bytes:
    """A recorded transcript in which the first result of a tool is a large one."""
    talk = (RECORDINGS / host / "talk.jsonl").read_bytes()
    said = results(read(host, talk))[0].data.text
    known = json.dumps(said, ensure_ascii=False)[1:-1].encode()
    assert known in talk
    return talk.replace(known, json.dumps(LARGE, ensure_ascii=False)[1:-1].encode())


@pytest.mark.parametrize("host", HOSTS)
def test_a_large_result_of_each_host_keeps_its_beginning_and_is_read_again_whole(host: str, tmp_path: Path) -> None:
    path, talk = tmp_path / "t.jsonl", grown(host)
    path.write_bytes(b"{}\n" + talk)
    place = Place(path=str(path), start=3, size=len(talk))
    short = next(one for one in results(originals.shortened(read(host, talk), place)) if one.data.original)
    original = short.data.original
    assert original is not None
    assert (len(short.data.text), original.chars >= len(LARGE)) == (KEPT_CHARS, True)
    found = LargeText(dir=tmp_path, host=host, session_id="s", name="", text=short.data.text, original=original)
    text, state = originals.read(found)
    assert (state, originals.state(original), text.startswith(short.data.text)) == ("", "", True)
    assert text.rstrip().endswith("the last row")
    assert SECRET not in text
    path.write_bytes(b"{}\n" + talk.replace(b"row 7 of", b"row 8 of"))
    assert originals.read(found) == (short.data.text, "changed")
    path.write_bytes(b"{}")
    assert originals.state(original) == "changed"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert originals.read(found)[1] == "gone"
    path.unlink()
    assert (originals.read(found)[1], originals.state(original)) == ("gone", "gone")


def test_what_a_hook_brought_keeps_its_beginning_alone_and_short_results_have_no_original() -> None:
    envelope = {"id": "r", "host": "cursor", "session_id": "s", "at": "2026-11-30T08:00:00Z"}
    told = [
        Message.model_validate({**envelope, "data": {"role": role, "text": "x" * length}})
        for role, length in (("tool", 5_000), ("tool", 2_000), ("tool", 900), ("user", 5_000))
    ]
    short = results(originals.shortened(told))
    assert [len(one.data.text) for one in short] == [KEPT_CHARS, KEPT_CHARS, 900]
    assert [one.data.original is not None for one in short] == [True, False, False]
    assert short[0].data.original is not None
    assert originals.state(short[0].data.original) == "gone"
    assert originals.shortened(told)[3] is told[3]

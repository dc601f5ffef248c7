"""The demo's session, purged: a search of every byte below the data directory finds nothing that was said in it."""

from pathlib import Path

from memoryd.daemon.demo import replay
from memoryd.daemon.demo.replay import Checks, Stage

WORDS = ("张三", "Hetzner", "Fly.io", "PostgreSQL", "structlog", "pnpm", "make lint", "imperative", "Linear", "简洁")


def test_nothing_that_was_said_in_the_demo_is_left_after_its_purge(tmp_path: Path) -> None:
    with Stage(tmp_path / "demo") as stage:
        replay.replay(stage, replay.read_script(), Checks())
        assert sorted({word for word in WORDS if _holding(stage.places.data, word)}) == sorted(WORDS)
        (session,) = stage.call("session.list").items
        done = stage.call("memory.purge", session=session.session_id)
        assert done.line_count > 10
        transcripts = [place.where for place in done.unreached if place.where.endswith(".jsonl")]
        assert transcripts
        assert [(word, _holding(stage.places.data, word)) for word in WORDS if _holding(stage.places.data, word)] == []
        recalled = stage.call("recall.snapshot", cwd=str(stage.project)).text
        assert not [word for word in WORDS if word in recalled]
    assert not [word for word in WORDS if _holding(stage.places.data, word)]


def _holding(data: Path, word: str) -> list[str]:
    return [str(path) for path in data.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]

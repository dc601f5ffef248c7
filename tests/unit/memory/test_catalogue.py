import random
import string
from datetime import UTC, datetime

import pytest

from memoryd import seeds
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import FileKey, Root

AT = datetime(2026, 11, 1, tzinfo=UTC)
#: put together at run time, so that no token-shaped text stands in this file
SECRET = "gh" + "p_" + "".join(random.Random(5).choices(string.ascii_letters + string.digits, k=36))
DB = FileKey(Root.PROJECT, "knowledge/db.md")
FILES: dict[FileKey, bytes] = {
    FileKey(Root.USER, "user.md"): "# User\n<!-- c -->\n- 我叫张三，是 Rust 开发者\n".encode(),
    FileKey(Root.PROJECT, "constraints.md"): b"- never push to main\nplain words\n",
    FileKey(
        Root.PROJECT, "MEMORY.md"
    ): b"# Memory\n<!-- memoryd:index -->\n- x\n<!-- /memoryd:index -->\nread the wiki\n",
    DB: f"---\nname: Database\n---\nPostgres {SECRET}\n".encode(),
    FileKey(Root.PROJECT, "sessions/2026-11-02-b.md"): b"- Asked: b\n",
    FileKey(Root.PROJECT, "sessions/2026-11-03-a.md"): b"- Asked: a\n",
    FileKey(Root.PROJECT, "SKILL.md"): b"x",
}


def test_files_become_lines_entries_notes_and_sessions() -> None:
    catalogue = Catalogue.build(FILES, {DB: AT}, generation=7)
    assert catalogue.generation == 7
    assert [(line.key.path, line.text) for line in catalogue.lines] == [
        ("constraints.md", "never push to main"),
        ("user.md", "我叫张三，是 Rust 开发者"),
    ]
    assert catalogue.core[FileKey(Root.PROJECT, "constraints.md")] == "- never push to main\nplain words"
    assert list(catalogue.notes.values()) == ["read the wiki"]
    assert catalogue.entries[0].entry.updated_at == AT
    assert [session.date for session in catalogue.sessions] == ["2026-11-03", "2026-11-02"]
    assert not catalogue.empty


@pytest.mark.parametrize("language", ["en", "zh"])
def test_seeds_alone_are_an_empty_memory(language: str) -> None:
    catalogue = Catalogue.build(
        {FileKey(root, name): text for root in Root for name, text in seeds.files(language).items()}
    )
    assert catalogue.empty
    assert catalogue.lines == ()


def test_two_roots_join_without_parsing_again() -> None:
    user = Catalogue.build({k: v for k, v in FILES.items() if k.root is Root.USER}, generation=2)
    project = Catalogue.build({k: v for k, v in FILES.items() if k.root is Root.PROJECT}, generation=3)
    both = user.joined(project)
    assert both.generation == 5
    assert both.files.keys() == Catalogue.build(FILES).files.keys()
    assert both.entries[0] is project.entries[0]


def test_entries_that_did_not_change_are_taken_over() -> None:
    first = Catalogue.build(FILES, {DB: AT})
    assert Catalogue.build(FILES, {DB: AT}, previous=first) == first
    assert Catalogue.build(FILES, {DB: AT}, previous=first).entries[0] is first.entries[0]
    later = Catalogue.build(FILES, {DB: AT.replace(day=2)}, previous=first)
    assert later.entries[0].entry.updated_at == AT.replace(day=2)
    changed = Catalogue.build({**FILES, DB: b"new"}, previous=first)
    assert changed.entries[0].entry.body == "new"
    assert Catalogue.build({}, previous=first).entries == ()


def test_the_view_of_an_agent_is_redacted_and_puts_the_user_first() -> None:
    view = Catalogue.build(FILES).view()
    assert [line.key.root for line in view.core] == [Root.USER, Root.PROJECT]
    assert SECRET not in repr(view)
    assert "Postgres" in view.files[DB]
    assert [line.text for line in view.core if line.key.path == "constraints.md"] == ["never push to main"]


def test_the_language_is_that_of_the_memory() -> None:
    assert Catalogue.build({FileKey(Root.USER, "user.md"): "- 喜欢简洁的代码\n".encode()}).language() == "zh"
    assert Catalogue.build({FileKey(Root.USER, "user.md"): b"- likes short code\n"}).language() == "en"
    assert Catalogue().language() == "en"

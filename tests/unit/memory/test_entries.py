import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.errors import PathRefused
from memoryd.ipc.events import Tier
from memoryd.memory.entries import check_slug, make_slug, parse, path_of, render, revise, slug_of
from memoryd.memory.entries import version_slug as version
from memoryd.memory.model import EntryStatus, EntryType

MAY = datetime(2026, 5, 1, tzinfo=UTC)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_every_title_makes_a_slug_that_is_accepted(name: str) -> None:
    slug = make_slug(name)
    check_slug(slug)
    assert make_slug(slug) == slug
    assert slug_of(path_of(slug)) == slug
    assert unicodedata.is_normalized("NFC", slug)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("User Role", "user-role"),
        ("用户角色", "用户角色"),
        ("Ünïcode: façade!", "ünïcode-façade"),
        ("../../etc/passwd", "etc-passwd"),
        ("MEMORY", "memory-note"),
        ("…", "untitled"),
        ("a" * 30 + " " + "b" * 60, "a" * 30 + "-" + "b" * 33),
    ],
)
def test_slugs_are_kebab_case_and_keep_letters(name: str, slug: str) -> None:
    assert make_slug(name) == slug


@pytest.mark.parametrize(
    "slug",
    ["", "a/b", "a\\b", ".hidden", "..", "A-b", "a b", "a--b", "-a", "a-", "memory", "Skill", "a_v1", "a" * 65, "a.md",
     "cafe\u0301", "\U00020000" * 60, "a\u200bb", "a\x00"],
)  # fmt: skip
def test_names_that_are_no_slug_are_refused(slug: str) -> None:
    with pytest.raises(PathRefused):
        check_slug(slug)


def test_the_next_free_version_is_taken() -> None:
    assert version("db", set()) == "db_v1"
    assert version("db", {"db_v1", "db_v2"}) == "db_v3"


def test_an_entry_is_read_with_all_its_keys() -> None:
    text = (
        "---\nname: Role\ndescription: What the user does\ntype: user\nstatus: historical\nsuperseded_by: role-2\n"
        "created_at: 2026-01-01T00:00:00Z\nupdated_at: 2026-05-01\nsources: [claude-code/s#1]\ntier: user\n"
        "importance: 0.9\nconfidence: 0.5\nuses: 3\ntags: a, b\nown: x\n---\n\nAstronomer.\n"
    )
    entry = parse("role", text)
    assert (entry.name, entry.type, entry.status, entry.superseded_by) == (
        "Role", EntryType.USER, EntryStatus.HISTORICAL, "role-2",
    )  # fmt: skip
    assert entry.updated_at == MAY
    assert entry.sources == ("claude-code/s#1",)
    assert (entry.tier, entry.importance, entry.confidence, entry.uses) == (Tier.USER, 0.9, 0.5, 3)
    assert entry.tags == ("a", "b")
    assert entry.body == "Astronomer."


def test_reading_is_lenient() -> None:
    text = "---\nmemory_type: Reference\nimportance: huge\nuses: nan\nupdated_at: soon\n---\n# Dashboards\nx"
    entry = parse("boards", text)
    assert (entry.type, entry.status, entry.name, entry.importance, entry.uses) == (
        EntryType.REFERENCE, EntryStatus.ACTIVE, "Dashboards", 0.4, 0,
    )  # fmt: skip
    odd = "---\ntype: idea\nstatus: maybe\nname: a: b\n---\nx"
    assert parse("odd", odd).type is EntryType.PROJECT
    assert parse("odd", odd).malformed


def test_the_age_of_a_file_that_a_person_changed_counts_from_the_change() -> None:
    text = "---\nname: a\nupdated_at: 2026-05-01T00:00:00Z\n---\nx"
    assert parse("a", text, JUNE).updated_at == JUNE
    assert parse("a", text, datetime(2026, 1, 1, tzinfo=UTC)).updated_at == MAY
    assert parse("a", "x", JUNE).updated_at == JUNE


def test_a_revision_keeps_unknown_keys_comments_and_line_ends() -> None:
    old = "---\r\n# mine\r\nname: a\r\nown: kept\r\n---\r\nold\r\n"
    assert (
        revise(old, {"name": "b"}, "new\nbody") == "---\r\n# mine\r\nname: b\r\nown: kept\r\n---\r\n\r\nnew\r\nbody\r\n"
    )


@settings(deadline=None)
@given(st.text(max_size=200).filter(lambda t: "\r" not in t))
def test_what_is_rendered_reads_back(body: str) -> None:
    entry = parse("a", render({"name": "A: b", "type": "user", "tags": None}, body))
    assert (entry.name, entry.type, entry.body) == ("A: b", EntryType.USER, body.strip())

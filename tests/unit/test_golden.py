"""What peers of other releases rely on still holds: methods, events, databases (`python tests/golden` writes them)."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from golden import databases, wire
from golden.shapes import OPTIONAL, broken

from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.schema import MIGRATIONS
from memoryd.ipc.events import KINDS, EventAdapter
from memoryd.ipc.methods import METHODS
from memoryd.ipc.protocol import decode_reply, parse_request

WRITE = "`python tests/golden` writes what is missing"
VERSIONS = range(1, len(MIGRATIONS) + 1)


def held(folder: str) -> list[str]:
    return [path.stem for path in sorted((wire.HERE / folder).glob("*.json"))]


def test_every_method_every_kind_and_every_version_has_its_file() -> None:
    assert {*METHODS} - {*held("methods")} == set(), WRITE
    assert {*KINDS} - {*held("events")} == set(), WRITE
    assert [version for version in VERSIONS if not databases.file_of(version).exists()] == [], WRITE


@pytest.mark.parametrize("name", held("methods"))
def test_a_client_of_another_release_is_understood_and_understands(name: str) -> None:
    assert list(wire.faults(name)) == []
    golden = wire.told(name)
    assert parse_request(json.dumps(golden["request"]).encode()).method == name
    assert decode_reply(json.dumps(golden["reply"]).encode(), 1, name)


@pytest.mark.parametrize("name", held("events"))
def test_an_event_of_another_release_is_understood(name: str) -> None:
    assert list(wire.faults(name)) == []
    golden = wire.told(name)["event"]
    assert golden.items() <= EventAdapter.validate_python(golden).model_dump(mode="json").items()


@pytest.mark.parametrize(
    ("now", "why"),
    [
        ({}, ["a is gone"]),
        ({"a": "string", "b": "string"}, ["b is new and must be given"]),
        ({"a": "string", "b": "object" + OPTIONAL, "b.c": "string"}, []),
        ({"a": "integer | string"}, ["a can also be integer"]),
        ({"a": "integer"}, ["a can no longer be string", "a can also be integer"]),
    ],
)
def test_what_breaks_a_peer_is_told_and_what_is_added_is_not(now: dict[str, str], why: list[str]) -> None:
    assert list(broken({"a": "string"}, now, both_ways=True)) == why
    assert list(broken({"a": "string"}, now, both_ways=False)) == [w for w in why if "also" not in w]


def test_what_could_be_left_out_may_not_become_needed() -> None:
    assert list(broken({"a": "string" + OPTIONAL}, {"a": "string"}, both_ways=False)) == ["a must be given"]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str]]:
    """What a database of this release is made of."""
    path = tmp_path_factory.mktemp("fresh") / "state.db"
    journal = Journal.open(path)
    found = journal.read(databases.structure)
    journal.close()
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_of_each_version_comes_up_to_date_with_all_that_was_in_it(
    version: int, tmp_path: Path, fresh: list[tuple[str, str, str]]
) -> None:
    path = tmp_path / "state.db"
    with closing(databases.opened(version, path)) as connection:
        before = databases.rows(connection)
    before["meta"] = []  # says who wrote it last
    before["jobs"] = [{key: row[key] for key in ("dir", "due_seq", "done_seq")} for row in before["jobs"]]
    journal = Journal.open(path)
    try:
        assert databases.lost(before, journal.read(databases.rows)) == []
        assert journal.read(databases.structure) == fresh
        assert journal.rows("pragma integrity_check") == [{"integrity_check": "ok"}]
    finally:
        journal.close()

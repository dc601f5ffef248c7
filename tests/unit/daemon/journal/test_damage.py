"""A journal whose schema is no text any more: SQLite quotes it in its error, and that is no text either."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryd.daemon.journal.damage import damage_of
from memoryd.daemon.journal.journal import Journal
from memoryd.errors import InternalError


def test_a_schema_that_is_no_text_is_named_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    Journal.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma writable_schema = on")
        connection.execute("update sqlite_master set sql = cast(x'63726561746520877878' as text) where name = 'events'")
        connection.commit()
    assert damage_of(path) is not None
    with pytest.raises(InternalError, match="damaged"):
        Journal.open(path)

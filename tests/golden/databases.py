"""A small database of each version of the schema, with a row in every table, as SQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from memoryd.daemon.journal import schema

FOLDER = Path(__file__).parent / "databases"
#: of columns that hold a form
_VALUES = {
    "kind": "turn", "status": "open", "outcome": "applied", "data": "{}", "detail": "{}", "changes": "[]",
    "files": "[]", "refused": "[]", "flags": "[]", "shown": "[]", "facts": "[]", "steps": "[]",
}  # fmt: skip
_AT = "2026-11-30T08:00:00.000Z"

Rows = dict[str, list[dict[str, object]]]


def file_of(version: int) -> Path:
    return FOLDER / f"v{version}.sql"


def made(version: int) -> str:
    """The database of a version as SQL: its migrations and a row in each table."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        schema.bring_up(connection, 0, schema.MIGRATIONS[:version])
        connection.execute("insert into meta values ('written_by', '0.0.1')")
        for table in tables(connection):
            if not connection.execute(f"select 1 from {table} limit 1").fetchone():
                _fill(connection, table)
        connection.execute("update counters set value = 1")
        return "\n".join([*connection.iterdump(), f"PRAGMA user_version = {version};", ""])


def opened(version: int, path: Path) -> sqlite3.Connection:
    """The golden database at a path."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(file_of(version).read_text("utf-8"))
    return connection


def tables(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("select name from sqlite_master where type = 'table' order by name")]


def rows(connection: sqlite3.Connection) -> Rows:
    """Every row of every table."""
    return {table: list(_rows(connection, table)) for table in tables(connection)}


def lost(before: Rows, after: Rows) -> list[str]:
    """Which rows have no row after them that says the same, and more."""
    return [
        f"{table}: {row}"
        for table, found in before.items()
        for row in found
        if not any(row.items() <= now.items() for now in after.get(table, ()))
    ]


def structure(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """What the schema is made of, however it came to be."""
    listed = connection.execute("select type, name, tbl_name from sqlite_master where name not like 'sqlite_%'")
    columns = [
        ("column", f"{table}.{row[1]}", f"{row[2]} {row[3]} {row[4]} {row[5]}".lower())
        for table in tables(connection)
        for row in connection.execute(f"pragma table_info({table})")
    ]
    return sorted([*((kind, name, table) for kind, name, table in listed), *columns])


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, object]]:
    cursor = connection.execute(f"select * from {table}")
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor.fetchall())


def _fill(connection: sqlite3.Connection, table: str) -> None:
    columns = connection.execute(f"pragma table_info({table})").fetchall()
    values = [_value(table, name, kind) for _, name, kind, *_ in columns]
    connection.execute(f"insert into {table} values ({', '.join('?' * len(values))})", values)


def _value(table: str, name: str, kind: str) -> object:
    if kind.lower() in ("integer", "int"):
        return 1
    if kind.lower() == "real":
        return 0.5
    if kind.lower() == "blob":
        return f"{table} {name}".encode()
    return _AT if name == "at" or name.endswith(("_at", "_until")) else _VALUES.get(name, f"a {name} of {table}")

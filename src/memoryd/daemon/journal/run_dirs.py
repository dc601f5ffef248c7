"""The directories that one run changed besides its own: a purge and an import may change any number of them."""

import sqlite3
from collections.abc import Iterable

MIGRATION = """
    create table run_dirs (
        run_id text not null, dir text not null, primary key (run_id, dir)  -- dir '': every directory there was
    ) without rowid;
"""


def put_dirs(connection: sqlite3.Connection, run_id: str, dirs: Iterable[str]) -> None:
    connection.executemany(
        "insert or ignore into run_dirs (run_id, dir) values (?,?)", [(run_id, directory) for directory in dirs]
    )

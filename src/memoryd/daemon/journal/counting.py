"""WorkerStats of each directory; they survive a restart."""

import sqlite3
from typing import Any


def add_to_stats(connection: sqlite3.Connection, dir_path: str, **amounts: float) -> None:
    for name, amount in amounts.items():
        if amount:
            connection.execute(
                "insert into stats (dir, name, value) values (?,?,?)"
                " on conflict (dir, name) do update set value = value + excluded.value",
                (dir_path, name, amount),
            )


def set_stats(connection: sqlite3.Connection, dir_path: str, **values: Any) -> None:
    for name, value in values.items():
        connection.execute("insert or replace into stats (dir, name, value) values (?,?,?)", (dir_path, name, value))

"""The roots that a job of a directory may write: the user's, and the project's when there is one."""

import sqlite3
from pathlib import Path

from memoryd.memory.model import Root


def roots_of(connection: sqlite3.Connection, dir_path: str, user_memory: Path) -> dict[Root, Path]:
    """A directory given by an event's `memory_dir` is on its own: it holds the user's facts too."""
    if dir_path == str(user_memory):  # a command may change it before any session was bound to it
        return {Root.USER: user_memory}
    row = connection.execute("select kind from dirs where path = ?", (dir_path,)).fetchone()
    kind = row[0] if row else "project"
    if kind == "project":
        return {Root.USER: user_memory, Root.PROJECT: Path(dir_path)}
    return {Root.USER: Path(dir_path)}

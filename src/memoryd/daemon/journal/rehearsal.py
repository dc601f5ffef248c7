"""Whether this program can open a database, found out beside the daemon that uses it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from memoryd.daemon.journal import schema
from memoryd.daemon.journal.writer import translate


def rehearse(path: Path, migrations: tuple[str, ...] = schema.MIGRATIONS) -> None:
    """Migrate a copy, and leave the database as it is; without one, or where it is up to date, do nothing. Blocking.

    :raises RestartNeeded: a newer program wrote it
    :raises MemorydError: it cannot be read, copied or migrated
    """
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)) as connection:
            if schema.version_of(connection, path, migrations) < len(migrations):
                _migrate_copy(connection, path, migrations)
    except sqlite3.Error as error:
        raise translate(error) from error


def _migrate_copy(connection: sqlite3.Connection, path: Path, migrations: tuple[str, ...]) -> None:
    with closing(sqlite3.connect("", isolation_level=None)) as copy:  # a file without a name: nothing is ever left
        connection.backup(copy)
        schema.bring_up(copy, schema.version_of(copy, path, migrations), migrations)

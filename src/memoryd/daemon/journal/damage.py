"""Whether a database file is whole: for `memoryd doctor`, which looks at it without the daemon."""

import sqlite3
from contextlib import closing
from pathlib import Path

from memoryd.clock import mono

LOOK_SECONDS = 10.0  #: a gigabyte takes some
_STEPS = 100_000  #: of SQLite's machine between two looks at the clock


def damage_of(path: Path) -> str | None:
    """What is wrong with a database, None when nothing was found in ten seconds. Reads only; blocking."""
    until = mono() + LOOK_SECONDS
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.set_progress_handler(lambda: int(mono() > until), _STEPS)
            rows = connection.execute("pragma quick_check(1)").fetchall()
    except sqlite3.Error as error:
        return None if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT else str(error)
    except UnicodeDecodeError:  # what SQLite says quotes a schema that is no text any more
        return "its schema is no text"
    return None if rows == [("ok",)] else " ".join(str(rows[0][0]).split())

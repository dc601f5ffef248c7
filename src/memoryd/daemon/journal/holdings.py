"""How many rows the journal holds of what people said and of what was made of it. Reads only; blocking."""

from memoryd.daemon.journal.store import Store

TABLES = (
    "events",
    "sessions",
    "snapshots",
    "versions",
    "runs",
    "reviews",
    "goals",
    "notes",
    "quarantine",
    "tombstones",
)


def rows(journal: Store) -> dict[str, int]:
    """The number of rows of each table that a person may ask about."""
    return journal.read(
        lambda connection: {
            table: int(connection.execute(f"select count(*) from {table}").fetchone()[0]) for table in TABLES
        }
    )

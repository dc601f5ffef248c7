"""A small memory, read: what the tests of ranking and of search look at."""

from datetime import UTC, datetime

from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import FileKey, Root

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def a_catalogue(**bodies: str) -> Catalogue:
    """Entries of these slugs (`_` for `-`), a preferences file and one session."""
    files = {
        FileKey(Root.PROJECT, f"knowledge/{slug.replace('_', '-')}.md"): body.encode() for slug, body in bodies.items()
    }
    return Catalogue.build(
        {
            **files,
            FileKey(Root.USER, "preferences.md"): "- 喜欢简洁的代码风格\n- tabs in Python\n".encode(),
            FileKey(Root.PROJECT, "sessions/2026-11-02-b.md"): b"- Asked: rename the billing module\n",
        }
    )


CATALOGUE = a_catalogue(
    db="---\nname: Database\ndescription: which storage\ntype: project\n---\nPostgres for its JSON.\nRuns in Docker.\n",
    deploy="---\nname: Deploy\ntype: user\n---\nFly.io, Postgres too.\n",
    db_v1="---\nname: Database\nstatus: historical\nsuperseded_by: db\n---\nMySQL and Postgres compared.\n",
    hair="---\nname: Photo\ntype: project\n---\n頭髮 of the person in src/app/main.py, drawn by getUserById.\n",
)

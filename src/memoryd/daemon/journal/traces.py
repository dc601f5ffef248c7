"""What a purge takes besides events and versions: whatever else tells of them. Inside its transaction."""

import json
import sqlite3
from collections.abc import Mapping

from memoryd.clock import rfc3339
from memoryd.daemon.journal.selection import Found, Selection, as_json, quarantined_of, set_in
from memoryd.memory.text import fold


def forget_lines(connection: sqlite3.Connection, found: Found) -> None:
    """Citations of the lines that go, facts taken back that no version holds any more, and what runs were refused."""
    connection.executemany(
        "delete from citations where root = ? and path = ? and line = ?",
        [(root, path, line) for (root, path), lines in found.gone.items() for line in lines],
    )
    for table in ("named", "recall_hits"):  # the path of a file, too, tells what was in it
        connection.executemany(f"delete from {table} where root = ? and path = ?", [*found.gone])
    for root in {root for root, _ in found.gone}:
        blobs = connection.execute(
            "select distinct content from blobs join versions using (digest) where root = ?", (root,)
        )
        held = "\n".join(fold(bytes(content).decode("utf-8", "replace")) for (content,) in blobs)
        facts = connection.execute("select id, fact, run_id from rejected where root = ?", (root,)).fetchall()
        lost = [(ident,) for ident, fact, run in facts if fold(fact) not in held and not run.startswith("review-")]
        connection.executemany("delete from rejected where id = ?", lost)
    for run, text in connection.execute("select id, refused from runs where refused != '[]'").fetchall():
        kept = [one for one in json.loads(text) if not _rests_on(one, found.seqs)]
        connection.execute("update runs set refused = ? where id = ?", (json.dumps(kept, ensure_ascii=False), run))


def _rests_on(refused: Mapping[str, str], seqs: frozenset[int]) -> bool:
    try:
        cites = json.loads(refused["proposal"])["cites"]
    except (ValueError, KeyError, TypeError):
        return True  # of a proposal that does not say what it cites nobody knows that it may stay
    return bool(seqs & set(cites))


def forget_events(connection: sqlite3.Connection, rows: list[sqlite3.Row], found: Found) -> None:
    connection.executemany("delete from events where seq = ?", [(row["seq"],) for row in rows])
    connection.execute(
        "update sessions set note = '' where host || '/' || session_id in (select value from json_each(?))",
        (as_json(found.sessions),),
    )
    # a run that has read what is gone loses its token: it can no longer write, and starts again
    connection.execute(
        "update runs set outcome = 'conflict', reason = 'what it had read was purged', ended_at = started_at"
        " where id in (select run_id from jobs where run_id is not null)"
    )
    connection.execute(
        "update jobs set run_id = null, run_to = null, attempts = max(0, attempts - 1) where run_id is not null"
    )


def forget_retired(connection: sqlite3.Connection, found: Found) -> None:
    """What retention had left of events: nothing rests on them any more."""
    connection.executemany("delete from retired where seq = ?", [(seq,) for seq in found.seqs])


def forget_traces(connection: sqlite3.Connection, found: Found, selection: Selection, *, changed: bool) -> None:
    """What is left of sessions without events, and texts that may quote what is gone."""
    empty = [row[0] for row in connection.execute(_EMPTY_SESSIONS, _of_sessions(selection, found))]
    for table in ("snapshots", "turns"):
        connection.executemany(f"delete from {table} where session = ?", [(session,) for session in empty])
    connection.executemany(
        "delete from spawns where exists (select 1 from sessions where id = ? and spawns.host = sessions.host"
        " and sessions.session_id in (parent, child))", [(session,) for session in empty],
    )  # fmt: skip
    connection.executemany(
        "delete from unread_agents where exists (select 1 from sessions where id = ?"
        " and unread_agents.host = sessions.host and sessions.session_id in (parent, unread_agents.session_id))",
        [(session,) for session in empty],
    )
    connection.executemany("delete from sessions where id = ?", [(session,) for session in empty])
    if changed or found.gone:
        connection.execute("delete from snapshots")
    else:
        touched = as_json(found.sessions)
        connection.execute(
            "delete from snapshots where session in (select id from sessions where host || '/' || session_id in"
            " (select value from json_each(?)))", (touched,),
        )  # fmt: skip
    connection.executemany(
        "delete from quarantine where id = ?", [(ident,) for ident in quarantined_of(connection, selection)]
    )
    connection.execute("update jobs set last_error = null")
    connection.execute("update skipped set error = 'purged'")
    connection.execute("delete from stats where name = 'last_error'")
    connection.execute(
        "update runs set reason = null where outcome in ('rejected', 'failed', 'conflict', 'deferred')"
        " and reason is not 'what it had read was purged'"
    )


#: sessions that hold nothing any more: they lost their events now, or retention had taken them before
_EMPTY_SESSIONS = """
    select id from sessions where not exists (select 1 from events where session = sessions.id)
    and not exists (select 1 from retired where session = sessions.id)
    and (host || '/' || session_id in (select value from json_each(?1)) or last_at < ?2 and coalesce(?3, host) = host)
"""


def _of_sessions(selection: Selection, found: Found) -> tuple[str, str, str | None]:
    wide = selection.tier is None and not selection.sessions
    before = rfc3339(selection.before) if selection.before else "9999"
    return as_json(found.sessions), before if wide else "", selection.host


def forget_names(connection: sqlite3.Connection) -> None:
    """Files whose whole past went leave no name in the record of runs: it tells what was in them."""
    known = {row[0] for row in connection.execute("select distinct path from versions")}
    for run, files in connection.execute("select id, files from runs where files != '[]'").fetchall():
        kept = [name for name in json.loads(files) if name.partition("/")[2] in known]
        connection.execute("update runs set files = ? where id = ?", (json.dumps(kept), run))


def forget_reviews(connection: sqlite3.Connection, found: Found) -> None:
    """What waits for a person, or was decided, and rests on what is gone; the facts that were put away with it too."""
    roots = {root for root, _ in found.gone}
    versions = {row[0] for row in connection.execute("select digest from versions")}
    for ident, directory, kind, text in connection.execute("select id, dir, kind, detail from reviews").fetchall():
        detail = json.loads(text)
        if kind == "draft":
            gone = directory in roots or bool(found.seqs)
        elif kind == "outside":
            gone = not {digest for digest in (detail["before"], detail["after"]) if digest} <= versions
        else:
            gone = bool(found.seqs & set(detail.get("cites", ())))
        if gone:
            connection.execute("delete from reviews where id = ?", (ident,))
            connection.execute("delete from rejected where run_id = ?", (f"review-{ident}",))


def forget_goals_and_notes(connection: sqlite3.Connection, selection: Selection) -> None:
    for ident in set_in(connection, "goals", selection):
        connection.execute("delete from goals where id = ?", (ident,))
    for ident in set_in(connection, "notes", selection):
        connection.execute("delete from notes where id = ?", (ident,))

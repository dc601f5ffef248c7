"""What must be true after any fault. Each check returns sentences about what is not; tests want none.

One verdict judges them all: nothing lost, nothing unexpected and nothing twice, by event id.

The rows of a database are read through a connection that never checkpoints, so that a dead daemon's files stay as
they are.
"""

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.faults_publish import Ledger
from support.installation import Installation, reading, rows, until

MOST_ATTEMPTS = 2  #: a job that is cut off three times in a row is skipped


@dataclass(slots=True)
class Oracle:
    """Remembers what it has seen, so that nothing goes backwards from one look to the next."""

    watermarks: dict[str, int] = field(default_factory=dict)
    applied: set[str] = field(default_factory=set)

    def look(self, connection: sqlite3.Connection, ledgers: Iterable[Ledger]) -> list[str]:
        """What may be asked of a daemon that has just died, and at any other time."""
        return [*_acknowledged(connection, ledgers), *self._monotone(connection), *_counters(connection)]

    def _monotone(self, connection: sqlite3.Connection) -> list[str]:
        found = dict(rows(connection, "select session_id, watermark from sessions"))
        back = [
            f"watermark of {session} went from {seen} to {found.get(session)}"
            for session, seen in self.watermarks.items()
            if found.get(session, 0) < seen
        ]
        applied = {row[0] for row in rows(connection, "select id from runs where outcome = 'applied'")}
        gone = [f"run {run} was committed and is not any more" for run in self.applied - applied]
        self.watermarks, self.applied = found, applied
        return back + gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Of everything that was sent to an installation, by event id, and of everything else that must be true."""

    events: int  #: in the journal
    lost: int  #: acknowledged, and not there under the seq that was told
    duplicated: int  #: there a second time, under another id
    unexpected: int  #: there, and never sent
    problems: list[str]  #: these and all others, in sentences


def at_rest(installation: Installation, ledgers: Sequence[Ledger], oracle: Oracle | None = None) -> Verdict:
    """Everything, of an installation whose daemon has caught up, started once more, and is stopped."""
    with reading(installation.database) as connection:
        problems = (oracle or Oracle()).look(connection, ledgers)
        problems += _everything(connection, ledgers) + _settled(connection) + directories(connection)
        problems += [f"the log says: {line}" for line in installation.complaints()]
        return _verdict(connection, ledgers, problems)


def _verdict(connection: sqlite3.Connection, ledgers: Sequence[Ledger], problems: list[str]) -> Verdict:
    found: dict[str, int] = dict(rows(connection, "select id, seq from events"))
    sent = {one.id: one.seq for ledger in ledgers for one in ledger.sent}
    lost = [id for id, seq in sent.items() if seq is not None and found.get(id) != seq]
    unexpected = found.keys() - sent.keys()
    ((twice,),) = rows(
        connection,
        "select count(*) - count(distinct session || ' ' || kind || ' ' || turn_id) from events"
        " where turn_id is not null and kind in ('user_prompt', 'turn')",
    )
    problems = problems + [f"{len(unexpected)} events that nobody sent: {sorted(unexpected)[:5]}"] * bool(unexpected)
    problems += [f"{twice} events are there twice"] * bool(twice)
    return Verdict(events=len(found), lost=len(lost), duplicated=twice, unexpected=len(unexpected), problems=problems)


def settle(installation: Installation) -> None:
    """Catch up, stop, start once more (which looks at all that was moved aside), be examined, and stop."""
    installation.idle()
    for _ in range(2):
        assert installation.stop() == 0, installation.tail()
        installation.start()
    installation.idle()
    assert examined(installation) == []
    assert installation.stop() == 0, installation.tail()


def examined(installation: Installation) -> list[str]:
    """What `memoryd doctor` finds broken."""
    command = [sys.executable, "-m", "memoryd", "doctor", "--json"]
    done = subprocess.run(command, env=installation.env, cwd=installation.home, capture_output=True, timeout=120)
    checks = json.loads(done.stdout)["checks"]
    return [f"{one['link']}: {one['found']}" for one in checks if one["mark"] == "wrong"]


def _acknowledged(connection: sqlite3.Connection, ledgers: Iterable[Ledger]) -> list[str]:
    """Every acknowledged event is there under the seq that was told; only what was sent is there, in its order."""
    problems = []
    for ledger in ledgers:
        found = rows(
            connection,
            "select events.id, seq from events join sessions on sessions.id = session where session_id = ?"
            " order by seq",
            ledger.session,
        )
        seqs = dict(found)
        problems += [
            f"{one.id} was acknowledged as {one.seq}, the journal says {seqs.get(one.id)}"
            for one in ledger.sent
            if one.seq is not None and seqs.get(one.id) != one.seq
        ]
        wanted = [one.id for one in ledger.sent][: len(found)]
        if [row[0] for row in found] != wanted:
            problems.append(f"{ledger.session}: {len(found)} events that are not the first ones sent, in their order")
    return problems


def _counters(connection: sqlite3.Connection) -> list[str]:
    """No gap in seq; turn_count is the number of distinct turns; one that its host gives no id counts by itself."""
    ((newest, most, count),) = rows(
        connection,
        "select (select value from counters where name = 'seq'), coalesce(max(seq), 0), count(*) from events",
    )
    problems = [] if newest == most == count else [f"seq {newest}, newest {most}, {count} events"]
    turns = rows(
        connection,
        "select session_id, turn_count, (select count(distinct coalesce(turn_id, id)) from events"
        " where session = sessions.id and kind = 'turn'), (select count(*) from turns where session = sessions.id)"
        " + (select count(*) from events where session = sessions.id and kind = 'turn' and turn_id is null)"
        " from sessions",
    )
    return problems + [
        f"{session}: turn_count {counted}, {ended} turns ended, {known} rows of turns"
        for session, counted, ended, known in turns
        if not counted == ended == known
    ]


def _everything(connection: sqlite3.Connection, ledgers: Iterable[Ledger]) -> list[str]:
    """As many events as were acknowledged, and no other session."""
    wanted = {ledger.session: len(ledger.acknowledged()) for ledger in ledgers}
    found = dict(
        rows(
            connection,
            "select session_id, (select count(*) from events where session = sessions.id) from sessions",
        )
    )
    return [
        f"{session}: {found.get(session, 0)} events, {wanted.get(session, 0)} acknowledged"
        for session in wanted.keys() | found.keys()
        if found.get(session, 0) != wanted.get(session, 0)
    ]


def _settled(connection: sqlite3.Connection) -> list[str]:
    """Nothing is half done, and nothing is left to do."""
    must_be_empty = {
        "open intents": "select run_id from intents",
        "running runs": "select id from runs where outcome = 'running'",
        "jobs": "select dir from jobs where due_seq > done_seq or run_id is not null",
        "skipped ranges": "select dir, error from skipped",
        "sessions with unread text": "select session_id from sessions where user_seq > watermark",
    }
    found = {name: rows(connection, sql) for name, sql in must_be_empty.items()}
    problems = [f"{name}: {left[:5]}" for name, left in found.items() if left]
    check = rows(connection, "pragma integrity_check")
    return problems if check == [("ok",)] else [*problems, f"integrity_check: {check[:3]}"]


def directories(connection: sqlite3.Connection) -> list[str]:
    """Every memory directory is the newest version of each of its files, and nothing else."""
    newest: dict[Path, dict[str, str | None]] = {}
    for root, path, digest in rows(
        connection,
        "select root, path, digest from versions where id in (select max(id) from versions group by root, path)",
    ):
        newest.setdefault(Path(root), {})[path] = digest
    return [problem for root, files in newest.items() for problem in _differences(root, files)]


def _differences(root: Path, files: dict[str, str | None]) -> list[str]:
    present = {str(p.relative_to(root)): _digest(p) for p in root.rglob("*") if p.is_file()}
    wanted = {path: digest for path, digest in files.items() if digest is not None}
    return [
        f"{root / path}: {present.get(path, 'missing')}, newest version {wanted.get(path, 'none')}"
        for path in sorted(present.keys() | wanted.keys())
        if present.get(path) != wanted.get(path)
    ]


def whole_files(connection: sqlite3.Connection, roots: Iterable[Path]) -> list[str]:
    """Before any recovery: each file is a content that was recorded or intended, never empty, never a mixture."""
    known = {row[0] for row in rows(connection, "select digest from blobs")}
    return [
        f"{path}: {path.stat().st_size} bytes that are no known version"
        for root in roots
        for path in root.rglob("*.md")
        if not path.name.startswith(".") and _digest(path) not in known
    ]


def intents(connection: sqlite3.Connection) -> list[str]:
    """Ids of the runs whose apply had not committed."""
    return [row[0] for row in rows(connection, "select run_id from intents")]


def spent_attempts(connection: sqlite3.Connection) -> int:
    """How many runs of jobs were begun, have no end, and were not followed by one that has."""
    return int(rows(connection, "select coalesce(max(attempts - (run_id is not null)), 0) from jobs")[0][0])


def await_attempts(installation: Installation) -> None:
    """What the last fault put off runs now; none may be at its last attempt, after which it is skipped, rightly."""
    with installation.client() as client, reading(installation.database) as connection:
        installation.run_deferred(client)
        until(lambda: spent_attempts(connection) < MOST_ATTEMPTS, seconds=60, what=installation.tail)


def running(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in rows(connection, "select id from runs where outcome = 'running'")]


def texts(connection: sqlite3.Connection, session: str) -> list[str]:
    """What the journal holds of a session's prompts, in order."""
    found = rows(
        connection,
        "select data from events join sessions on sessions.id = session where session_id = ? and kind = 'user_prompt'"
        " order by seq", session,
    )  # fmt: skip
    return [json.loads(row[0])["text"] for row in found]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

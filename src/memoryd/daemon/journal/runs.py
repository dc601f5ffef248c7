"""Runs on the journal: the projection they read, their intents, and the commit point."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon.journal.counting import add_to_stats, set_stats
from memoryd.daemon.journal.evidence import JournalEvidence
from memoryd.daemon.journal.queue import finish
from memoryd.daemon.journal.reviews import put_proposals, put_refused_draft, settle_by
from memoryd.daemon.journal.roots import roots_of
from memoryd.daemon.journal.spawns import IS_CHILD
from memoryd.daemon.journal.store import Store
from memoryd.daemon.journal.versions import JournalVersions, put_blob, put_version
from memoryd.errors import Conflict
from memoryd.ipc.events import EndStatus
from memoryd.ipc.redaction import redact
from memoryd.memory.acceptance import Refused
from memoryd.memory.model import CORE_FILES, ENTRY_DIR, INSTINCT_DIR, PROCEDURE_DIR, Root
from memoryd.memory.ports import FileChange, Rejected
from memoryd.memory.recovery import IntendedChange, Intent
from memoryd.memory.text import bare, fold
from memoryd.worker.ports import Commit, Job, Run
from memoryd.worker.project import MAX_CHUNK_CHARS, EventRow, SessionRows, build
from memoryd.worker.projection import Projection, TurnEnd

_TEXT_KINDS = "('user_prompt','message','turn','pre_compact','post_compact','tool_use','subagent_stop')"
#: beside the core files: summaries and reports are no memories
_TOLD = (f"{ENTRY_DIR}/", f"{PROCEDURE_DIR}/", f"{INSTINCT_DIR}/")
_READ_BEFORE = 200  #: earlier events of a session that are looked at for copies of new texts


@dataclass(frozen=True, slots=True)
class JournalRuns:
    """`worker.ports.Runs` on the journal's tables."""

    journal: Store
    user_memory: Path
    instructions: Callable[[Job], str] = lambda job: ""

    @property
    def versions(self) -> JournalVersions:
        return JournalVersions(self.journal)

    @property
    def evidence(self) -> JournalEvidence:
        return JournalEvidence(self.journal)

    def project(self, job: Job) -> Projection:
        """Read the range of a job: every dirty session up to the job's last event, one chunk of it.

        Sessions of sub-agents are not read: nobody spoke there, and their parents tell what came of them.
        """
        from_seq, to_seq, sessions = self.journal.read(lambda connection: _range(connection, job))
        return build(
            sessions, from_seq=from_seq, to_seq=to_seq, compaction=job.reason == "compaction",
            instructions=self.instructions(job),
        )  # fmt: skip

    def rejected(self, roots: Iterable[Path]) -> Sequence[Rejected]:
        wanted = {str(root) for root in roots}
        rows = self.journal.read(lambda connection: connection.execute(_REJECTED).fetchall())
        return [
            Rejected(
                root=Path(row["root"]), fact=row["fact"], after_seq=row["after_seq"],
                at=parse_rfc3339(row["at"]) if row["at"] else None,
            )
            for row in rows
            if row["root"] in wanted
        ]  # fmt: skip

    def ours(self, root: Path, path: str, line: str) -> Sequence[int] | None:
        rows = self.journal.read(
            lambda connection: connection.execute(
                "select seq from citations where root = ? and path = ? and line = ? order by seq",
                (str(root), path, line_digest(line)),
            ).fetchall()
        )
        return [row["seq"] for row in rows] or None

    def sources(self, seqs: Iterable[int]) -> list[str]:
        wanted = sorted(set(seqs))
        return self.journal.read(
            lambda connection: [
                f"{row[0]}/{row[1]}#{row[2]}"
                for seq in wanted
                for row in connection.execute(
                    "select host, session_id, seq from events join sessions on sessions.id = session where seq = ?",
                    (seq,),
                )
            ]
        )

    def begin(self, run: Run, changes: Sequence[FileChange]) -> None:
        def write(connection: sqlite3.Connection) -> None:
            _check_token(connection, run)
            rows = [(str(c.root), c.path, put_blob(connection, c.base), put_blob(connection, c.new)) for c in changes]
            connection.execute(
                "insert or replace into intents (run_id, dir, changes) values (?,?,?)",
                (run.id, str(run.dir), json.dumps(rows)),
            )

        self.journal.write(write)

    def commit(self, commit: Commit) -> None:
        self.journal.write(lambda connection: _commit(connection, commit, rfc3339(self.journal.clock())))

    def abandon(self, run_id: str) -> None:
        self.journal.execute("delete from intents where run_id = ?", run_id)

    def refuse(self, run: Run, refused: Sequence[Refused], rejection: str | None = None) -> None:
        def write(connection: sqlite3.Connection) -> None:
            _check_token(connection, run)  # what was purged since must not be written down as refused
            now = rfc3339(self.journal.clock())
            connection.execute("update runs set refused = ? where id = ?", (_refused_json(refused), run.id))
            put_proposals(connection, run, refused, now)
            if rejection is not None and run.job is not None:
                put_refused_draft(connection, run, rejection, now)

        self.journal.write(write)

    def roots_of(self, directory: Path) -> dict[Root, Path]:
        """The roots that a run of this directory may write."""
        return self.journal.read(lambda connection: roots_of(connection, str(directory), self.user_memory))

    def open_intents(self) -> list[Intent]:
        """Applies that never committed; recovery puts their files back."""
        rows = self.journal.read(lambda connection: connection.execute("select * from intents").fetchall())
        return [
            Intent(
                run_id=row["run_id"],
                changes=tuple(
                    IntendedChange(root=Path(root), path=path, base=base, new=new)
                    for root, path, base, new in json.loads(row["changes"])
                ),
            )
            for row in rows
        ]

    def start(self, run: Run, about: str | None = None) -> None:
        """Note a run that a person's command makes; a job's run is noted at its claim.

        :param about: of an undo the run that it takes back, of a review the decision that it carries out
        """
        self.journal.execute(
            "insert into runs (id, dir, author, action, agent, outcome, reason, started_at)"
            " values (?,?,?,?,?,'running',?,?)",
            run.id, str(run.dir), run.author, run.action, run.agent, about, rfc3339(self.journal.clock()),
        )  # fmt: skip

    def end(self, run: Run, outcome: str, reason: str | None) -> None:
        """Note how a person's command ended when it changed nothing."""
        self.journal.execute(
            "update runs set outcome = ?1, reason = ?2, ended_at = ?3,"
            " duration_ms = round((julianday(?3) - julianday(started_at)) * 86400000) where id = ?4",
            outcome, reason and redact(reason), rfc3339(self.journal.clock()), run.id,
        )  # fmt: skip


#: what was taken back, and when: by a run, or by a decision in the review inbox
_REJECTED = (
    "select rejected.root, fact, after_seq, coalesce(started_at, decided_at) as at from rejected"
    " left join runs on runs.id = rejected.run_id"
    " left join reviews on rejected.run_id = 'review-' || reviews.id"
)


def line_digest(line: str) -> str:
    """How a citation names a line: a hash of its folded text, so that a marker or a space more changes nothing."""
    return hashlib.sha256(fold(bare(line)).encode(errors="surrogatepass")).hexdigest()[:32]


def _check_token(connection: sqlite3.Connection, run: Run) -> None:
    if run.job is None:
        return
    row = connection.execute("select run_id from jobs where dir = ?", (str(run.dir),)).fetchone()
    if row is None or row[0] != run.id:
        raise Conflict(f"run {run.id} no longer holds its job: another run has taken {run.dir}")


def _commit(connection: sqlite3.Connection, commit: Commit, now: str) -> None:
    run = commit.run
    _check_token(connection, run)
    for change in commit.changes:
        put_version(connection, change.root, change.path, change.new, run.author, run.id, now)
    connection.executemany(
        "insert or ignore into citations (root, path, line, seq, run_id) values (?,?,?,?,?)",
        [
            (str(run.roots[cited.key.root]), cited.key.path, line_digest(cited.line), seq, run.id)
            for cited in commit.citations
            for seq in cited.seqs
        ],
    )
    connection.executemany(
        "insert into rejected (root, fact, after_seq, run_id) values (?,?,?,?)",
        [(str(r.root), r.fact, r.after_seq, run.id) for r in commit.rejected],
    )
    if run.action == "undo":  # what it takes back may have taken facts back itself: they may come again
        connection.execute("delete from rejected where run_id = (select reason from runs where id = ?)", (run.id,))
    put_proposals(connection, run, commit.refused, now)
    settle_by(connection, run.id, now)
    files = sorted({f"{_root_name(run, c.root)}/{c.path}" for c in commit.changes})
    span = commit.projection
    connection.execute(
        "update runs set outcome = 'applied', agent = ?, files = ?, refused = ?, flags = ?, memories = ?, ended_at = ?,"
        " duration_ms = ?,"
        " from_seq = ?, to_seq = ? where id = ?",
        (
            run.agent, json.dumps(files), _refused_json(commit.refused), json.dumps(commit.flags),
            _memories(commit), now, commit.duration_ms,
            span.from_seq if span else None, span.to_seq if span else None,
            run.id,
        ),
    )  # fmt: skip
    connection.execute("delete from intents where run_id = ?", (run.id,))
    if run.job is not None and span is not None:
        _settle_job(connection, commit, run.job, span, now)


def _memories(commit: Commit) -> int:
    """How many lines of core files, and entries, a run wrote."""
    keys = [(c.key, c.line if c.key.path in CORE_FILES else "") for c in commit.citations]
    return len({key for key in keys if key[0].path.startswith(_TOLD) or key[0].path in CORE_FILES})


def _settle_job(connection: sqlite3.Connection, commit: Commit, job: Job, span: Projection, now: str) -> None:
    connection.executemany(
        "update sessions set note = ? where host = ? and session_id = ?",
        [(redact(note)[:2000], host, session) for (host, session), note in commit.notes.items()],
    )
    finish(connection, job, span.to_seq, now, partial=span.partial)
    dir_path = str(job.dir)
    add_to_stats(connection, dir_path, total_completed=1)
    set_stats(connection, dir_path, last_completed_at=now, last_duration_ms=commit.duration_ms)


def _root_name(run: Run, root: Path) -> str:
    return next((str(name) for name, path in run.roots.items() if path == root), root.name)


def _refused_json(refused: Sequence[Refused]) -> str:
    """What was refused and why; of what holds a secret or hidden text only the kind is kept."""
    return json.dumps([_refused(r) for r in refused], ensure_ascii=False)


def _refused(refused: Refused) -> dict[str, str]:
    unsafe = refused.code == "scan-rejected"
    shown = refused.proposal.kind if unsafe else redact(refused.proposal.model_dump_json(exclude_defaults=True))
    return {"code": refused.code, "reason": redact(refused.reason), "proposal": shown}


def _range(connection: sqlite3.Connection, job: Job) -> tuple[int, int, list[SessionRows]]:
    # A purge may have removed the newest events: the range ends where the job does all the same.
    newest: int = connection.execute(
        "select max(coalesce(max(seq), 0), ?) from events join sessions on sessions.id = session where dir = ?",
        (job.due_seq, str(job.dir)),
    ).fetchone()[0]
    rows = connection.execute(
        f"select session, seq, kind, at, turn_id, data from events join sessions on sessions.id = session"
        f" where dir = ? and seq > watermark and seq <= ? and kind in {_TEXT_KINDS} and not {IS_CHILD} order by seq",
        (str(job.dir), newest),
    )
    by_session: dict[int, list[EventRow]] = {}
    chars, from_seq, to_seq, last = 0, newest, newest, newest
    for session, seq, kind, at, turn_id, data in rows:
        if chars > MAX_CHUNK_CHARS:
            to_seq = last
            break
        chars, last, from_seq = chars + len(data), seq, min(from_seq, seq)
        by_session.setdefault(session, []).append(_row(seq, kind, at, turn_id, data))
    return from_seq, to_seq, [_session_rows(connection, s, events, to_seq) for s, events in by_session.items()]


def _row(seq: int, kind: str, at: str, turn_id: str | None, data: str) -> EventRow:
    return EventRow(seq=seq, at=parse_rfc3339(at), kind=kind, turn_id=turn_id, data=json.loads(data))


def _session_rows(connection: sqlite3.Connection, session: int, rows: list[EventRow], to_seq: int) -> SessionRows:
    head = connection.execute("select * from sessions where id = ?", (session,)).fetchone()
    before = connection.execute(
        f"select seq, kind, at, turn_id, data from events where session = ? and seq <= ? and kind in {_TEXT_KINDS}"
        " order by seq desc limit ?",
        (session, head["watermark"], _READ_BEFORE),
    ).fetchall()
    interrupted = connection.execute(
        "select turns.turn_id, turns.seq, at from turns join events on events.seq = turns.seq"
        " where turns.session = ? and turns.seq > ? and turns.seq <= ? and status = 'interrupted'",
        (session, head["watermark"], to_seq),
    ).fetchall()
    return SessionRows(
        host=head["host"],
        session_id=head["session_id"],
        started_at=parse_rfc3339(head["started_at"]),
        cwd=head["cwd"],
        ended=head["ended_at"] is not None,
        note=head["note"],
        rows=rows,
        read_before=[_row(*row) for row in reversed(before)],
        interrupted=[
            TurnEnd(seq=row["seq"], at=parse_rfc3339(row["at"]), status=EndStatus.INTERRUPTED, turn_id=row["turn_id"])
            for row in interrupted
        ],
    )

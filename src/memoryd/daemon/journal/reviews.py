"""The review inbox on the journal's tables: wishes that no user voiced, writes that did not come through memoryd,
drafts that were refused whole. A row is written in the transaction that makes it so. Blocking.
"""

import hashlib
import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.clock import rfc3339
from memoryd.daemon.journal.store import Row, Store
from memoryd.errors import Conflict, NotFound
from memoryd.ipc.events import Tier
from memoryd.memory.acceptance import Refused
from memoryd.memory.model import INDEX_FILE
from memoryd.memory.ports import Author, Rejected, Version
from memoryd.memory.proposal_rules import new_texts
from memoryd.memory.proposals import Archive, Lines, Proposal, Save
from memoryd.memory.routing import root_of
from memoryd.memory.text import fold
from memoryd.worker.ports import Run

#: the run by which a decision changed memory, for who takes the decision back
MIGRATION = "alter table reviews add column decided_run text;"

#: rows of a directory that are open: of wishes, and of each other kind. What waits stays, however much comes after it;
#: of what only tells, the oldest go
MAX_OPEN = 200
MAX_OF_RUN = 20  #: wishes that one consolidation may leave
PROPOSALS = ("save", "supersede", "lines", "archive")  #: kinds that are one wish
WAITING = (*PROPOSALS, "contradiction")  #: kinds that wait for a person
TELLING = ("outside", "draft")  #: kinds that only tell


_DECISION = re.compile(r"(?P<status>accepted|rejected) review-(?P<id>\d{1,18})")


@dataclass(frozen=True, slots=True)
class Reviews:
    """What waits, and what was decided."""

    journal: Store

    def open(self, dirs: Collection[Path] | None, *, limit: int, offset: int = 0) -> list[Row]:
        """What is open in these directories, None for all of them; what waits for a decision first, then the newest."""
        sql = (
            "select * from reviews where status = 'open' and (?1 or dir in (select value from json_each(?2)))"
            f" order by kind not in {WAITING}, id desc limit ?3 offset ?4"
        )
        wanted = json.dumps([str(path) for path in dirs or ()])
        return self.journal.rows(sql, dirs is None, wanted, limit, offset)

    def waiting(self, dirs: Collection[Path] | None = None) -> int:
        """How many proposals and questions wait for a person."""
        wanted = json.dumps([str(path) for path in dirs or ()])
        sql = (
            "select count(*) from reviews where status = 'open' and (?1 or dir in (select value from json_each(?2)))"
            f" and kind in {WAITING}"
        )
        return int(self.journal.read(lambda c: c.execute(sql, (dirs is None, wanted)).fetchone()[0]))

    def get(self, ident: str) -> Row:
        """An open row.

        :raises NotFound: no such row
        :raises Conflict: it was decided already
        """
        row = self.find(ident)
        if row["status"] != "open":
            raise Conflict(f"{ident} was {row['status']} already; `memoryd review undo {ident}` takes that back")
        return row

    def decided(self, ident: str) -> Row:
        """A row that was accepted or rejected.

        :raises NotFound: no such row
        :raises Conflict: it still waits
        """
        row = self.find(ident)
        if row["status"] == "open":
            raise Conflict(f"{ident} was not decided: there is nothing to take back")
        return row

    def find(self, ident: str) -> Row:
        """A row, open or decided.

        :raises NotFound: no such row
        """
        number = int(ident) if ident.isdecimal() and len(ident) < 19 else -1
        row = self.journal.read(lambda c: c.execute("select * from reviews where id = ?", (number,)).fetchone())
        if row is None:
            raise NotFound(f"nothing {ident[:40]!r} waits for review; `memoryd review list` shows what does")
        return dict(row)

    def propose(self, directory: Path, proposal: Proposal, *, reason: str, tier: Tier) -> str:
        """Let a wish of memoryd's own wait for a person; returns `new`, or what became of the same wish before."""

        def write(connection: sqlite3.Connection) -> str:
            digest = _digest(directory, proposal)
            known = connection.execute("select status from reviews where digest = ?", (digest,)).fetchone()
            if known:
                return str(known[0])
            put(
                connection, digest=digest, dir=str(directory), scope=str(root_of(proposal, has_project=True)),
                kind=proposal.kind, detail=proposal.model_dump_json(), reason=reason, tier=str(tier), run_id=None,
                at=rfc3339(self.journal.clock()),
            )  # fmt: skip
            return "new"

        return self.journal.write(write)

    def asked(self, directory: Path, kind: str, slugs: Collection[str]) -> int:
        """Take back the wishes of memoryd's own about other entries than these; returns how many wait on."""
        own = "status = 'open' and dir = ? and kind = ? and run_id is null and json_extract(detail, '$.slug')"
        values = str(directory), kind, json.dumps([*slugs])
        self.journal.execute(f"delete from reviews where {own} not in (select value from json_each(?))", *values)
        return len(self.journal.rows(f"select 1 from reviews where {own} in (select value from json_each(?))", *values))

    def settle(self, ident: int, status: str, rejected: Sequence[Rejected] = ()) -> None:
        """Note a decision that made no run; facts that were rejected need a later word of the user."""

        def write(connection: sqlite3.Connection) -> None:
            now = rfc3339(self.journal.clock())
            connection.execute(
                "update reviews set status = ?, decided_at = ?, decided_run = null where id = ?", (status, now, ident)
            )
            connection.executemany(
                "insert into rejected (root, fact, after_seq, run_id) values (?,?,?,?)",
                [(str(r.root), r.fact, r.after_seq, f"review-{ident}") for r in rejected],
            )

        self.journal.write(write)

    def reopen(self, ident: int) -> None:
        """Forget a decision: the row waits again, and what it rejected is as if nobody had decided."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "update reviews set status = 'open', decided_at = null, decided_run = null,"
                " detail = case kind when 'dream' then json_set(detail, '$.held', json('true')) else detail end"
                " where id = ?", (ident,),
            )  # fmt: skip
            connection.execute("delete from rejected where run_id = ?", (f"review-{ident}",))

        self.journal.write(write)


def decision(ident: int, status: str) -> str:
    """What a run is about that carries a decision out: its commit settles the row."""
    return f"{status} review-{ident}"


def settle_by(connection: sqlite3.Connection, run_id: str, now: str) -> None:
    """Note the decision that a run carries out, in the transaction that commits it."""
    about = connection.execute("select reason from runs where id = ?", (run_id,)).fetchone()[0] or ""
    if found := _DECISION.fullmatch(about):
        connection.execute(
            "update reviews set status = ?, decided_at = ?, decided_run = ? where id = ? and status = 'open'",
            (found["status"], now, run_id, int(found["id"])),
        )


def put_proposals(connection: sqlite3.Connection, run: Run, refused: Iterable[Refused], now: str) -> None:
    """Note what a run was refused only because no user said it."""
    wished = [one for one in refused if one.for_review and run.author is Author.RUN and run.action != "dream"]
    room = MAX_OF_RUN if run.job is not None else len(wished)  # an import has a bound of its own
    rows = (_row_of(run, one, now) for one in wished)
    fresh = [row for row in rows if not _is_known(connection, row["digest"])]
    for row in fresh[:room]:
        put(connection, **row)
    if left := len(fresh[room:]):
        _leave_out(connection, fresh[0], left)


def _row_of(run: Run, one: Refused, now: str) -> dict[str, str]:
    return {
        "digest": _digest(run.dir, one.proposal), "dir": str(run.dir),
        "scope": str(root_of(one.proposal, has_project=run.has_project)), "kind": one.proposal.kind,
        "detail": one.proposal.model_dump_json(), "reason": one.reason, "tier": str(one.tier), "run_id": run.id,
        "at": now,
    }  # fmt: skip


def put_refused_draft(connection: sqlite3.Connection, run: Run, reason: str, now: str) -> None:
    """Note that all that a run wanted was refused together."""
    digest = digest_of("draft", str(run.dir), reason)
    put(
        connection, digest=digest, dir=str(run.dir), scope="project" if run.has_project else "user", kind="draft",
        detail="{}", reason=reason, tier="host", run_id=run.id, at=now,
    )  # fmt: skip


def put_outside(connection: sqlite3.Connection, version: Version, digest: str | None, now: str) -> None:
    """Note a write that did not come through memoryd; while the row is open, later writes of the file join it."""
    root, path = str(version.root), version.path
    if version.author not in _WRITERS or path == INDEX_FILE:
        return
    ident = digest_of("outside", root, path)
    detail = {"path": path, "before": _before(connection, ident, root, path), "after": digest}
    connection.execute("delete from reviews where digest = ?", (ident,))
    kind = connection.execute("select kind from dirs where path = ?", (root,)).fetchone()
    put(
        connection, digest=ident, dir=root, scope="project" if kind == ("project",) else "user", kind="outside",
        detail=json.dumps(detail), reason=f"written by {_WRITERS[version.author]}", tier="user", run_id=None, at=now,
    )  # fmt: skip


def _before(connection: sqlite3.Connection, ident: str, root: str, path: str) -> str | None:
    """The digest of what stood in a file before the writes outside that are still open."""
    open_row = connection.execute("select detail from reviews where digest = ? and status = 'open'", (ident,))
    if row := open_row.fetchone():
        return json.loads(row[0])["before"]  # type: ignore[no-any-return]
    newest = connection.execute(
        "select digest from versions where root = ? and path = ? order by id desc limit 1", (root, path)
    ).fetchone()
    return newest[0] if newest else None


_WRITERS = {Author.OUTSIDE: "someone outside memoryd", Author.HOST: "the agent itself, not through memoryd"}


def put(connection: sqlite3.Connection, **row: str | None) -> None:
    """Write a row of the inbox, by the names of its columns; one of a digest that was seen before changes nothing."""
    if _is_known(connection, row["digest"]):
        return
    if row["kind"] not in TELLING and _open_like(connection, row) >= MAX_OPEN:
        _leave_out(connection, row, 1)
        return
    _insert(connection, row)
    connection.execute(
        f"delete from reviews where status = 'open' and dir = ?1 and kind in {TELLING} and id not in (select id"
        f" from reviews where status = 'open' and dir = ?1 and kind in {TELLING} order by id desc limit ?2)",
        (row["dir"], MAX_OPEN),
    )


def _is_known(connection: sqlite3.Connection, digest: str | None) -> bool:
    return connection.execute("select 1 from reviews where digest = ?", (digest,)).fetchone() is not None


def _open_like(connection: sqlite3.Connection, row: Mapping[str, str | None]) -> int:
    """How many rows of a row's kind are open; all wishes are one kind."""
    kinds = PROPOSALS if row["kind"] in PROPOSALS else [row["kind"]]
    found = connection.execute(
        "select count(*) from reviews where status = 'open' and dir = ? and kind in (select value from json_each(?))",
        (row["dir"], json.dumps(kinds)),
    )
    return int(found.fetchone()[0])


def _leave_out(connection: sqlite3.Connection, row: Mapping[str, str | None], count: int) -> None:
    """Tell that so many wishes found no room, in one row a directory until a person puts it away."""
    digest = digest_of("left-out", str(row["dir"]))
    known = connection.execute("select detail from reviews where digest = ? and status = 'open'", (digest,)).fetchone()
    left = count + (json.loads(known[0])["left_out"] if known else 0)
    reason = f"{left} wishes that no user voiced found no room: decide what waits, and what comes again is shown"
    connection.execute("delete from reviews where digest = ?", (digest,))
    _insert(connection, {
        **row, "digest": digest, "kind": "draft", "detail": json.dumps({"left_out": left}), "reason": reason,
    })  # fmt: skip


def _insert(connection: sqlite3.Connection, row: Mapping[str, str | None]) -> None:
    names, marks = ",".join(row), ",".join("?" * len(row))
    connection.execute(f"insert into reviews ({names}) values ({marks})", tuple(row.values()))


def _digest(directory: Path, proposal: Proposal) -> str:
    """What makes two wishes the same: where they go and what they say, not what they cite."""
    match proposal:
        case Lines():
            texts = [proposal.file, *proposal.add, *(text for pair in proposal.replace for text in pair)]
            texts += [f"-{line}" for line in proposal.remove]
        case Save() | Archive():
            texts = [proposal.slug, *new_texts(proposal)]
        case _:
            texts = [proposal.content]
    return digest_of(str(directory), proposal.kind, *map(fold, texts))


def digest_of(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:32]

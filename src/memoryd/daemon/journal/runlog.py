"""Every run and what it changed, and what was written to memory without one. Reads only; blocking."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.store import Row, Store
from memoryd.errors import NotFound, UsageError

EVERY_PROJECT = "*"  #: in place of a project: a purge of everything
_WRITE = re.compile(r"v\d{1,18}")


@dataclass(frozen=True, slots=True)
class RunLog:
    """Runs by id, and as `v<N>` what one look found that hosts and editors had written into the files of a directory.

    N is the number of the first version of it.
    """

    journal: Store
    user_memory: Path

    def page(
        self,
        *,
        since: str | None = None,
        limit: int = 50,
        offset: int = 0,
        writes: bool = False,
        directory: Path | None = None,
    ) -> list[Row]:
        """Runs, newest first, each with the `projects` that it is about.

        :param writes: only what changed files, what no run wrote included
        :param directory: only what is of this directory, or changed it
        """
        rows = self.journal.rows(
            f"select * from (select {_RUN}, 0 as seen from runs where not ?2 or outcome = 'applied'"
            f" union all {_SEEN} where ?2 and {_BY_OTHERS} {_ONE_LOOK}) where (?1 is null or started_at >= ?1)"
            " and (?4 is null or dir = ?4 or id in (select run_id from run_dirs where dir in ('', ?4)))"
            " order by started_at desc, id limit ?3 offset ?5",
            since, writes, limit, directory and str(directory), offset,
        )  # fmt: skip
        known = {row["path"]: row for row in self.journal.rows(_DIRS)}
        return [self._told(row, known) for row in rows]

    def find(self, run_id: str | None, dirs: Collection[Path] | None = None) -> Row:
        """A run by id or unique beginning of it, or a `v<N>`; None: the newest that changed files and stands.

        :param dirs: look for the newest among the runs of these directories only
        :raises NotFound: none, or more than one
        :raises UsageError: a version that a run wrote
        """
        if run_id is not None and _WRITE.fullmatch(run_id):
            return self._write(run_id)
        if run_id is None:
            rows = self.journal.rows(
                "select * from runs where outcome = 'applied' and action not in ('undo', 'purge')"
                " and id not in (select value from json_each(?2))"
                " and (?1 is null or dir in (select value from json_each(?1)))"
                " order by started_at desc limit 1",
                None if dirs is None else json.dumps([str(path) for path in dirs]), json.dumps([*self._taken_back()]),
            )  # fmt: skip
        else:
            rows = self.journal.rows(
                "select * from runs where outcome = 'applied' and id like ? || '%' limit 2", run_id.replace("%", "")
            )
        if len(rows) != 1:
            which = f"run {run_id} that changed files" if run_id else "run that changed files"
            raise NotFound(f"{'more than one' if rows else 'no'} {which}; `memoryd log` lists the runs")
        return {**rows[0], "files": json.loads(rows[0]["files"])}

    def get(self, run_id: str) -> Row | None:
        """The run of exactly that id."""
        rows = self.journal.rows("select * from runs where id = ?", run_id)
        return rows[0] if rows else None

    def last_of(self, directory: Path) -> Row:
        """The consolidation of the directory that began last.

        :raises NotFound: none yet
        """
        rows = self.journal.rows(
            "select * from runs where dir = ? and action = 'consolidate' order by started_at desc limit 1",
            str(directory),
        )
        if not rows:
            raise NotFound(f"nothing has changed {directory} yet; `memoryd log` lists all runs")
        return {**rows[0], "files": json.loads(rows[0]["files"])}

    def undone(self, run_id: str) -> bool:
        """Whether a run was taken back, and that was not taken back itself."""
        return run_id in self._taken_back()

    def _taken_back(self) -> set[str]:
        """The runs that do not stand: an undo counts while it was not undone itself."""
        undos: dict[str, list[str]] = {}
        for row in self.journal.rows("select id, reason from runs where action = 'undo' and outcome = 'applied'"):
            undos.setdefault(row["reason"], []).append(row["id"])

        def stands(run_id: str) -> bool:
            return not any(map(stands, undos.get(run_id, ())))

        return {run_id for run_id in undos if not stands(run_id)}

    def changes(self, run_id: str) -> list[Row]:
        """What a run, or a `v<N>`, did: root, path, and digests before and after."""
        which = "run_id = ?1"
        values: tuple[object, ...] = (run_id,)
        if _WRITE.fullmatch(run_id):
            row = self._write(run_id)
            which = f"root = ?1 and at = ?2 and author = ?3 and {_BY_OTHERS}"
            values = (row["dir"], row["started_at"], row["author"])
        return self.journal.rows(
            "select root, path, digest as after, (select digest from versions as old where old.root = v.root"
            " and old.path = v.path and old.id < v.id order by id desc limit 1) as before"
            f" from versions as v where {which} order by root, path", *values,
        )  # fmt: skip

    def _write(self, name: str) -> Row:
        known = self.journal.rows("select root, at, author, run_id from versions where id = ?", int(name[1:]))
        if known and known[0]["run_id"]:
            raise UsageError(f"{name} was written by a run: give its id, {known[0]['run_id'][:8]}")
        rows = self.journal.rows(
            f"{_SEEN} where root = ?1 and at = ?2 and author = ?3 and {_BY_OTHERS} {_ONE_LOOK}",
            *(known[0][column] for column in ("root", "at", "author")),
        ) if known else []  # fmt: skip
        if not rows:
            raise NotFound(f"no change {name} by a host or an editor; `memoryd log --writes` lists them")
        return {**rows[0], "files": json.loads(rows[0]["files"])}

    def _told(self, row: Row, known: Mapping[str, Row]) -> Row:
        found = {**row, **{name: json.loads(row[name]) for name in ("files", "refused", "flags")}}
        others = self.journal.rows("select dir from run_dirs where run_id = ?", row["id"])
        about = {self._project(path, known) for path in (row["dir"], *(other["dir"] for other in others))}
        if row["seen"]:
            kind = known[row["dir"]]["kind"] if row["dir"] in known else "user"
            scope = "project" if kind == "project" else "user"
            found["files"] = [f"{scope}/{path}" for path in sorted(set(found["files"]))]
        return {**found, "projects": tuple(sorted(about - {""}))}

    def _project(self, directory: str, known: Mapping[str, Row]) -> str:
        """The repository of a memory directory; itself when events named it, '' for the user's."""
        if not directory:
            return EVERY_PROJECT
        row = known.get(directory)
        user = directory == str(self.user_memory) or (row is not None and row["kind"] == "user")
        return "" if user else (row and row["project_path"]) or directory


_RUN = (
    "id, dir, author, action, agent, outcome, reason, from_seq, to_seq, started_at, ended_at, duration_ms, files"
    ", refused, flags, tokens_in, tokens_out, cost_usd"
)
_DIRS = "select dirs.path, kind, projects.path as project_path from dirs left join projects on key = project"
#: what no run wrote, as rows of the same shape
_SEEN = (
    "select 'v' || min(id) as id, root as dir, author, 'seen' as action, null, 'applied' as outcome, null as reason"
    ", null, null, at as started_at, at, 0, json_group_array(path) as files, '[]', '[]', 0, 0, 0.0, 1 as seen"
    " from versions"
)
_BY_OTHERS = "run_id is null and author in ('host', 'outside')"
_ONE_LOOK = "group by root, at, author"

"""The sessions that were recorded: their counters, their thread, the files they touched. Reads only; blocking."""

import json
from dataclasses import dataclass
from pathlib import Path

from memoryd.daemon.journal.spawns import FAMILY, IS_CHILD, AgentGraph
from memoryd.daemon.journal.store import Row, Store
from memoryd.errors import NotFound


@dataclass(frozen=True, slots=True)
class RecordedSessions:
    journal: Store

    def hosts(self) -> list[str]:
        """The hosts that sessions came from."""
        return [row["host"] for row in self.journal.rows("select distinct host from sessions order by host")]

    def hosts_of(self, session_id: str) -> list[str]:
        """The hosts that have a session of that id."""
        return [row["host"] for row in self.journal.rows("select host from sessions where session_id = ?", session_id)]

    def page(
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        directory: Path | None = None,
        kind: str | None = None,
        thread: tuple[str, str] | None = None,
    ) -> list[Row]:
        """Sessions, the latest first; `kind`: interactive, headless or sub-agent; `thread`: those joined with this one.

        :raises NotFound: no session of that thread
        """
        host, joined = (thread[0], json.dumps(self.thread(*thread))) if thread else (None, None)
        return self.journal.rows(
            f"select {_SESSION} from sessions where (?1 is null or dir = ?1) and (?4 is null or kind = ?4)"
            " and (?5 is null or host = ?5 and session_id in (select value from json_each(?6)))"
            " order by last_at desc, id desc limit ?2 offset ?3",
            directory and str(directory), limit, offset, kind, host, joined,
        )  # fmt: skip

    def thread(self, host: str, session_id: str) -> list[str]:
        """The sessions that a resume, a fork or a clear joins with this one, itself too, oldest first.

        :raises NotFound: no such session
        """
        rows = self.journal.rows(_THREAD, host, session_id)
        if not rows:
            raise NotFound(_NO_SESSION.format(f"{host}/{session_id}"))
        return [row["session_id"] for row in rows]

    def get(self, host: str, session_id: str) -> Row:
        """:raises NotFound: no such session"""
        rows = self.journal.rows(f"select {_SESSION} from sessions where host = ? and session_id = ?", host, session_id)
        if not rows:
            raise NotFound(_NO_SESSION.format(f"{host}/{session_id}"))
        graph = AgentGraph(self.journal)
        return {
            **rows[0], "parent": rows[0]["parent_session_id"] or graph.parent(host, session_id),
            "children": graph.children(host, session_id), "thread": self.thread(host, session_id),
            "files": self._files(host, session_id),
        }  # fmt: skip

    def _files(self, host: str, session_id: str) -> list[Row]:
        """What the session and its sub-agents touched, in the order of arrival."""
        rows = self.journal.rows(
            f"{FAMILY} select data, at, session_id from events join sessions on sessions.id = session"
            " where host = ?1 and session_id in (select session_id from family) and kind = 'tool_use' order by seq",
            host, session_id,
        )  # fmt: skip
        return [
            {
                "path": touch["path"], "action": touch.get("action", "read"),
                "by_session": row["session_id"], "at": row["at"],
            }
            for row in rows
            for touch in json.loads(row["data"]).get("files", ())
        ]  # fmt: skip


_SESSION = (
    "host, session_id, dir, cwd, started_at, last_at, ended_at, turn_count, failed_turns, interrupted_turns, tool_calls"
    ", (select count(*) from events where session = sessions.id) as event_count"
    ", coalesce((select max(seq) from events where session = sessions.id), watermark) as last_seq"
    ", turns_at_enqueue, watermark, parent_session_id, headless, transcript_state"
    f", case when {IS_CHILD} then 'sub-agent' when headless then 'headless' else 'interactive' end as kind"
)

_NO_SESSION = "no session {}; `memoryd sessions list` shows them"

#: what one session goes on from, and what goes on from any of them; `union` ends a circle
_THREAD = """
    with recursive up (session_id, parent) as (
        select session_id, parent_session_id from sessions where host = ?1 and session_id = ?2
        union select s.session_id, s.parent_session_id
        from sessions s join up on s.session_id = up.parent where s.host = ?1
    ), joined (session_id) as (
        select session_id from up
        union select s.session_id
        from sessions s join joined on s.parent_session_id = joined.session_id where s.host = ?1
    )
    select s.session_id from sessions s join joined using (session_id) where s.host = ?1 order by s.started_at, s.id
"""

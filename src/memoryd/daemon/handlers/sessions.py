"""Conversations."""

import asyncio

from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.journal.spawns import AgentGraph
from memoryd.ipc.methods import sessions as m


class Sessions(Handlers):
    async def session_list(self, params: m.SessionListParams) -> m.SessionList:
        offset = answers.offset_of(params.cursor)
        directory = (await self.binding(params.cwd)) if params.cwd else None
        rows = await asyncio.to_thread(
            self.daemon.history.sessions,
            limit=params.limit + 1, offset=offset, directory=directory, kind=params.kind, thread=_key(params.thread),
        )  # fmt: skip
        return m.SessionList(
            items=tuple(answers.session(row) for row in rows[: params.limit]),
            next_cursor=answers.next_cursor(rows, params.limit, offset),
        )

    async def session_get(self, params: m.SessionGetParams) -> m.SessionDetail:
        row = await asyncio.to_thread(self.daemon.history.session, params.host, params.session_id)
        parent = row["parent"]
        return m.SessionDetail(
            **answers.session(row).model_dump(),
            parent=m.SessionKey(host=row["host"], session_id=parent) if parent else None,
            children=tuple(m.SessionKey(host=row["host"], session_id=c["session_id"]) for c in row["children"]),
            thread=tuple(m.SessionKey(host=row["host"], session_id=joined) for joined in row["thread"]),
            transcript=row["transcript_state"] if row["transcript_state"] in ("ok", "missing") else "none",
            headless=bool(row["headless"]),
            files=tuple(m.SessionFile(**touch) for touch in row["files"]),
        )

    async def session_descendants(self, params: m.DescendantsParams) -> m.Descendants:
        start = answers.offset_of(params.cursor)
        rows = await asyncio.to_thread(
            AgentGraph(self.daemon.journal).descendants, params.host, params.session_id, open_only=params.open
        )
        page = rows[start : start + params.limit + 1]
        return m.Descendants(
            items=tuple(m.Descendant(**row, open=row["closed_at"] is None) for row in page[: params.limit]),
            next_cursor=answers.next_cursor(page, params.limit, start),
        )


def _key(name: str | None) -> tuple[str, str] | None:
    host, _, session_id = (name or "").partition("/")
    return (host, session_id) if name else None

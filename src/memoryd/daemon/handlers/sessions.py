"""Conversations."""

import asyncio

from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.ipc.methods import sessions as m
from memoryd.memory.recall import clean


class Sessions(Handlers):
    async def session_list(self, params: m.SessionListParams) -> m.SessionList:
        offset = answers.offset_of(params.cursor)
        directory = (await self.binding(params.cwd)) if params.cwd else None
        rows = await asyncio.to_thread(
            self.daemon.history.sessions, limit=params.limit + 1, offset=offset, directory=directory
        )
        return m.SessionList(
            items=tuple(answers.session(row) for row in rows[: params.limit]),
            next_cursor=answers.next_cursor(rows, params.limit, offset),
        )

    async def session_get(self, params: m.SessionGetParams) -> m.SessionDetail:
        row = await asyncio.to_thread(self.daemon.history.session, params.host, params.session_id)
        parent = row["parent_session_id"]
        return m.SessionDetail(
            **answers.session(row).model_dump(),
            parent=m.SessionKey(host=row["host"], session_id=parent) if parent else None,
            children=tuple(m.SessionKey(host=row["host"], session_id=c["child"]) for c in row["children"]),
            thread=tuple(m.SessionKey(host=row["host"], session_id=s["session_id"]) for s in row["thread"]),
            transcript=row["transcript_state"] if row["transcript_state"] in ("ok", "missing") else "none",
            headless=bool(row["headless"]),
            files=tuple(m.SessionFile(**touch) for touch in row["files"]),
        )

    async def session_search(self, params: m.SessionSearchParams) -> m.SessionHits:
        offset = answers.offset_of(params.cursor)
        directory = (await self.binding(params.cwd)) if params.cwd else None
        found = await self.daemon.session_search.find(
            params.query, directory, group_by=params.group_by, limit=params.limit + 1, offset=offset
        )
        items = (
            m.SessionHit(
                session=hit.spoken.session, seq=hit.spoken.seq, role=hit.spoken.role, at=hit.spoken.at,
                snippet=clean(hit.snippet), score=round(hit.score, 4), hits=hit.hits, thread=hit.thread,
            )
            for hit in found[: params.limit]
        )  # fmt: skip
        return m.SessionHits(items=tuple(items), next_cursor=answers.next_cursor(found, params.limit, offset))

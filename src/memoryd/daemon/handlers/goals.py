"""Goals."""

import asyncio

from memoryd.clock import parse_rfc3339
from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.journal.goals import Goals as Table
from memoryd.daemon.journal.history import Row
from memoryd.errors import BadEvent, ScanRejected
from memoryd.ipc.methods import goals as m
from memoryd.ipc.sanitise import sanitise
from memoryd.memory.scan import threats


class Goals(Handlers):
    async def goal_add(self, params: m.GoalAddParams) -> m.GoalInfo:
        directory, text = await self.binding(params.cwd), _cleaned(params.text)
        return _goal(await asyncio.to_thread(self._table.add, directory, text, params.host, params.session_id))

    async def goal_list(self, params: m.GoalListParams) -> m.GoalList:
        directory, start = await self.binding(params.cwd), answers.offset_of(params.cursor)
        rows = await asyncio.to_thread(
            self._table.list, directory, params.status, limit=params.limit + 1, offset=start
        )  # fmt: skip
        return m.GoalList(
            items=tuple(map(_goal, rows[: params.limit])), next_cursor=answers.next_cursor(rows, params.limit, start)
        )

    async def goal_update(self, params: m.GoalUpdateParams) -> m.GoalInfo:
        text = _cleaned(params.text) if params.text is not None else None
        return _goal(await asyncio.to_thread(self._table.update, params.id, params.status, text))

    @property
    def _table(self) -> Table:
        return Table(self.daemon.journal)


def _cleaned(text: str) -> str:
    """A goal as it may be kept and shown: one line, redacted. :raises BadEvent: nothing is left of it"""
    text = " ".join(sanitise(text).split())
    if not text:
        raise BadEvent("there is nothing in this goal that may be kept; say it in words")
    if found := threats(text):
        raise ScanRejected(f"refused: it reads like an attempt at {', '.join(sorted(found))}; put it in other words")
    return text


def _goal(row: Row) -> m.GoalInfo:
    return m.GoalInfo(
        id=row["id"], text=row["text"], status=row["status"], host=row["host"], session_id=row["session_id"],
        created_at=parse_rfc3339(row["created_at"]), updated_at=parse_rfc3339(row["updated_at"]),
    )  # fmt: skip

"""Goals."""

import asyncio

from memoryd.clock import parse_rfc3339
from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.handlers.given import Given
from memoryd.daemon.journal.goals import Goals as Table
from memoryd.daemon.journal.store import Row
from memoryd.errors import ScanRejected
from memoryd.ipc.methods import goals as m
from memoryd.memory.scan import threats


class Goals(Handlers):
    async def goal_add(self, params: m.GoalAddParams) -> m.GoalInfo:
        directory, given = await self.binding(params.cwd), Given()
        text = _cleaned(params.text, given)
        row = await asyncio.to_thread(self._table.add, directory, text, params.host, params.session_id)
        return _goal(row, await self.told(given))

    async def goal_list(self, params: m.GoalListParams) -> m.GoalList:
        directory, start = await self.binding(params.cwd), answers.offset_of(params.cursor)
        rows = await asyncio.to_thread(
            self._table.list, directory, params.status, limit=params.limit + 1, offset=start
        )  # fmt: skip
        return m.GoalList(
            items=tuple(map(_goal, rows[: params.limit])), next_cursor=answers.next_cursor(rows, params.limit, start)
        )

    async def goal_update(self, params: m.GoalUpdateParams) -> m.GoalInfo:
        given = Given()
        text = _cleaned(params.text, given) if params.text is not None else None
        row = await asyncio.to_thread(self._table.update, params.id, params.status, text)
        return _goal(row, await self.told(given))

    @property
    def _table(self) -> Table:
        return Table(self.daemon.journal)


def _cleaned(text: str, given: Given) -> str:
    """A goal as it may be kept and shown. :raises ScanRejected: it shows signs of an attack"""
    text = given.line(text)
    if found := threats(text):
        raise ScanRejected(f"refused: it reads like an attempt at {', '.join(sorted(found))}; put it in other words")
    return text


def _goal(row: Row, warnings: tuple[str, ...] = ()) -> m.GoalInfo:
    return m.GoalInfo(
        warnings=warnings,
        id=row["id"], text=row["text"], status=row["status"], host=row["host"], session_id=row["session_id"],
        created_at=parse_rfc3339(row["created_at"]), updated_at=parse_rfc3339(row["updated_at"]),
    )  # fmt: skip

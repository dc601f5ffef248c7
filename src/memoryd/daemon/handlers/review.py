"""The review inbox."""

import asyncio
from dataclasses import asdict

from memoryd.clock import parse_rfc3339
from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.handlers.given import Given
from memoryd.daemon.reviewing import Waiting
from memoryd.errors import UsageError
from memoryd.ipc.methods import review as m
from memoryd.memory.recall import clean
from memoryd.memory.scan import threats


class Review(Handlers):
    async def review_list(self, params: m.ReviewListParams) -> m.ReviewList:
        roots = await self.roots(params.cwd)
        await self.daemon.shelf.refresh_existing(roots)  # what was written outside memoryd is to be seen at once
        dirs = list(roots.values()) if params.cwd else None
        start = answers.offset_of(params.cursor)
        found = await asyncio.to_thread(self.daemon.inbox.list, dirs, limit=params.limit + 1, offset=start)
        return m.ReviewList(
            items=tuple(map(_item, found[: params.limit])),
            next_cursor=answers.next_cursor(found, params.limit, start),
            waiting=await asyncio.to_thread(self.daemon.inbox.reviews.waiting, dirs),
        )

    async def review_decide(self, params: m.ReviewDecideParams) -> m.ReviewDecided:
        if params.decision == "undo":
            undone = await self.daemon.inbox.take_back(params.id)
            return m.ReviewDecided(decision="undo", **asdict(undone)) if undone else m.ReviewDecided(decision="undo")
        accept = params.decision == "accept"
        if params.text is not None and not accept:
            raise UsageError("a text is for accept: it is written instead of the proposed words")
        given = Given()
        text = await asyncio.to_thread(given.text, params.text) if params.text is not None else None
        run, files = await self.daemon.inbox.decide(params.id, accept=accept, text=text, keep=params.keep)
        return m.ReviewDecided(decision=params.decision, run=run, files=files, warnings=await self.told(given))


def _item(waiting: Waiting) -> m.ReviewItem:
    row = waiting.row
    return m.ReviewItem(
        id=str(row["id"]), at=parse_rfc3339(row["at"]), scope=row["scope"], kind=row["kind"], text=clean(waiting.text),
        reason=row["reason"], tier=row["tier"], flags=tuple(sorted(threats(waiting.text))),
        words=waiting.words and clean(waiting.words),
        quotes=tuple(map(clean, waiting.quotes)), sources=waiting.sources, memory_dir=row["dir"], run=row["run_id"],
    )  # fmt: skip

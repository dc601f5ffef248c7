"""Candidates of dreaming."""

import asyncio
import json
from pathlib import Path

from memoryd.clock import parse_rfc3339
from memoryd.daemon import answers
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.handlers.review import Review
from memoryd.daemon.journal import dreams
from memoryd.daemon.journal.store import Row
from memoryd.errors import NotFound
from memoryd.ipc.methods import dream as m
from memoryd.ipc.methods.review import ReviewDecided, ReviewDecideParams
from memoryd.memory import dreaming
from memoryd.memory.ports import Span
from memoryd.memory.recall import clean
from memoryd.memory.text import nearest_sentence

MAX_TURNS, QUOTE_CHARS = 20, 300


class Dreams(Handlers):
    async def dream_list(self, params: m.DreamListParams) -> m.DreamList:
        dirs = list((await self.roots(params.cwd)).values()) if params.cwd else None
        rows = await asyncio.to_thread(dreams.candidates, self.daemon.journal, dirs, decided=params.all)
        start = answers.offset_of(params.cursor)
        page = rows[start : start + params.limit + 1]
        config = self.daemon.config.dreaming
        last, due = await asyncio.to_thread(self.daemon.dreamer.status)
        return m.DreamList(
            items=tuple(map(_info, page[: params.limit])), next_cursor=answers.next_cursor(page, params.limit, start),
            enabled=config.enabled, schedule=config.schedule, idle_seconds=config.idle_seconds, last_at=last,
            next_at=due,
        )  # fmt: skip

    async def dream_explain(self, params: m.DreamParams) -> m.DreamExplained:
        row = await asyncio.to_thread(self._row, params.id)
        detail, info = row["detail"], _info(row)
        spans = await asyncio.to_thread(self.daemon.runs.evidence.spans, detail["cites"][-MAX_TURNS:])
        would = await asyncio.to_thread(self.daemon.inbox.text_of, {**row, "detail": json.dumps(detail)})
        return m.DreamExplained(
            candidate=info, signals=tuple(
                m.SignalInfo(name=name, value=detail["signals"][name], weight=weight)
                for name, weight in dreaming.WEIGHTS.items()
            ),
            gates=(
                _gate("score", info.score, dreaming.MIN_SCORE), _gate("count", info.count, dreaming.MIN_COUNT),
                _gate("contexts", info.contexts, dreaming.MIN_CONTEXTS),
            ),
            sources=tuple(detail["sources"]), would=clean(would),
            turns=tuple(_turn(span, info.text) for span in spans.values()),
        )  # fmt: skip

    async def dream_decide(self, params: m.DreamDecideParams) -> ReviewDecided:
        await asyncio.to_thread(self._row, params.id)
        return await Review(self.daemon).review_decide(ReviewDecideParams(**params.model_dump()))

    def _row(self, ident: str) -> Row:
        """:raises NotFound: there is no such candidate"""
        row = self.daemon.inbox.reviews.find(ident)
        if row["kind"] != dreams.KIND:
            raise NotFound(f"{ident} is no candidate of a dream; `memoryd dream review` lists them")
        return {**row, "detail": json.loads(row["detail"])}


def _info(row: Row) -> m.DreamInfo:
    detail = row["detail"]
    return m.DreamInfo(
        id=str(row["id"]), text=clean(detail["text"]), scope=row["scope"], status=row["status"],
        promoted=dreams.promoted(row), lane=detail["lane"],
        entry=detail["entry"], tier=row["tier"], score=detail["score"], count=detail["count"],
        contexts=detail["contexts"], sessions=detail["sessions"], days=detail["days"],
        first_at=parse_rfc3339(detail["first_at"]), last_at=parse_rfc3339(detail["last_at"]),
        unmet=tuple(detail["unmet"]), held=detail["held"], memory_dir=str(Path(row["dir"])), run=row["decided_run"],
    )  # fmt: skip


def _gate(name: str, value: float, least: float) -> m.GateInfo:
    return m.GateInfo(name=name, value=value, least=least, passed=value >= least)


def _turn(span: Span, text: str) -> m.CitedTurn:
    quote = clean(nearest_sentence(span.text, text, QUOTE_CHARS))
    return m.CitedTurn(session=f"{span.host}/{span.session_id}", seq=span.seq, at=span.at, tier=span.tier, quote=quote)

"""Conversations."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from memoryd.clock import parse_rfc3339, rfc3339
from memoryd.daemon import answers
from memoryd.daemon.assisting import Unanswered
from memoryd.daemon.handlers.base import Handlers
from memoryd.daemon.journal.prompts import Place, Prompt, PromptHistory, Wanted
from memoryd.daemon.journal.spawns import AgentGraph
from memoryd.daemon.journal.store import Row
from memoryd.ipc.methods import sessions as m
from memoryd.ipc.redaction import redact
from memoryd.memory.recall import clean
from memoryd.memory.text import cut
from memoryd.worker.agents import question

REPORT_CHARS = 400  #: of what a sub-agent said at its end, in a list


class Sessions(Handlers):
    async def session_list(self, params: m.SessionListParams) -> m.SessionList:
        offset = answers.offset_of(params.cursor)
        directory = (await self.binding(params.cwd)) if params.cwd else None
        rows = await asyncio.to_thread(
            self.daemon.recorded.page,
            limit=params.limit + 1, offset=offset, directory=directory, kind=params.kind, thread=_key(params.thread),
        )  # fmt: skip
        return m.SessionList(
            items=tuple(answers.session(row) for row in rows[: params.limit]),
            next_cursor=answers.next_cursor(rows, params.limit, offset),
        )

    async def session_get(self, params: m.SessionGetParams) -> m.SessionDetail:
        row = await asyncio.to_thread(self.daemon.recorded.get, params.host, params.session_id)
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

    async def session_search(self, params: m.SessionSearchParams) -> m.SessionHits:
        offset = answers.offset_of(params.cursor)
        directory = (await self.binding(params.cwd)) if params.cwd else None
        found = await self.daemon.session_search.find(
            params.query, directory, group_by=params.group_by, limit=params.limit + 1, offset=offset
        )
        items = tuple(
            m.SessionHit(
                session=hit.spoken.session, seq=hit.spoken.seq, role=hit.spoken.role, at=hit.spoken.at,
                snippet=clean(hit.snippet), score=round(hit.score, 4), hits=hit.hits, thread=hit.thread,
                agent=clean(hit.spoken.agent),
            )
            for hit in found[: params.limit]
        )  # fmt: skip
        summary, why = await self._summary(params.query, items, directory) if params.summarise and items else ((), "")
        return m.SessionHits(
            items=items, next_cursor=answers.next_cursor(found, params.limit, offset), summary=summary, unanswered=why
        )

    async def _summary(
        self, query: str, items: Sequence[m.SessionHit], directory: Path | None
    ) -> tuple[tuple[m.SummarySentence, ...], str]:
        """What hits tell together by the model's word, each sentence with theirs; or none, and why."""
        texts = [f"{hit.role}, {hit.at:%Y-%m-%d}: {hit.snippet}" for hit in items]
        rows = [question.Row(id=f"h{n}", text=text) for n, text in enumerate(texts, start=1)]
        told = await self.daemon.assistant.summarise(query, rows, str(directory or self.daemon.places.user_memory))
        if isinstance(told, Unanswered):
            return (), told.why
        sentences = (
            m.SummarySentence(text=clean(redact(one.text)), hits=tuple(int(id[1:]) - 1 for id in one.cites))
            for one in told.sentences
        )
        return tuple(sentences), ""

    async def session_descendants(self, params: m.DescendantsParams) -> m.Descendants:
        start = answers.offset_of(params.cursor)
        graph = AgentGraph(self.daemon.journal)
        rows = await asyncio.to_thread(graph.descendants, params.host, params.session_id, open_only=params.open)
        page = rows[start : start + params.limit + 1]
        told = await asyncio.to_thread(graph.with_reports, page[: params.limit])
        return m.Descendants(
            items=tuple(map(_descendant, told)),
            next_cursor=answers.next_cursor(page, params.limit, start),
        )

    async def session_export(self, params: m.SessionExportParams) -> m.SessionExported:
        file = Path(params.file) if params.file else None
        found = await self.daemon.carrier.export(params.host, params.session_id, file, force=params.force)
        return m.SessionExported(events=found.events, bytes=found.bytes, document=found.document)

    async def session_import(self, params: m.SessionImportParams) -> m.SessionImported:
        found = await self.daemon.carrier.take(params.document, Path(params.file) if params.file else None)
        return m.SessionImported(**asdict(found))

    async def session_copy(self, params: m.SessionCopyParams) -> m.SessionCopied:
        ident, events = await self.daemon.carrier.copy(params.host, params.session_id, params.new_session_id)
        return m.SessionCopied(host=params.host, session_id=ident, events=events)

    async def history_list(self, params: m.HistoryParams) -> m.HistoryPage:
        wanted = Wanted(
            prefix=params.prefix, host=params.host, session_id=params.session_id, limit=params.limit,
            directory=(await self.binding(params.cwd)) if params.cwd else None,
            before=_place(params.cursor),
        )  # fmt: skip
        found, before = await asyncio.to_thread(PromptHistory(self.daemon.journal).page, wanted)
        return m.HistoryPage(items=tuple(map(_line, found)), next_cursor=before and f"{before.at}/{before.seq}")


def _descendant(row: Row) -> m.Descendant:
    report = clean(cut(row["report"], REPORT_CHARS)) if "report" in row else None
    return m.Descendant(**{**row, "report": report}, open=row["closed_at"] is None)


def _line(prompt: Prompt) -> m.PromptLine:
    return m.PromptLine(
        host=prompt.host, session_id=prompt.session_id, seq=prompt.seq, ts=int(prompt.at.timestamp()),
        text=prompt.text, truncated=prompt.truncated,
    )  # fmt: skip


def _place(cursor: str | None) -> Place | None:
    """Where a page ended, from its cursor."""
    if cursor is None:
        return None
    at, _, seq = cursor.partition("/")
    try:
        return Place(rfc3339(parse_rfc3339(at)), answers.offset_of(seq))
    except (ValueError, OverflowError):
        return answers.no_cursor(cursor)


def _key(name: str | None) -> tuple[str, str] | None:
    host, _, session_id = (name or "").partition("/")
    return (host, session_id) if name else None

"""What the daemon looks at for `memoryd doctor`: a trial of the journal, the newest transcripts, the index."""

import asyncio

from memoryd.clock import parse_rfc3339
from memoryd.daemon import transcripts
from memoryd.daemon.indexing import Indexer
from memoryd.daemon.journal import trial
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.store import Row
from memoryd.daemon.journal.transcripts import Positions
from memoryd.ipc.methods.daemon import Checked, LookedAt


async def examine(journal: Journal, positions: Positions, indexer: Indexer) -> Checked:
    """Leaves nothing behind."""
    newest = await asyncio.to_thread(trial.newest_at, journal)
    return Checked(
        journal_fault=await trial.fault(journal),
        index_fault=await indexer.examine(),
        newest_at=parse_rfc3339(newest) if newest else None,
        transcripts=await asyncio.to_thread(lambda: tuple(map(_looked_at, positions.newest()))),
    )


def _looked_at(row: Row) -> LookedAt:
    state, fault = transcripts.look(row["transcript_path"])
    return LookedAt(
        host=row["host"], session_id=row["session_id"], path=row["transcript_path"], state=state, fault=fault,
        expected=row["turn_count"] > 0 and not row["headless"],
    )  # fmt: skip

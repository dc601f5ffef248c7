"""What calls to a model have cost, by day, by model or by memory directory. Reads only; blocking."""

import sqlite3
from dataclasses import dataclass
from datetime import date

from memoryd.daemon.journal.ledger import USD_DUST
from memoryd.daemon.journal.store import Row, Store
from memoryd.ipc.methods.usage import By

_KEYS = {"day": "day", "model": "case when model = '' then agent else model end", "project": "dir"}

#: a call that is not settled runs now, its child ended without a word, or its provider does not tell what it cost
_AMOUNTS = f"""
    sum(calls) as calls,
    sum(iif(tokens_out = 0, calls, 0)) as failed_calls,
    sum(iif(settled_at is null, calls, 0)) as unsettled_calls,
    coalesce(sum(tokens_in), 0) as tokens_in, coalesce(sum(tokens_out), 0) as tokens_out,
    coalesce(sum(tokens_cached), 0) as tokens_cached, coalesce(sum(spent_usd), 0.0) as usd,
    sum(iif(settled_at is null, tokens, 0)) as unsettled_tokens,
    sum(iif(settled_at is null, usd, 0.0)) as unsettled_usd,
    sum(coalesce(tokens_in + tokens_out > tokens or spent_usd > usd + {USD_DUST}, 0)) as calls_above
"""

#: one without changes is an agent's own where it made a call; the rules make none
_NEWEST_ENDS = """
    select outcome, reason from runs where action = 'consolidate' and coalesce(agent, '') <> 'rules'
    and (outcome in ('rejected', 'applied') or outcome = 'failed' and reason not like 'the daemon stopped%'
        or outcome = 'no_change' and exists (select 1 from reservations where run_id = runs.id))
    order by started_at desc limit ?
"""


@dataclass(frozen=True, slots=True)
class JournalUsage:
    journal: Store

    def rows(self, since: date, by: By) -> list[Row]:
        """Sums since a local date, each with the memories that its runs have written; days in their order, else the
        dearest first."""
        return self.journal.read(lambda connection: _rows(connection, since.isoformat(), by))

    def memories_of_rules(self, since: date) -> int:
        """How many memories the rules have written since a local date: they cost nothing."""
        sql = "select coalesce(sum(memories), 0) from runs where agent = 'rules' and date(started_at, 'localtime') >= ?"
        return int(self.journal.read(lambda c: c.execute(sql, (since.isoformat(),)).fetchone()[0]))

    def newest_ends(self, limit: int) -> list[Row]:
        """How the newest runs of agents that ask a model ended: `outcome`, `reason`; those put off are left out."""
        return self.journal.rows(_NEWEST_ENDS, limit)


def _rows(connection: sqlite3.Connection, since: str, by: By) -> list[Row]:
    order = "key" if by == "day" else "usd desc, tokens_in + tokens_out desc, key"
    written = connection.execute(
        "select key, sum(memories) from runs join"
        f" (select run_id, min({_KEYS[by]}) as key from reservations where day >= ? group by run_id)"
        " on run_id = runs.id group by key", (since,),
    )  # fmt: skip
    memories = dict(written)
    rows = connection.execute(
        f"select {_KEYS[by]} as key, {_AMOUNTS} from reservations where day >= ? group by 1 order by {order}", (since,)
    )
    return [{**dict(row), "memories": memories.get(row["key"], 0)} for row in rows]

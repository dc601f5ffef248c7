"""The candidates of a directory as rows of the review inbox: brought up to what was found, each with its evidence."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.clock import rfc3339
from memoryd.daemon import wishing
from memoryd.daemon.journal import dreams
from memoryd.daemon.journal.dreams import LIVE
from memoryd.daemon.journal.store import Row, Store
from memoryd.memory import dreaming
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.dreaming import Recurring
from memoryd.memory.model import Root

MAX_STAGED = 20  #: candidates of a pass that wait, the best ones
_NOBODY = "it rests on nothing that a user or an agent said"


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A candidate that waits, with its row as it is now."""

    row: Row
    one: Recurring
    new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Blocking."""

    journal: Store
    path: Path
    scope: Root
    catalogue: Catalogue  #: of the roots that a promotion may write
    has_project: bool
    now: datetime
    lane: str

    def bring_up(self, found: Sequence[Recurring]) -> list[Staged]:
        """Stage what is new, refresh what waits, drop what nothing speaks for any more; what was decided stays so.

        :param found: the best first
        """
        known = [(row, next((one for one in found if _is(row, one)), None)) for row in self._rows()]
        decided = [one for row, one in known if one and row["status"] != "open" and not _was_kept_on(row)]
        dreams.drop(self.journal, [row["id"] for row, one in known if one is None and self._is_passing(row)])
        waiting = [one for one in found if one not in decided][:MAX_STAGED]
        rows = {id(one): row for row, one in known if one}
        for one in waiting:
            self._put(one, rows.get(id(one)))
        now = [(row, next((one for one in waiting if _is(row, one)), None)) for row in self._rows()]
        return [Staged(row=row, one=one, new=id(one) not in rows) for row, one in now if one]

    def _rows(self) -> list[Row]:
        return dreams.candidates(self.journal, [self.path])

    def _is_passing(self, row: Row) -> bool:
        """Whether a row goes when its evidence does; what a backfill found, or a person took back, waits."""
        detail = row["detail"]
        return row["status"] == "open" and detail["lane"] == self.lane == LIVE and not detail["held"]

    def _put(self, one: Recurring, row: Row | None) -> None:
        before = row["detail"] if row else {}
        unmet = [*one.unmet(self.now), *([] if one.cites or one.entry else [_NOBODY])]
        detail = {**self._evidence(one), **self._history(before), "unmet": unmet}
        seen = f"{one.count} times in {one.sessions} sessions on {one.days} days, score {detail['score']:.2f}"
        reason = "; ".join([seen, *unmet])
        if row is None:
            dreams.stage(self.journal, self.path, str(self.scope), one.text, detail, reason)
        elif row["status"] == "open" and before["lane"] in (LIVE, self.lane):  # a backfill has seen more
            dreams.refresh(self.journal, row["id"], detail, reason)

    def _evidence(self, one: Recurring) -> dict[str, Any]:
        wished = wishing.wishes(one, self.catalogue, has_project=self.has_project)
        return {
            "text": one.text, "tier": str(one.tier), "entry": one.entry, "score": one.score(self.now),
            "signals": {name: round(value, 3) for name, value in one.signals(self.now).items()},
            "count": one.count, "contexts": one.contexts, "sessions": one.sessions, "days": one.days,
            "first_at": rfc3339(one.mentions[0].at), "last_at": rfc3339(one.mentions[-1].at),
            "sources": sorted({str(mention.source) for mention in one.mentions}), "cites": list(one.cites),
            "proposals": [json.loads(proposal.model_dump_json()) for proposal in wished],
        }  # fmt: skip

    def _history(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """What later passes leave as it is: where it came from, that a person took it back, how it was refused."""
        return {
            "lane": before.get("lane", self.lane), "held": before.get("held", False),
            "refused": before.get("refused"),
        }  # fmt: skip


def _is(row: Row, one: Recurring) -> bool:
    """Whether a row is of this candidate: the same entry, or a statement near its own."""
    detail = row["detail"]
    if detail["entry"] or one.entry:
        return bool(detail["entry"] == one.entry)
    return dreaming.same(detail["text"], one.text)


def _was_kept_on(row: Row) -> bool:
    """Whether a row is of a dated fact that was let stay: it may be let stay again."""
    return bool(row["detail"]["entry"]) and row["status"] == "accepted"

"""Conversations rehearsed in memory: run after run of a memory agent through the real acceptance and draft.

What a run may change is decided by the code that decides it in the daemon; only the journal and the files are kept in
dictionaries, and time is counted in seconds from one fixed day.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from memoryd.ipc.events import TIER_OF_ROLE, Role, Tier
from memoryd.memory import acceptance, draft
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.draft_rules import after
from memoryd.memory.model import FileKey
from memoryd.memory.ports import Span
from memoryd.worker.ports import MemoryAgent
from memoryd.worker.projection import Projection, SessionSlice, Utterance

START = datetime(2026, 1, 1, tzinfo=UTC)
HOST = "generic"


@dataclass(slots=True)
class Rehearsal:
    """One memory that begins empty, and the journal that it rests on."""

    files: dict[FileKey, bytes] = field(default_factory=dict)
    _said: dict[int, Span] = field(default_factory=dict)
    _notes: dict[tuple[str, str], str] = field(default_factory=dict)

    def say(self, role: Role, text: str, *, session: str, tier: Tier | None = None) -> Utterance:
        """Write a text into the journal."""
        seq, tier = len(self._said) + 1, tier or TIER_OF_ROLE[role]
        at = START + timedelta(seconds=seq)
        self._said[seq] = Span(seq=seq, at=at, host=HOST, session_id=session, role=role, tier=tier, text=text)
        return Utterance(seq=seq, at=at, role=role, tier=tier, text=text)

    def consolidate(self, agent: MemoryAgent, said: Sequence[Utterance], *, session: str) -> None:
        """One run over new utterances of a session. :raises MemorydError: as the agent does; nothing was changed"""
        read = self._projection(said, session)
        result = asyncio.run(agent.propose(read, Catalogue.build(self.files).view(), run_id=""))
        self._notes.update(result.notes)
        accepted, _ = acceptance.judge(result.proposals, evidence=self, base=self.files)
        made = draft.build(
            self.files, accepted, now=said[-1].at, has_project=True, sources=lambda seqs: [], ours=lambda key, line: ()
        )
        if acceptance.check_draft(made, self.files) is None:
            self.files = after(made, self.files)

    def _projection(self, said: Sequence[Utterance], session: str) -> Projection:
        note = self._notes.get((HOST, session), "")
        heard = SessionSlice(
            host=HOST, session_id=session, started_at=said[0].at, cwd="/project", utterances=tuple(said),
            projection=note,
        )  # fmt: skip
        return Projection(from_seq=said[0].seq, to_seq=said[-1].seq, sessions=(heard,))

    def trusted(self) -> tuple[str, ...]:
        """What the memory holds as the user's word: lines of core files and active entries, a text each."""
        return self._active(dated=False)

    def active(self) -> tuple[str, ...]:
        """The same with dated facts, which recall only ever quotes; no summaries of sessions."""
        return (*self._active(dated=False), *self._active(dated=True, lines=False))

    def _active(self, *, dated: bool, lines: bool = True) -> tuple[str, ...]:
        catalogue = Catalogue.build(self.files)
        entries = (known.entry for known in catalogue.entries if known.entry.active and known.entry.dated is dated)
        return (
            *(line.text for line in catalogue.lines if lines),
            *("\n".join((entry.name, entry.description, entry.body)) for entry in entries),
        )

    # the journal as acceptance sees it

    def spans(self, seqs: Iterable[int]) -> Mapping[int, Span]:
        return {seq: self._said[seq] for seq in seqs if seq in self._said}

    def foreign(self, seqs: Iterable[int], *, later: bool = False) -> Sequence[tuple[Tier, str]]:
        cited = [self._said[seq] for seq in seqs if seq in self._said]
        sessions, last = {span.session_id for span in cited}, max((span.seq for span in cited), default=0)
        return [
            (span.tier, span.text)
            for span in reversed(self._said.values())
            if span.tier is not Tier.USER and span.session_id in sessions and (later or span.seq < last)
        ]

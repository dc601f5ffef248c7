"""What dreaming looks at: statements of users, daily notes and session summaries; prompts that found a dated fact.

Recalled text is no evidence. What a session was shown by memory is no mention in that session, whoever repeats it; what
an agent noted is none where memory holds it, or once held it. Text of tools and answers is not looked at, and what of
it a prompt quotes is not the user's own, be it from another session of the directory, unless the user said it first.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from pathlib import Path

from memoryd.daemon.journal import dreams, recalled
from memoryd.daemon.journal.journal import Journal
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.ipc.events import Tier
from memoryd.ipc.redaction import redact
from memoryd.memory import daily, dreaming, long_term
from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.changes import decode
from memoryd.memory.dreaming import Mention, Recurring, Source
from memoryd.memory.model import DAILY_DIR, LONG_TERM_DIR, SESSION_DIR, FileKey, Root
from memoryd.memory.scan import threats
from memoryd.memory.spans import own_words
from memoryd.memory.text import bare, cut

FOREIGN_CHARS = 4_000  #: of each text of others that a prompt may quote
STATEMENT_CHARS = 400  #: a longer one says several things
_EVER = datetime.min.replace(tzinfo=UTC)
_CLOCK_CHARS = len("00:00 ")

Session = tuple[str, str]  #: host, id


@dataclass(slots=True, kw_only=True)
class Collector:
    """Reads one directory's signals, in a thread; what it has read of a session is read once."""

    journal: Journal
    runs: JournalRuns
    path: Path
    root: Root  #: the role of the directory
    files: Mapping[FileKey, bytes]  #: of the directory
    catalogue: Catalogue  #: of its roots
    since: datetime
    _ever: list[tuple[datetime, str]] | None = None  #: the own words of the users of all times
    _foreign: dict[Session, list[str]] = field(default_factory=dict)
    _shown: dict[Session, str] = field(default_factory=dict)

    def known(self) -> list[str]:
        """What is in memory, a statement each."""
        held = [line.text for line in self.catalogue.lines]
        return held + [row for known in self._active() for row in _rows(known)]

    def statements(self, *, backfill: bool = False) -> list[Mention]:
        """The statements of users, notes and summaries; of a backfill those of notes and summaries alone."""
        said = [] if backfill else self._said()
        return [*said, *self._noted(), *self._summed_up(said, merged=backfill)]

    def wanted(self) -> list[Recurring]:
        """The dated facts that prompts and searches found."""
        dated = {k.key.path: k for k in self._active() if k.entry.dated and not k.entry.matured}
        found: dict[str, Recurring] = {}
        for hit in recalled.hits(self.journal, str(self.path), self.since):
            known = dated.get(hit.path)
            if known is not None and known.key.root is self.root:
                one = found.setdefault(hit.path, Recurring(entry=hit.path))
                one.mentions.append(Mention(
                    text=cut(known.entry.body, STATEMENT_CHARS), at=hit.at, source=Source.RECALL,
                    tier=known.entry.tier or Tier.TOOL, weight=1 / hit.place, context=hit.query,
                    session=str(hit.session), cites=self._rests_on(known),
                ))  # fmt: skip
        return list(found.values())

    def _active(self) -> list[Known]:
        return [known for known in self.catalogue.entries if known.entry.active]

    def _rests_on(self, known: Known) -> tuple[int, ...]:
        seqs = (self.runs.ours(self.path, known.key.path, bare(row)) or () for row in _rows(known))
        return tuple(sorted({seq for found in seqs for seq in found}))

    # what users said

    def _said(self) -> list[Mention]:
        """What users stated, without what somebody else had said before in the directory."""
        found = list(self._stated_by_users())
        statements = sorted({one.text for one in found})
        first = dreams.first_quoted(self.journal, self.path, statements)
        pasted = {text for text, at in zip(statements, first, strict=True) if at and not self._users_before(text, at)}
        return [one for one in found if one.text not in pasted]

    def _stated_by_users(self) -> Iterator[Mention]:
        for one in dreams.texts(self.journal, self.path, self.since):
            if not any(_stated(own_words(one.text))):
                continue  # most prompts ask for something
            for text, weight in _stated(own_words(one.text, self._foreign_of(one.session, one.seq))):
                if not dreaming.says(text, self._told(one.session)):
                    yield Mention(
                        text=text, at=one.at, source=Source.PROMPT, tier=Tier.USER, weight=weight, context=one.text,
                        session="/".join(one.session), cites=(one.seq,),
                    )  # fmt: skip

    def _users_before(self, statement: str, at: datetime) -> bool:
        """Whether a user had said it before: who repeats the user takes no word from them."""
        if self._ever is None:
            ever = dreams.texts(self.journal, self.path, _EVER)
            self._ever = [(one.at, own_words(one.text)) for one in ever]
        return any(then < at and dreaming.says(statement, text) for then, text in self._ever)

    def _foreign_of(self, session: Session, seq: int) -> list[str]:
        """What others said in a session."""
        if session not in self._foreign:
            found = self.runs.evidence.foreign((seq,), later=True)
            self._foreign[session] = [text[:FOREIGN_CHARS] for _, text in found]
        return self._foreign[session]

    def _told(self, session: Session) -> str:
        """All that memory has told a session, as rows."""
        if session not in self._shown:
            text, ids = dreams.shown(self.journal, [session]).get(session, ("", frozenset()))
            paths = {id.partition("#")[0].partition(":")[2] for id in ids}
            bodies = (row for known in self.catalogue.entries if known.key.path in paths for row in _rows(known))
            self._shown[session] = "\n".join([text, *bodies])
        return self._shown[session]

    # what was noted and summed up

    def _noted(self) -> Iterator[Mention]:
        held = "\n".join(row for known in self.catalogue.entries for row in _rows(known))
        for key, content in self.files.items():
            day = daily.day_of(key.path) if key.path.startswith(f"{DAILY_DIR}/") else None
            at = datetime.combine(day, time(12)).astimezone() if day else None
            if at is None or at < self.since:
                continue
            for row in daily.notes(decode(content)):
                agent, said = _without_mark(row)
                for text, weight in _stated(said):
                    if not (agent and dreaming.says(text, held)):
                        yield Mention(
                            text=text, at=at, source=Source.NOTE, tier=Tier.HOST if agent else Tier.USER,
                            weight=weight, context=f"note {day}", session=f"note/{day}",
                        )  # fmt: skip

    def _summed_up(self, said: Iterable[Mention], *, merged: bool) -> Iterator[Mention]:
        """What agents say they did, as far as no user said it in that session.

        :param merged: also the summaries that moved to `long-term/`
        """
        users: dict[str, str] = {}
        for one in said:
            users[one.session] = f"{users.get(one.session, '')}\n{one.text}"
        for key, content in self.files.items():
            if key.path.startswith((f"{SESSION_DIR}/", f"{LONG_TERM_DIR}/")[: 1 + merged]):
                yield from self._done(key, decode(content), users)

    def _done(self, key: FileKey, summary: str, users: Mapping[str, str]) -> Iterator[Mention]:
        held = "\n".join(row for known in self.catalogue.entries for row in _rows(known))
        for row in long_term.done(summary):
            cites = tuple(self.runs.ours(self.path, key.path, row) or ())
            spans = self.runs.evidence.spans(cites).values()
            at = max((span.at for span in spans), default=None)
            if at is None or at < self.since:
                continue
            session = next((span.host, span.session_id) for span in spans)
            name = "/".join(session)
            for text, weight in _stated(row):
                told = "\n".join([self._told(session), held, users.get(name, "")])
                if not dreaming.says(text, told):
                    yield Mention(
                        text=text, at=at, source=Source.SUMMARY, tier=Tier.HOST, weight=weight, context=name,
                        session=name, cites=cites,
                    )  # fmt: skip


def _rows(known: Known) -> list[str]:
    return [bare(row) for row in known.entry.body.split("\n") if bare(row)]


def _without_mark(row: str) -> tuple[bool, str]:
    """Whether an agent wrote a note, and what it says without its time and mark."""
    head, agent, said = row.partition(daily.AGENT)
    if agent and len(head) <= _CLOCK_CHARS:
        return True, said
    return False, row[_CLOCK_CHARS:] if row[:2].isdigit() and row[2:3] == ":" else row


def _stated(text: str) -> Iterator[tuple[str, float]]:
    """The statements of a text that may be kept and shown."""
    from memoryd.worker.agents.rules.statements import statements  # an idle daemon holds no patterns

    for found in statements(text):
        if len(found.text) <= STATEMENT_CHARS and not threats(found.text) and redact(found.text) == found.text:
            yield found.text, found.relevance

"""The conversation as a model is shown it: who said what and when, quoted, in parts that fit one call.

What the user said has an id, `u1`, which an item cites. What others said has none: nothing may rest on it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memoryd.ipc.events import Tier
from memoryd.memory.text import tokens
from memoryd.worker.agents.asking.quoting import one_line, quoted, shortened
from memoryd.worker.projection import Projection, SessionSlice, ToolCall, Utterance

TURN_TEXTS = 8  #: of what the assistant said and did after one text of the user; the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Characters that each text may have, by who said it; 0 leaves it out."""

    user: int
    assistant: int
    tool: int


#: from everything that matters down to what a very long range can still be shown in
LEVELS = (
    Cuts(user=4000, assistant=800, tool=300),
    Cuts(user=2000, assistant=300, tool=0),
    Cuts(user=800, assistant=0, tool=0),
    Cuts(user=300, assistant=0, tool=0),
)


@dataclass(slots=True, kw_only=True)
class Part:
    """As much of the conversation as one call is asked about."""

    rows: list[str] = field(default_factory=list)
    users: int = 0  #: texts of the user in it
    tokens: int = 0  #: an estimate

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    def add(self, rows: Sequence[str], users: int = 0) -> None:
        self.rows += rows
        self.users += users
        self.tokens += tokens("\n".join(rows)) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    parts: tuple[Part, ...]
    said: Mapping[str, Utterance]  #: by short id


def build(projection: Projection, cuts: Cuts, part_tokens: int) -> Conversation:
    """Return what is new, session by session; a part in which no user speaks is not asked about.

    Texts are linear in the range: each stands in one part, once.
    """
    said: dict[str, Utterance] = {}
    parts: list[Part] = [Part()]
    for session in projection.sessions:
        heading = f"### {session.host} session, {day(session.started_at)}"
        if parts[-1].tokens > part_tokens // 2:
            parts.append(Part())
        parts[-1].add([heading])
        for turn in _turns(session):
            rows, users = _rendered(turn, cuts, said)
            if parts[-1].users and parts[-1].tokens + tokens("\n".join(rows)) > part_tokens:
                parts.append(Part())
                parts[-1].add([heading])
            parts[-1].add(rows, users)
    return Conversation(parts=tuple(part for part in parts if part.users), said=said)


def is_citable(utterance: Utterance) -> bool:
    """Whether a fact may rest on it: the user said it."""
    return utterance.role == "user" and utterance.tier is Tier.USER


def day(moment: datetime) -> str:
    """The date of a moment where this machine is, for what was said to be "today" or "tomorrow"."""
    return moment.astimezone().strftime("%Y-%m-%d, %A")


def _turns(session: SessionSlice) -> Iterator[list[Utterance | ToolCall]]:
    """Everything from one text of the user to the next; of what was done in between, the last."""
    turn: list[Utterance | ToolCall] = []
    texts: list[Utterance | ToolCall] = [*session.utterances, *session.tools]
    for one in sorted(texts, key=lambda one: (one.at, one.seq)):
        if isinstance(one, Utterance) and one.role == "user" and turn:
            yield [*turn[:1], *turn[1:][-TURN_TEXTS:]]
            turn = []
        turn.append(one)
    if turn:
        yield [*turn[:1], *turn[1:][-TURN_TEXTS:]]


def _rendered(turn: Sequence[Utterance | ToolCall], cuts: Cuts, said: dict[str, Utterance]) -> tuple[list[str], int]:
    rows: list[str] = []
    before = len(said)
    for one in turn:
        if isinstance(one, ToolCall):
            if cuts.tool:
                outcome = {True: "worked", False: "failed", None: "was interrupted"}[one.ok]
                rows.append(f"tool {one_line(one.name)[:60]} {outcome}: {one_line(shortened(one.summary, cuts.tool))}")
        elif is_citable(one):
            said[f"u{len(said) + 1}"] = one
            rows += [f"[u{len(said)}] user, {day(one.at)}:", quoted(shortened(one.text, cuts.user))]
        else:
            limit = cuts.assistant if one.tier in (Tier.USER, Tier.HOST) else cuts.tool
            if text := shortened(one.text, limit):
                rows += [f"{'quoted by the user' if one.role == 'user' else one.role}:", quoted(text)]
    return rows, len(said) - before

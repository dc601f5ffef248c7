"""The ends of turns that a transcript implies: hooks tell them while a session is live, a transcript does not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from memoryd.ipc.events import EndStatus, Event, Message, Tier, ToolUse, Turn, TurnData


@dataclass(slots=True, kw_only=True)
class Turns:
    """Adds the end of each turn behind its last event.

    A turn has the id that the host gives it, so that one that a hook told already counts once; without one it is named
    by its prompt.
    """

    by_prompt: bool = True  #: also turns without an id of the host; not for sessions whose hooks told theirs
    _prompt: Message | None = None
    _answered: bool = False
    _at: datetime | None = None

    def ended(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events, and before each new prompt the end of the turn before it."""
        for event in events:
            if isinstance(event, Message) and _is_prompt(event):
                yield from self.close()
                self._prompt, self._answered, self._at = event, False, event.at
            elif isinstance(event, Turn):  # this host's transcript tells its turns itself
                self._prompt = None
            elif self._prompt is not None:
                self._answered = self._answered or isinstance(event, ToolUse) or _is_answer(event)
                self._at = max(self._at or event.at, event.at)
            yield event

    def close(self, *, over: bool = True) -> Iterator[Event]:
        """The end of the turn that is open: the transcript ends, or the next prompt comes.

        :param over: nothing more will be written; else only a turn that was answered has ended
        """
        prompt, self._prompt = self._prompt, None
        if prompt is None or not (prompt.turn_id or self.by_prompt) or not (over or self._answered):
            return
        yield Turn(
            id=f"{prompt.id[:240]}+turn", host=prompt.host, session_id=prompt.session_id, cwd=prompt.cwd,
            at=self._at or prompt.at, turn_id=prompt.turn_id or prompt.id,
            data=TurnData(status=EndStatus.OK if self._answered else EndStatus.INTERRUPTED),
        )  # fmt: skip


def _is_prompt(event: Message) -> bool:
    return event.data.role == "user" and event.data.tier in (None, Tier.USER)


def _is_answer(event: Event) -> bool:
    return isinstance(event, Message) and event.data.role == "assistant"

"""What the memory gives for one call of the model, and where it belongs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """All texts are fenced as quoted memory and may be empty.

    A program that makes its request anew each time puts `snapshot` into the system prompt and `prefetch` before the
    prompt. One that only appends to a list of messages appends `text`, and keeps it there.
    """

    turn_id: str  #: names the turn in `after_invocation`, where several run at once
    snapshot: str = ""  #: what the session knows since its start: the same text until a compaction
    prefetch: str = ""  #: what this prompt brings up beyond that; for this call alone
    text: str = ""  #: what is new since the last call: the snapshot when it was just taken, and the prefetch


def joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)

"""What a person or an agent hands in: one rule at every door, save, edit, note, goal and review.

What is private or hidden is taken out and a secret replaced by its placeholder, as in an event; who gave it is told.
"""

from collections import Counter

from memoryd.errors import BadEvent
from memoryd.ipc.sanitise import sanitise


class Given:
    """The texts of one request, and what was replaced in them."""

    def __init__(self) -> None:
        self.replaced = Counter[str]()  #: by label

    def text(self, text: str) -> str:
        """A text as it may be kept. :raises BadEvent: nothing is left of it"""
        if kept := self.maybe(text).strip():
            return kept
        raise BadEvent("nothing in it may be kept: it is empty, hidden or private; say it in words")

    def line(self, text: str) -> str:
        """The same on one line."""
        return " ".join(self.text(text).split())

    def maybe(self, text: str) -> str:
        """The same of what may be empty."""
        return sanitise(text, self.replaced)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the giver should know: the kinds of what was replaced, never the values."""
        return tuple(_told(label, number) for label, number in sorted(self.replaced.items()))


def _told(label: str, number: int) -> str:
    family, _, kind = label.partition(":")
    return f"{number} {_WORDS[family][number > 1]} ({kind}) replaced by a placeholder"


_WORDS = {"secret": ("secret", "secrets"), "pii": ("piece of personal data", "pieces of personal data")}

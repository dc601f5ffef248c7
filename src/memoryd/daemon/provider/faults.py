"""Why a provider gave no answer."""

from enum import Enum


class Code(Enum):
    PAUSED = "paused"  #: it is not asked now
    LATE = "late"
    REFUSED = "refused"  #: what it said is no answer
    GONE = "gone"  #: the process is of no use any more


class Unanswered(Exception):
    """There is no answer; the text is a sentence that begins with `it`."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code = code

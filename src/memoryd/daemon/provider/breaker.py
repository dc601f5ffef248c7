"""When a provider that failed may be asked again: the pause doubles with each fault in a row."""

from collections.abc import Callable
from dataclasses import dataclass

from memoryd.clock import mono

ALLOWED = 3  #: answers in a row that may be missing before nothing is asked for a while
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 10.0, 1800.0


@dataclass(slots=True)
class Breaker:
    """In memory: a daemon that starts tries again."""

    now_mono: Callable[[], float] = mono
    reason: str = ""  #: of the last fault, '' when it has answered since
    _missing: int = 0
    _pauses: int = 0
    _until_mono: float = 0.0

    @property
    def seconds_left(self) -> float:
        """Until it may be asked again, 0 when it may."""
        return max(0.0, self._until_mono - self.now_mono())

    def failed(self, reason: str, *, at_once: bool = False) -> bool:
        """Note a fault; returns whether nothing is to be asked for a while.

        :param at_once: it could not even be started
        """
        self.reason = reason
        self._missing += 1
        if not at_once and self._missing < ALLOWED:
            return False
        pause = min(FIRST_PAUSE_SECONDS * 2.0 ** min(self._pauses, 16), LONGEST_PAUSE_SECONDS)
        self._pauses, self._missing = self._pauses + 1, 0
        self._until_mono = self.now_mono() + pause
        return True

    def answered(self) -> None:
        self.reason, self._missing, self._pauses, self._until_mono = "", 0, 0, 0.0

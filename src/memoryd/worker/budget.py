"""What an agent's calls may cost and have cost: how a child asks, and how the ledger answers."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from memoryd.clock import rfc3339
from memoryd.errors import LimitExceeded, Retry

MAX_TOKENS = 10**12  #: far more than any call has; sums stay within 64 bits
MAX_USD = 1e6


class _Amounts(BaseModel):
    """A child's word: never below zero, or it could give itself money."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Need(_Amounts):
    """What the next call may cost at most."""

    calls: int = Field(default=1, ge=1, le=1000)
    tokens: int = Field(default=0, ge=0, le=MAX_TOKENS)  #: in and out together
    usd: float = Field(default=0.0, ge=0, le=MAX_USD)


class Cost(_Amounts):
    """What a call has cost. Where the provider does not tell, nothing is settled: what was reserved stays spent."""

    tokens_in: int = Field(default=0, ge=0, le=MAX_TOKENS)
    tokens_out: int = Field(default=0, ge=0, le=MAX_TOKENS)
    tokens_cached: int = Field(default=0, ge=0, le=MAX_TOKENS)
    """Of `tokens_in`, those that the provider had from before."""
    usd: float = Field(default=0.0, ge=0, le=MAX_USD)


class BudgetSpent(LimitExceeded):
    """A call may not be made: what it may cost at most is more than what is left."""

    retry = Retry.LATER

    def __init__(self, sentence: str, not_before: datetime | None, *, waiting_helps: bool = True) -> None:
        """
        :param not_before: when the window frees, aware UTC; None: the run's own share is used up, no wait helps
        :param waiting_helps: the limit would allow the call in a new window
        """
        until = f", or wait until {rfc3339(not_before)}" if not_before and waiting_helps else ""
        super().__init__(sentence + until)
        self.not_before = not_before

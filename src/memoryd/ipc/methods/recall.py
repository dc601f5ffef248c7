"""What a session is given at its start, and for a prompt."""

from pydantic import Field

from memoryd.ipc.methods.base import Method, Result, ScopeName, Where


class RecallParams(Where):
    """`host` and `session_id` say who asks: a session that is known is answered from its own memory, with the snapshot
    that it was given before, and files that it touched rank the entries that name them."""

    host: str | None = None
    session_id: str | None = None
    query: str | None = Field(default=None, max_length=20_000)
    scopes: tuple[ScopeName, ...] = ()
    budget_tokens: int | None = Field(default=None, ge=1, le=100_000)


class RecallItem(Result):
    scope: ScopeName
    path: str
    name: str


class Recalled(Result):
    text: str
    items: tuple[RecallItem, ...] = ()
    left_out: int = 0  #: memories that had no room
    generation: int = 0  #: of the catalogue


METHODS: dict[str, Method] = {
    "recall.snapshot": Method(RecallParams, Recalled),
    "recall.prefetch": Method(RecallParams, Recalled),
}

"""Events in, from hooks and by hand."""

from typing import Literal

from pydantic import AwareDatetime, ConfigDict, Field

from memoryd.ipc.events import DELIVERY_ID, Event
from memoryd.ipc.methods.base import Method, Params, Result

Due = Literal["interval", "compaction", "session_end", "idle", "manual"]
PassedOver = Literal["paused", "excluded"]


class HookDeliver(Params):
    """One hook firing, word for word. What a newer hook says beyond this is passed over: it must be heard."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(pattern=DELIVERY_ID)  #: made once by the hook, the same in the spool
    at: AwareDatetime
    host: str = Field(max_length=32)
    event: str | None = Field(default=None, max_length=100)
    raw: str  #: stdin
    cwd: str | None = None
    env: dict[str, str] = Field(default_factory=dict)


class Refused(Result):
    """Why a delivery was set aside: the code and the sentence of the error that another call would have got."""

    code: str
    message: str


class HookDelivered(Result):
    """`stdout` stays the first field: the hook finds it at a fixed place of the reply."""

    stdout: str = ""
    exit_code: Literal[0] = 0
    seq: int | None = None  #: of the first event recorded; None: nothing to record
    refused: Refused | None = None  #: for clients that are no hooks; a hook cannot do anything about it


class HookTest(Params):
    """Ask once for a harmless firing that `doctor` sent through a host's command line."""

    nonce: str = Field(pattern=DELIVERY_ID)


class HookTested(Result):
    arrived: bool
    host: str | None = None
    event: str | None = None


class EventPublish(Params):
    event: Event


class EventPublished(Result):
    seq: int
    duplicate: bool
    turn_count: int
    due: Due | None = None
    job: Literal["queued", "coalesced"] | None = None
    passed_over: PassedOver | None = None  #: it was not recorded (seq 0), and why


METHODS: dict[str, Method] = {
    "hook.deliver": Method(HookDeliver, HookDelivered),
    "hook.test": Method(HookTest, HookTested),
    "event.publish": Method(EventPublish, EventPublished),
}

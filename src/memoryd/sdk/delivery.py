"""Events of one moment as one delivery: what `hook.deliver` takes, and the line that waits in the spool."""

import json
import os
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ValidationError

from memoryd.clock import utc_now
from memoryd.errors import BadEvent
from memoryd.ipc.events import EventAdapter
from memoryd.ipc.faults import explain
from memoryd.ipc.methods.events import HookDeliver
from memoryd.ipc.protocol import encode_call

HOST = "generic"
MAX_TEXT_CHARS = 500_000  #: of a prompt or an answer; with all its escapes it fits in a line


def pack(events: Iterable[tuple[str, Mapping[str, Any]]], **common: str | None) -> HookDeliver:
    """Make a delivery of kinds and their data, which happened now.

    :param common: the rest of each event's envelope
    :raises BadEvent: what was given is no event; the sentence names the first fault
    """
    ident, at = uuid.uuid4().hex, utc_now()
    envelopes = [{**common, "at": at, "kind": kind, "data": data} for kind, data in events]
    try:
        typed = [EventAdapter.validate_python(_named(one, n, ident)) for n, one in enumerate(envelopes)]
    except ValidationError as error:
        raise BadEvent(f"cannot record this: {explain(error)}") from error
    raw = [event.model_dump(mode="json", exclude={"id", "host"}, exclude_none=True) for event in typed]
    return HookDeliver(id=ident, at=at, host=HOST, event=typed[0].kind, raw=json.dumps(raw, ensure_ascii=False))


def plain(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Its beginning; half a character, as a file name or a broken stream may hold, becomes a question mark."""
    return text[:max_chars].encode("utf-8", "replace").decode("utf-8")


def unpack(delivery: HookDeliver) -> list[dict[str, Any]]:
    """The events as the daemon makes them of the delivery, so that one which it has already changes nothing."""
    return [_named(envelope, number, delivery.id) for number, envelope in enumerate(json.loads(delivery.raw))]


def spooled(delivery: HookDeliver, number: int) -> tuple[str, bytes]:
    """The name of its file, which sorts by when it happened, and the line in it.

    :param number: its place among deliveries that are written together
    """
    since_epoch_ns = (delivery.at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    return f"{since_epoch_ns + number}-{os.getpid()}-{delivery.id}", encode_call(1, "hook.deliver", delivery)


def _named(envelope: Mapping[str, Any], number: int, ident: str) -> dict[str, Any]:
    return {**envelope, "id": f"{ident}/{number}", "host": HOST}

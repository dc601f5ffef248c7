"""JSON-RPC 2.0 on one line: bytes to requests, results and errors to bytes, and back in the client.

Reading is pydantic's `validate_json` alone: bounded depth, no lone surrogates.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memoryd import __version__
from memoryd.errors import BadEvent, InternalError, MemorydError, UnknownMethod, by_code
from memoryd.ipc.faults import explain
from memoryd.ipc.methods import METHODS as METHODS
from memoryd.ipc.methods.base import Method as Method

PROTOCOL = 1  #: raised when what a peer of another release relies on goes or changes; what is added changes nothing
MAX_LINE_BYTES = 8 * 1024 * 1024  #: a request, with its LF
MAX_REPLY_BYTES = 64 * 1024 * 1024  #: the most a client reads for one answer
#: what these bring has an id of its own: sent twice it changes nothing
REPEATABLE = frozenset({"hook.deliver", "event.publish"})

RequestId = Annotated[str, Field(max_length=256)] | int


class Envelope(BaseModel):
    """A request whose parameters were not looked at yet. Of its strings the parser keeps keys alone."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, cache_strings="keys")

    jsonrpc: Literal["2.0"]
    id: RequestId
    method: str
    params: dict[str, Any] = Field(default_factory=dict)


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    id: RequestId | None = None
    result: dict[str, Any] | None = None
    error: "_ReplyError | None" = None


class _ReplyError(BaseModel):
    message: str = "the daemon gave no reason"
    data: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    id: RequestId
    method: str
    params: BaseModel  #: an instance of `METHODS[method].params`


def parse_envelope(line: bytes) -> Envelope:
    """:raises BadEvent: no JSON-RPC 2.0 request; the answer carries id null"""
    try:
        return Envelope.model_validate_json(line)
    except ValidationError as error:
        raise BadEvent(f"cannot read the request: {explain(error)}; send one JSON-RPC 2.0 object per line") from None


def parse_params(envelope: Envelope) -> Request:
    """:raises UnknownMethod: no such method in this release
    :raises BadEvent: the parameters do not fit; the sentence names the first one"""
    method = METHODS.get(envelope.method)
    if method is None:
        raise UnknownMethod(
            f"unknown method {envelope.method[:64]!r}; a newer client needs a newer daemon: `memoryd restart`"
        )
    try:
        params = method.params.model_validate(envelope.params)
    except ValidationError as error:
        raise BadEvent(_refusal(error, method)) from None
    return Request(id=envelope.id, method=envelope.method, params=params)


def _refusal(error: ValidationError, method: Method) -> str:
    """What does not fit, and that it may be of a newer client where no key is like it."""
    told = explain(error, known=method.params.model_fields)
    newer = error.errors(include_url=False)[0]["type"] == "extra_forbidden" and "nearest" not in told
    return f"{told} to memoryd {__version__}; a newer client needs a newer daemon: `memoryd restart`" if newer else told


def parse_request(line: bytes) -> Request:
    """Read one line. :raises BadEvent: see above :raises UnknownMethod: see above"""
    return parse_params(parse_envelope(line))


def result_reply(request_id: RequestId, result: BaseModel) -> bytes:
    """One line; the fields of the result stand in the model's order."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (_id(request_id), result.model_dump_json().encode())


_RPC_CODES = {"bad-event": -32600, "unknown-method": -32601, "internal": -32603}


def error_reply(request_id: RequestId | None, error: MemorydError) -> bytes:
    """One line with `data.code`, `data.retry` and the error's sentence; the number follows JSON-RPC."""
    body = {
        "code": _RPC_CODES.get(error.code, -32000),
        "message": str(error) or error.code,
        "data": {"code": error.code, "retry": error.retry.value},
    }
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}\n' % (_id(request_id), _compact(body))


def encode_call(request_id: RequestId, method: str, params: BaseModel | Mapping[str, Any] | None = None) -> bytes:
    """One request line, with what differs from a default alone: an older daemon need not know the other parameters.

    :raises UnknownMethod: the method is none of `METHODS`
    :raises BadEvent: a mapping that does not fit the method's parameters
    """
    if not isinstance(params, BaseModel):
        params = parse_params(Envelope(jsonrpc="2.0", id=request_id, method=method, params=dict(params or {}))).params
    return b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}\n' % (
        _id(request_id),
        _compact(method),
        params.model_dump_json(include=_said(params)).encode(),
    )


def _said(params: BaseModel) -> set[str]:
    fields = type(params).model_fields
    return {name for name in params.model_fields_set if getattr(params, name) != fields[name].get_default()}


def decode_reply(line: bytes, request_id: RequestId, method: str) -> BaseModel:
    """Return the result as `METHODS[method].result`.

    :raises MemorydError: the class of the reply's code, with the daemon's sentence
    """
    try:
        reply = _Reply.model_validate_json(line)
        if reply.error is not None:
            raise by_code(str(reply.error.data.get("code")))(reply.error.message)
        if reply.id != request_id:
            raise InternalError(f"the daemon answered another request than {method}; try again")
        return METHODS[method].result.model_validate(reply.result or {})
    except ValidationError as error:
        raise InternalError(
            f"cannot read the daemon's answer to {method}: {explain(error)}; they are of two releases:"
            " `memoryd restart`, then start this program again"
        ) from None


def _id(request_id: RequestId | None) -> bytes:
    return _compact(request_id)


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).encode()

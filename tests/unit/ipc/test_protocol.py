import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from memoryd.errors import BadEvent, Busy, InternalError, JournalFull, UnknownMethod
from memoryd.ipc.methods.base import Params, Result
from memoryd.ipc.methods.daemon import Health
from memoryd.ipc.methods.events import HookDeliver, HookDelivered
from memoryd.ipc.methods.worker import WorkerStats
from memoryd.ipc.protocol import (
    METHODS,
    decode_reply,
    encode_call,
    error_reply,
    parse_request,
    result_reply,
)


def line(**changes: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "daemon.health", "params": {}, **changes}).encode()


def deliver(**changes: Any) -> dict[str, Any]:
    return {"id": "a" * 32, "at": "2026-11-30T06:25:41.810Z", "host": "claude-code", "raw": "{}", **changes}


def test_a_request_becomes_the_methods_own_params() -> None:
    request = parse_request(line(method="hook.deliver", params=deliver(env={"CLAUDECODE": "1"}), id="x"))
    assert isinstance(request.params, HookDeliver)
    assert (request.id, request.params.event, request.params.env) == ("x", None, {"CLAUDECODE": "1"})


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b"", "request"),
        (b"\xff\xfe", "request"),
        (b"[" * 100_000, "request"),
        (b'{"a":' * 100_000, "request"),
        (b"[1,2]", "request"),
        (b"null", "request"),
        (line(jsonrpc="1.0"), "jsonrpc"),
        (line(id=None), "id"),
        (line(params=[1]), "params"),
        (line(params={"surplus": 1}), "surplus"),
        (line(more=1), "more"),
        (line(method="hook.deliver", params={}), "id"),
        (line(method="hook.deliver", params=deliver(id="short")), "id"),
        (line(method="hook.deliver", params=deliver(at="2026-11-30")), "at"),
        (b'{"jsonrpc":"2.0","id":1,"method":"hook.deliver","params":{"raw":"\\ud800"}}', "request"),
        (line(method="event.publish", params={"event": {"kind": "no_such_kind"}}), "event"),
    ],
)
def test_a_bad_request_is_told_in_one_sentence_that_names_the_place(bad: bytes, says: str) -> None:
    with pytest.raises(BadEvent, match=says) as caught:
        parse_request(bad)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_an_unknown_method_has_its_own_error() -> None:
    with pytest.raises(UnknownMethod, match="dance"):
        parse_request(line(method="dance" * 1000))


@given(st.binary(max_size=300))
def test_no_bytes_make_anything_but_a_typed_error(noise: bytes) -> None:
    with pytest.raises((BadEvent, UnknownMethod)):
        parse_request(noise)


def test_every_method_has_frozen_params_and_results_that_read_a_newer_daemon() -> None:
    for name, method in METHODS.items():
        assert issubclass(method.params, Params), name
        assert issubclass(method.result, Result), name
        assert method.params.model_config["extra"] == ("ignore" if name == "hook.deliver" else "forbid"), name
        assert method.params.model_config["frozen"] is method.result.model_config["frozen"] is True
        assert method.result.model_config["extra"] == "ignore"


def test_the_hook_finds_stdout_at_a_fixed_place() -> None:
    reply = result_reply(1, HookDelivered(stdout='{"a":"中"}', seq=7))
    assert reply.startswith(b'{"jsonrpc":"2.0","id":1,"result":{"stdout":"')
    assert reply.endswith(b"}\n")
    assert reply.count(b"\n") == 1


def test_an_error_travels_with_code_retry_and_sentence() -> None:
    reply = error_reply("x", JournalFull("cannot append: disk full; free space"))
    body = json.loads(reply)["error"]
    assert body["data"] == {"code": "journal-full", "retry": "later"}
    assert "Traceback" not in reply.decode()
    with pytest.raises(JournalFull, match="free space"):
        decode_reply(reply, "x", "daemon.health")


def test_an_error_without_id_answers_whatever_was_asked() -> None:
    with pytest.raises(Busy, match="full"):
        decode_reply(error_reply(None, Busy("full")), 5, "daemon.health")


def test_a_code_of_a_newer_daemon_is_an_internal_error() -> None:
    reply = b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"new","data":{"code":"quite-new"}}}'
    with pytest.raises(InternalError, match="new"):
        decode_reply(reply, 1, "daemon.health")


def test_results_ignore_keys_of_a_newer_daemon() -> None:
    health = {"state": "ok", "version": "9", "uid": 1, "data_dir": "/d", "pid": 2, "uptime_seconds": 1.5, "new": {}}
    reply = json.dumps({"jsonrpc": "2.0", "id": 3, "result": health}).encode()
    assert decode_reply(reply, 3, "daemon.health") == Health(
        state="ok", version="9", uid=1, data_dir="/d", pid=2, uptime_seconds=1.5
    )


@pytest.mark.parametrize("reply", [b"", b"{", b'{"id":1,"result":{"state":"ok"}}', b'{"id":2,"result":{}}', b"[]"])
def test_an_answer_that_cannot_be_read_is_an_internal_error(reply: bytes) -> None:
    with pytest.raises(InternalError):
        decode_reply(reply, 1, "daemon.health")


def test_calls_are_checked_before_they_leave() -> None:
    with pytest.raises(BadEvent, match="wobble"):
        encode_call(1, "daemon.pause", {"wobble": 1})
    with pytest.raises(UnknownMethod):
        encode_call(1, "daemon.fly")
    request = parse_request(encode_call(4, "daemon.pause", {"seconds": 60}))
    assert (request.id, request.method) == (4, "daemon.pause")


def test_a_call_says_only_what_differs_from_a_default_so_that_an_older_daemon_knows_it_all() -> None:
    asked = encode_call(1, "memory.search", {"query": "x", "rerank": False, "limit": 7})
    assert json.loads(asked)["params"] == {"query": "x", "limit": 7}


def test_stats_of_all_directories_hold_those_of_each() -> None:
    total = WorkerStats(total_completed=2, directories={"/a": WorkerStats(total_completed=2)})
    again: BaseModel = decode_reply(result_reply(1, total), 1, "worker.stats")
    assert again == total

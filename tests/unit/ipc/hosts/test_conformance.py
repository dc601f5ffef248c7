"""The conformance kit over our own recordings of each host."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.conformance import CHECKS, Recording, load, recordings, translate

from memoryd.ipc import hosts

FILES = recordings()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", FILES)
def test_a_host_keeps_the_contract(name: str, check: Callable[[Recording, Path], None]) -> None:
    check(load(FILES[name]), FILES[name].parent)


def test_every_host_has_a_recording_of_ours() -> None:
    assert {path.parent.name for path in FILES.values()} == set(hosts.names())
    assert all(load(path).host == path.parent.name for path in FILES.values())


@pytest.mark.parametrize("host", hosts.names())
def test_every_hook_that_is_registered_means_something(host: str) -> None:
    """An event without a meaning would cost a process for nothing."""
    meant = set()
    for recording in (load(path) for path in FILES.values() if path.parent.name == host):
        for n in range(len(recording.firings)):
            meant |= {found.event_name for found in [translate(recording, n)] if found.events}
    assert not set(hosts.get(host).hook_events) - meant

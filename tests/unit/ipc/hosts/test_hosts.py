import pytest

from memoryd.errors import NotFound
from memoryd.ipc import hosts


def test_each_host_is_found_by_its_name() -> None:
    for name in hosts.names():
        assert hosts.get(name).name == name
        assert hosts.get(name) is hosts.get(name)


def test_an_unknown_host_is_named_with_those_that_exist() -> None:
    with pytest.raises(NotFound, match="generic"):
        hosts.get("notepad")

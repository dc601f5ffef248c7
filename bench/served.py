"""The daemon of the fault tests (`tests/support/installation.py`) in a room of a ground."""

import contextlib
from collections.abc import Iterator

from support.installation import Installation, installed

from bench.ground import Ground


@contextlib.contextmanager
def serving(ground: Ground, name: str, **settings: str) -> Iterator[Installation]:
    """A daemon that is ready, and is ended whatever happens."""
    with installed(ground.room(name), data_home=None, **settings) as one:
        one.start()
        yield one

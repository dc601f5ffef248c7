"""What the daemon's process does without: libraries that others import by the way and that it never uses.

What was imported never gives its memory back. A library that is left out here may still be imported later, e.g. by a
recall block of another package.
"""

import contextlib
import gc
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from types import ModuleType

_HASHES = ("_md5", "_sha1", "_sha2" if sys.version_info >= (3, 12) else "_sha256", "_sha3", "_blake2")

#: asyncio and hashlib try to import it, and do without; 5 MB. The daemon opens no socket of the internet, and hashes
#: little. Where the interpreter was built without hashes of its own (Fedora), it is needed
OPENSSL = ("ssl", "_hashlib") if all(map(find_spec, _HASHES)) else ()
METADATA = "importlib.metadata"
RICH = ("rich",)  #: structlog tries to import it: 60 ms and 4 MB


@contextlib.contextmanager
def without(*names: str) -> Iterator[None]:
    """Let imports find no such modules, but for those that are there already."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage while modules are imported, and never look at them afterwards.

    Imports make many objects and hardly any garbage: a fifth of a start went into looking for it. Each full collection
    later would walk all of them again, 40 ms in which the daemon stands still.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextlib.contextmanager
def without_plugins() -> Iterator[None]:
    """Let pydantic find no plugins as it is imported: looking for them brings email, csv and 1 MB that stays."""
    if METADATA in sys.modules:
        yield
        return
    found = ModuleType(METADATA)
    found.__dict__.update(entry_points=_none, distributions=_none)
    sys.modules[METADATA] = found
    try:
        yield
    finally:
        del sys.modules[METADATA]


def _none(**_: object) -> tuple[()]:
    return ()

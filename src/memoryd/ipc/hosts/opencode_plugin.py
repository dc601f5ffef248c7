"""The plugin that speaks for opencode: a JavaScript file with the socket and the spool of this machine in it."""

import json
from pathlib import Path

from memoryd.ipc.places import Places

_SOURCE = Path(__file__).with_suffix(".js")


def generate(places: Places) -> str:
    """Return the plugin's file; the same places give the same text."""
    source = _SOURCE.read_text(encoding="utf-8")
    for mark, path in (("@SOCKET@", places.socket), ("@SPOOL@", places.spool)):
        source = source.replace(f'"{mark}"', json.dumps(str(path)))
    return source

"""`memoryd hook HOST [EVENT]`: what the generated hook script does, at the cost of the console script."""

import sys
from typing import NoReturn

from memoryd.errors import MemorydError
from memoryd.ipc import hook as client
from memoryd.ipc import places as placing


def hook(words: list[str]) -> NoReturn:
    """Deliver stdin and exit 0, whatever happens. The generated script does the same at less cost."""
    host = words[0] if words else "generic"
    event = words[1] if len(words) > 1 else None
    try:
        places = placing.configured()
    except MemorydError:  # a user without a home has no daemon, and a hook that fails aloud breaks the agent
        sys.exit(0)
    sys.exit(client.run(host, event, str(places.socket), str(places.spool)))

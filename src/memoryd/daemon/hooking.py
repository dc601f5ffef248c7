"""`memoryd hook HOST [EVENT]`: what the generated hook script does, at the cost of the console script."""

import sys
import tomllib
from typing import NoReturn

from memoryd.errors import MemorydError
from memoryd.ipc import hook as client
from memoryd.ipc import places as placing
from memoryd.ipc.places import Places


def hook(words: list[str]) -> NoReturn:
    """Deliver stdin and exit 0, whatever happens. The generated script does the same at less cost."""
    host = words[0] if words else "generic"
    event = words[1] if len(words) > 1 else None
    try:
        places = _places()
    except MemorydError:  # a user without a home has no daemon, and a hook that fails aloud breaks the agent
        sys.exit(0)
    sys.exit(client.run(host, event, str(places.socket), str(places.spool)))


def _places() -> Places:
    """Where the configuration says; a configuration that is wrong leaves the defaults."""
    places = placing.find()
    try:
        settings = tomllib.loads(places.config.read_text("utf-8")).get("daemon", {})
        chosen = {name: settings[key] for name, key in (("data", "data_dir"), ("socket", "socket")) if key in settings}
        return placing.find(**chosen)
    except (OSError, ValueError, TypeError):  # the daemon says what is wrong with it
        return places

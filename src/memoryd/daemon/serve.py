"""`memoryd serve`: the daemon in the foreground, as systemd and launchd run it."""

import asyncio
import os
import sys

from memoryd.daemon import allocator, logs
from memoryd.daemon import config as configuration
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.handlers import table
from memoryd.daemon.notify import activated_socket
from memoryd.errors import MemorydError
from memoryd.ipc import places as placing


def serve() -> int:
    """Run until stopped; returns the exit status."""
    os.umask(0o077)
    allocator.spare()
    try:
        config = configuration.load(placing.find().config)
        places = configuration.places_of(config)
        logs.configure(config, places.data)
        return asyncio.run(_serve(places, config))
    except MemorydError as error:
        print(f"memoryd: {error}", file=sys.stderr)
        return error.exit_status
    finally:
        logs.settle()


async def _serve(places: placing.Places, config: configuration.Config) -> int:
    activated = activated_socket()
    daemon = await Daemon.open(places, config)
    try:
        daemon.handle_signals()
        await daemon.start(table(daemon), activated)
        await daemon.run()
    finally:
        await daemon.close()
    return daemon.exit_status

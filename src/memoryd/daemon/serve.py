"""`memoryd serve`: the daemon in the foreground, as systemd and launchd run it."""

import asyncio
import os
import socket
import sys

from memoryd.daemon import allocator, logs
from memoryd.daemon import config as configuration
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.handlers import table
from memoryd.daemon.journal.rehearsal import rehearse
from memoryd.daemon.lock import await_free
from memoryd.daemon.notify import activated_socket
from memoryd.errors import MemorydError
from memoryd.ipc import places as placing
from memoryd.ipc.succession import take_over as take_socket_over

END_SECONDS = 20.0  #: the daemon before has that long after it gave its socket away


def serve(*, take_over: bool = False) -> int:
    """Run until stopped; returns the exit status.

    :param take_over: in place of the daemon that runs, with its socket; it stays when this one cannot start
    """
    os.umask(0o077)
    allocator.spare()
    try:
        config = configuration.load(placing.find().config)
        places = configuration.places_of(config)
        logs.configure(config, places.data)
        return asyncio.run(_serve(places, config, take_over=take_over))
    except MemorydError as error:
        print(f"memoryd: {error}", file=sys.stderr)
        return error.exit_status
    finally:
        logs.settle()


def check() -> int:
    """Find out whether a daemon could start here, beside the one that runs; returns the exit status."""
    try:
        rehearse(configuration.places_of(configuration.load(placing.find().config)).data / "state.db")
    except MemorydError as error:
        print(f"memoryd: {error}", file=sys.stderr)
        return error.exit_status
    return 0


def _succeed(places: placing.Places) -> socket.socket | None:
    """Take the place of the daemon that runs. Blocking.

    :raises MemorydError: it goes on, or does not end
    """
    # 1. what can fail is tried before anything is asked of it
    rehearse(places.data / "state.db")
    # 2. its running job ends, then who connects waits at the socket that is ours from here on
    inherited = take_socket_over(places.socket)
    # 3. it answers what it has read, writes everything down and gives the data back
    try:
        await_free(places.data, seconds=END_SECONDS)
    except MemorydError:
        if inherited is not None:
            inherited.close()
        raise
    return inherited


async def _serve(places: placing.Places, config: configuration.Config, *, take_over: bool) -> int:
    activated = activated_socket()
    inherited = await asyncio.to_thread(_succeed, places) if take_over else None
    daemon = await Daemon.open(places, config)
    try:
        daemon.handle_signals()
        await daemon.start(table(daemon), activated, inherited)
        await daemon.run()
    finally:
        await daemon.close()
    return daemon.exit_status

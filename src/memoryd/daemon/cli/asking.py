"""Asking the daemon: where it is, one call, and what a command's exit status says."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from memoryd.daemon import config as configuration
from memoryd.daemon.cli import screen
from memoryd.errors import ConfigError, NoDaemon, NotFound, UsageError
from memoryd.ipc import places as placing
from memoryd.ipc.client import Client
from memoryd.ipc.places import Places

CALL_SECONDS = 30.0


def settings() -> configuration.Config:
    """:raises ConfigError: the configuration is broken"""
    return configuration.load(placing.find().config)


def places() -> Places:
    """The places as the daemon sees them: environment and configuration.

    :raises ConfigError: the configuration is broken
    """
    return configuration.places_of(settings())


def places_anyway() -> Places:
    """The same for what needs only the daemon, whatever the configuration says by now; that it is broken is told."""
    try:
        return places()
    except ConfigError as error:
        screen.warn(f"{error} (a daemon that runs goes on with its old settings)")
        return placing.find()


def ask(method: str, params: Mapping[str, Any] | None = None, *, timeout: float = CALL_SECONDS) -> Any:
    """Call one method; parameters that are None are left to their defaults.

    :raises NoDaemon: nobody listens
    :raises ConfigError: nobody does, and the configuration is broken: none could start with it
    :raises MemorydError: what the daemon answered
    """
    given = {name: value for name, value in (params or {}).items() if value is not None}
    try:
        found, broken = places(), None
    except ConfigError as error:
        found, broken = placing.find(), error
    with Client(found.socket) as client:
        try:
            answer = client.call(method, given, timeout=timeout)
        except NoDaemon as error:
            raise broken or error from None
    if broken:
        screen.warn(f"{broken} (the daemon goes on with its old settings)")
    return answer


def confirm(question: str, yes: bool) -> None:
    """:raises UsageError: nobody to ask :raises Abort: no"""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("nobody is here to ask; look at what is shown above and repeat the command with --yes")
    typer.confirm(question, abort=True)


def absolute(path: Path | None) -> str:
    """A path for the daemon, by default the current directory; `~` is the home directory."""
    try:
        return os.path.abspath(path.expanduser() if path else Path.cwd())
    except FileNotFoundError as error:
        raise NotFound("the current directory is gone; change into another one or name one with --cwd") from error


def where(cwd: Path | None, memory_dir: Path | None) -> dict[str, str]:
    """Whose memory a command is about: a memory directory, else that of the project."""
    return {"memory_dir": absolute(memory_dir)} if memory_dir else {"cwd": absolute(cwd)}


def given(path: Path | None) -> str | None:
    """The same for a path that has no default."""
    return absolute(path) if path else None


def real_if_path(name: str | None) -> str | None:
    """A name, or where it leads when it is a path."""
    return os.path.realpath(os.path.expanduser(name)) if name and "/" in name else name


def real(path: Path) -> str:
    """The same for a file that the daemon reads or writes, its links resolved here."""
    return os.path.realpath(absolute(path))

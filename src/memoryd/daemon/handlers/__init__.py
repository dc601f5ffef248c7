"""The methods of the socket: parameters in, results out; thin over the daemon's parts, a file a family."""

from collections.abc import Callable, Coroutine
from typing import Any

from memoryd.daemon.daemon import Daemon
from memoryd.daemon.handlers.agent import MemoryAgents
from memoryd.daemon.handlers.archive import Archives
from memoryd.daemon.handlers.daemon import Process
from memoryd.daemon.handlers.dream import Dreams
from memoryd.daemon.handlers.events import Events
from memoryd.daemon.handlers.goals import Goals
from memoryd.daemon.handlers.imports import Imports
from memoryd.daemon.handlers.instincts import Instincts
from memoryd.daemon.handlers.memory import Memory
from memoryd.daemon.handlers.notes import Notes
from memoryd.daemon.handlers.procedures import Procedures
from memoryd.daemon.handlers.profile import Profile
from memoryd.daemon.handlers.provider import Provider
from memoryd.daemon.handlers.recall import Recall
from memoryd.daemon.handlers.report import Reports
from memoryd.daemon.handlers.review import Review
from memoryd.daemon.handlers.scopes import Scopes
from memoryd.daemon.handlers.sessions import Sessions
from memoryd.daemon.handlers.team import Team
from memoryd.daemon.handlers.usage import Costs
from memoryd.daemon.handlers.worker import Work
from memoryd.ipc.methods import METHODS
from memoryd.ipc.methods.base import Result
from memoryd.ipc.server import Handler, Peer

FAMILIES = (
    Events, Sessions, Memory, Recall, Goals, Notes, Procedures, Instincts, Profile, Reports, Review, Dreams, Archives,
    Imports,
    Scopes, Team, Work, MemoryAgents, Costs, Provider,
    Process,
)  # fmt: skip


def table(daemon: Daemon) -> dict[str, Handler]:
    """Every method of this release."""
    families = [family(daemon) for family in FAMILIES]
    names = {name: name.replace(".", "_") for name in METHODS}
    return {
        name: _handler(next(getattr(family, function) for family in families if hasattr(family, function)))
        for name, function in names.items()
    }


_OF_PEERS = ("daemon_handover",)  #: what is done depends on who asks


def _handler(method: Callable[..., Coroutine[Any, Any, Result]]) -> Handler:
    async def handle(params: Any, peer: Peer) -> Result:
        return await (method(params, peer) if method.__name__ in _OF_PEERS else method(params))

    return handle

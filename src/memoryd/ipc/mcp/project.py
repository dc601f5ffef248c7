"""Which project a client's call is about: its first root, else where it started the server.

A client of the protocol of 2026 answers a question only inside the call that raises it; one of an earlier protocol can
be asked at any time.
"""

import os
import warnings
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from mcp.server.mcpserver import Context, ListRoots, Resolve
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPDeprecationWarning, NoBackChannelError
from mcp_types import InputRequiredResult as InputRequired
from mcp_types import ListRootsRequest, ListRootsResult

from memoryd.errors import NotFound

NO_ROOTS = ListRootsResult(roots=[])
_KEY = "roots"


def ask(context: Context[Any, Any]) -> ListRoots | ListRootsResult:
    """Ask the client for its roots, when it has any, within a tool's call."""
    return ListRoots() if has_roots(context.request_context.session) else NO_ROOTS


Roots = Annotated[ListRootsResult, Resolve(ask)]


def has_roots(session: ServerSession) -> bool:
    return session.client_capabilities is not None and session.client_capabilities.roots is not None


async def ask_now(session: ServerSession) -> ListRootsResult | None:
    """Ask outside of a tool's call; None: this client cannot be asked so."""
    if not has_roots(session):
        return NO_ROOTS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            return await session.list_roots()
    except NoBackChannelError:
        return None


async def ask_for_prompt(context: Context[Any, Any]) -> ListRootsResult | InputRequired:
    """Ask within the call of a prompt, or of a provider's tool, in the way that the client's protocol has for it."""
    answered = (context.input_responses or {}).get(_KEY)
    if isinstance(answered, ListRootsResult):
        return answered
    now = await ask_now(context.request_context.session)
    return now or InputRequired(input_requests={_KEY: ListRootsRequest()})


def directory(roots: ListRootsResult) -> str:
    """The absolute path that the daemon is told as `cwd`.

    :raises NotFound: the client names roots and none is a folder here; another project's memory would be no answer
    """
    folders = [path for root in roots.roots if (path := _path(str(root.uri)))]
    if folders:
        return folders[0]
    if roots.roots:
        raise NotFound("none of the client's roots is a folder of this machine; open one that is")
    try:
        return os.path.abspath(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())
    except FileNotFoundError as error:
        raise NotFound("the directory in which this server was started is gone; start the client again") from error


def _path(uri: str) -> str | None:
    parts = urlsplit(uri)
    path = unquote(parts.path)
    here = parts.scheme == "file" and parts.netloc in ("", "localhost") and path.startswith("/") and "\0" not in path
    return path if here and os.path.isdir(path) else None

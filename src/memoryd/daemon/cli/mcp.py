"""mcp: memory as tools, for any agent that speaks the Model Context Protocol."""

from importlib.util import find_spec

from memoryd.daemon.cli import asking
from memoryd.daemon.cli.root import CONNECT, app
from memoryd.errors import UsageError


@app.command(rich_help_panel=CONNECT)
def mcp() -> None:
    """Serve memory to one agent as MCP tools, on stdin and stdout; the agent's host starts it.

    Example: [cyan]claude mcp add --scope user memoryd -- memoryd mcp[/]
    """
    if find_spec("mcp") is None:
        raise UsageError("the MCP server needs an extra: pip install 'memoryd[mcp]' (pipx inject memoryd mcp)")
    from memoryd.ipc.mcp.server import serve

    serve(asking.places_anyway().socket)

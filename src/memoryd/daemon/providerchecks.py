"""What `memoryd doctor` says of the external memory provider: the daemon starts it to see."""

from contextlib import closing
from importlib.util import find_spec

from memoryd.daemon.checks import Check, off, ok, wrong
from memoryd.daemon.config import Config
from memoryd.errors import MemorydError
from memoryd.ipc.client import Client
from memoryd.ipc.methods.provider import ProviderInfo
from memoryd.ipc.places import Places

CHECK_SECONDS = 40.0  #: it may have to be fetched first

_LINK = "external memory"


def provider(places: Places, config: Config) -> Check:
    if not config.provider.command:
        return off(_LINK, "none is configured")
    if find_spec("mcp") is None:
        return wrong(_LINK, "it needs an extra that is not installed", "`pip install 'memoryd[mcp]'`")
    try:
        with closing(Client(places.socket)) as client:
            found: ProviderInfo = client.call("provider.get", {"check": True}, timeout=CHECK_SECONDS)
    except MemorydError:
        return off(_LINK, "the daemon did not look")
    return _told(found)


def _told(found: ProviderInfo) -> Check:
    if found.state == "off":
        return off(_LINK, "the daemon has not taken up [provider] yet; it looks once a minute")
    if found.missing:
        return wrong(_LINK, f"it has no tool {', '.join(found.missing)}", "name one that it has in [provider]")
    if found.state != "ready":
        why = found.reason or "it does not answer"
        return wrong(_LINK, why, "try [provider] command by hand; events wait for it meanwhile")
    counts = f"{found.told} events told, {found.waiting} wait, {found.passed_over} passed over"
    return ok(_LINK, f"it answers; {counts}")

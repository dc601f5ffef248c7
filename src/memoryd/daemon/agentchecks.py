"""What `memoryd doctor` says of the memory agent, of what keeps it in, and of search by meaning."""

import os
from collections.abc import Iterator
from contextlib import closing

from memoryd.daemon import choosing
from memoryd.daemon.checks import Check, off, ok, wrong
from memoryd.daemon.config import Config
from memoryd.daemon.ways import Ways
from memoryd.errors import MemorydError
from memoryd.ipc.client import Client
from memoryd.ipc.methods.agent import AgentInfo
from memoryd.ipc.places import Places
from memoryd.worker.agents.child import cage

#: variables with keys of embedding endpoints: base URL and a model of each
_KEYS = {
    "OPENAI_API_KEY": ("https://api.openai.com/v1", "text-embedding-3-small"),
    "MISTRAL_API_KEY": ("https://api.mistral.ai/v1", "mistral-embed"),
    "VOYAGE_API_KEY": ("https://api.voyageai.com/v1", "voyage-3.5-lite"),
    "JINA_API_KEY": ("https://api.jina.ai/v1", "jina-embeddings-v3"),
}


def meaning(config: Config) -> Check:
    """Name a key that is there and the lines that would use it; enable nothing."""
    link, wanted = "search by meaning", config.search
    if wanted.embedder != "none":
        missing = wanted.api_key_env and wanted.api_key_env not in os.environ
        found = f"[search] embedder = {wanted.embedder}"
        return off(link, f"{found}, but {wanted.api_key_env} is not set here") if missing else ok(link, found)
    key = next((name for name in _KEYS if os.environ.get(name)), None)
    if key is None:
        return off(link, "off: words only", "`pip install 'memoryd[embed]'` and [search] embedder = \"use\"")
    url, model = _KEYS[key]
    lines = f'[search] embedder = "openai", base_url = "{url}", model = "{model}", api_key_env = "{key}"'
    return off(link, f"off; {key} is set and is not used", f"to send texts there: {lines}")


def agent(places: Places, config: Config) -> Iterator[Check]:
    """Which agent works, as the daemon sees it: its environment may hold other keys than this one; then its cage."""
    try:
        with closing(Client(places.socket)) as client:
            found: AgentInfo = client.call("agent.get", timeout=5.0)
    except MemorydError:
        found = choosing.report(config, os.environ, places.config.parent, Ways(data=places.data).all)
    link, told = "memory agent", f"{found.kind}: {found.why}"
    yield wrong(link, found.problem, "see `memoryd config agent`") if found.problem else ok(link, told)
    yield _cage(config, found.kind)


def _cage(config: Config, kind: str) -> Check:
    """What keeps an agent in that asks a model."""
    link, (there, found) = "cage", cage.describe()
    if kind == "rules":
        return off(link, f"{found}; the rules agent needs none")
    if there:
        return ok(link, found)
    if config.agent.allow_uncaged:
        return off(link, f"{found}; the agent works without, as [agent] allow_uncaged says")
    return wrong(link, found, "install bubblewrap, or set [agent] allow_uncaged = true to do without")

"""What a child is given for its settings: the cage that it has to enter, and an environment of few names."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from memoryd.worker.agents.brief import Settings
from memoryd.worker.agents.child.order import MEGABYTE, Order
from memoryd.worker.agents.command import programs

#: names whose values a child gets from the daemon; no key is among them
NAMES = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_PASSED = (*NAMES, *PROXIES, *(name.lower() for name in PROXIES), *CERTIFICATES)

COMMAND_BYTES = 1536 * MEGABYTE  #: less than the service as a whole may use
MODEL_BYTES = 1024 * MEGABYTE

_PORTS = {"http": 80, "https": 443}


def environment(settings: Settings, place: Path, env: Mapping[str, str]) -> dict[str, str]:
    """The names of `env` that an agent needs; temporary files go to `place`."""
    found = {name: env[name] for name in _PASSED if name in env} | {"TMPDIR": str(place)}
    return found | programs.needs(settings.command, env) if settings.kind == "command" else found


def order(settings: Settings, place: Path, env: Mapping[str, str], *, allow_uncaged: bool) -> Order:
    """The cage for an agent: one that asks a model may connect to its endpoint alone. Blocking."""
    certificates = [settings.ca_file, *(env.get(name, "") for name in CERTIFICATES)]
    reads = tuple(path for path in certificates if path)
    if settings.kind == "command":
        return Order(
            work=str(place), reads=(*reads, *programs.reads(settings.command, env)),
            writes=programs.writes(settings.command, env), ports=None, memory_bytes=COMMAND_BYTES, processes=256,
            cpu_seconds=_cpu(settings), allow_uncaged=allow_uncaged, modes=True,  # programs write their logins 0600
        )  # fmt: skip
    return Order(
        work=str(place), reads=reads, ports=tuple(sorted(set(_ports(settings, env)))),
        memory_bytes=MODEL_BYTES, address_bytes=4096 * MEGABYTE, processes=16, cpu_seconds=_cpu(settings),
        allow_uncaged=allow_uncaged,
    )  # fmt: skip


def _cpu(settings: Settings) -> int:
    """Of one process, for all its threads: more than it can need in its time, less than for ever."""
    return int(settings.timeout_seconds) * 2 + 10


def _ports(settings: Settings, env: Mapping[str, str]) -> Iterator[int]:
    """Of the endpoint, and of the proxy on the way to it."""
    named = [settings.base_url or "https://", settings.proxy]
    named += [env.get(name, env.get(name.lower(), "")) for name in PROXIES if name != "NO_PROXY"]
    for url in filter(None, named):
        parts = urlsplit(url if "//" in url else f"//{url}")
        yield parts.port or _PORTS.get(parts.scheme, 443)

"""doctor: each link from the host's hook to the memory, in the order in which an event passes; each with its mend.

A broken link does not end the examination; what depends on it is marked as off.
"""

import contextlib
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from memoryd.daemon import choosing, hostchecks, on_disk
from memoryd.daemon import config as configuration
from memoryd.daemon.checks import Check, Mark, off, ok, wrong
from memoryd.daemon.config import Config
from memoryd.daemon.install import Installer
from memoryd.daemon.lock import holder
from memoryd.daemon.service import Service
from memoryd.daemon.ways import Ways
from memoryd.errors import MemorydError
from memoryd.ipc import places as placing
from memoryd.ipc.client import Client
from memoryd.ipc.methods.agent import AgentInfo
from memoryd.ipc.methods.daemon import Health
from memoryd.ipc.places import MAX_SOCKET_BYTES, Places
from memoryd.worker.agents.child import cage

MAX_FLAGGED = 5  #: memories with warnings that are named

#: variables with keys of embedding endpoints: base URL and a model of each
_KEYS = {
    "OPENAI_API_KEY": ("https://api.openai.com/v1", "text-embedding-3-small"),
    "MISTRAL_API_KEY": ("https://api.mistral.ai/v1", "mistral-embed"),
    "VOYAGE_API_KEY": ("https://api.voyageai.com/v1", "voyage-3.5-lite"),
    "JINA_API_KEY": ("https://api.jina.ai/v1", "jina-embeddings-v3"),
}


def examine() -> Iterator[Check]:
    """Yield the checks as they are made."""
    found = placing.find()
    try:
        config = configuration.load(found.config)
    except MemorydError as error:
        yield wrong("config", str(error), "correct the file; the daemon does not start with it")
        config = Config()
    else:
        yield ok("config", str(found.config) if found.config.exists() else "no file, every default holds")
    places = configuration.places_of(config)
    yield from _Examination(places, config).checks()


@dataclass(slots=True)
class _Examination:
    places: Places
    config: Config
    installer: Installer = field(init=False)
    health: Health | None = None
    hosts: list[hostchecks.Found] = field(default_factory=list)  #: those that have something of ours
    agent: str = "rules"  #: that works
    current: bool = False  #: the script holds the socket and the spool of this configuration

    def __post_init__(self) -> None:
        self.installer = Installer(places=self.places)

    def checks(self) -> Iterator[Check]:
        yield from self._enabled()
        yield on_disk.data(self.places)
        yield on_disk.journal(self.places)
        for check, found in hostchecks.configured(self.installer):
            yield check
            self.hosts += [found] if found else []
        yield self._script()
        yield self._daemon()
        yield self._paths()
        for found in self.hosts:
            yield from hostchecks.runs(self.places, found, running=self.health is not None, current=self.current)
        yield from on_disk.spool(self.places, running=self.health is not None)
        yield self._quarantine()
        yield on_disk.memory_files(self._roots())
        yield from self._memories()
        yield self._meaning()
        yield self._agent()
        yield self._cage()
        yield self._service()

    def _enabled(self) -> Iterator[Check]:
        if not self.config.daemon.enabled:
            yield off("recording", "[daemon] enabled is false: nothing is recorded", "set it to true to record")

    def _meaning(self) -> Check:
        """Name a key that is there and the lines that would use it; enable nothing."""
        link, wanted = "search by meaning", self.config.search
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

    def _agent(self) -> Check:
        """Which agent works, as the daemon sees it: its environment may hold other keys than this one."""
        try:
            with closing(Client(self.places.socket)) as client:
                found: AgentInfo = client.call("agent.get", timeout=5.0)
        except MemorydError:
            ways = Ways(data=self.places.data).all
            found = choosing.report(self.config, os.environ, self.places.config.parent, ways)
        self.agent = found.kind
        link, told = "memory agent", f"{found.kind}: {found.why}"
        return wrong(link, found.problem, "see `memoryd config agent`") if found.problem else ok(link, told)

    def _cage(self) -> Check:
        """What keeps an agent in that asks a model."""
        link, agent = "cage", self.config.agent
        there, found = cage.describe()
        if self.agent == "rules":
            return off(link, f"{found}; the rules agent needs none")
        if there:
            return ok(link, found)
        if agent.allow_uncaged:
            return off(link, f"{found}; the agent works without, as [agent] allow_uncaged says")
        return wrong(link, found, "install bubblewrap, or set [agent] allow_uncaged = true to do without")

    def _script(self) -> Check:
        path = self.installer.script
        mend = "`memoryd install --all` writes it anew"
        if not path.exists():
            return (
                wrong("hook script", f"{path} is missing", mend) if self.hosts else off("hook script", "not installed")
            )
        if not os.access(path, os.X_OK):
            return wrong("hook script", f"{path} is not executable", f"`chmod 755 {path}`")
        if self.installer.plan_scripts().changes:
            return wrong("hook script", "written for another release, Python, socket or spool", mend)
        self.current = True
        return ok("hook script", f"{path}, current")

    def _daemon(self) -> Check:
        pid = holder(self.places.data)
        if pid is None and not self.places.socket.exists():
            return wrong("daemon", "not running", "`memoryd start`, or `memoryd service install` to keep it running")
        try:
            with closing(Client(self.places.socket)) as client:
                self.health = client.call("daemon.health", timeout=5.0)
        except MemorydError as error:
            mend = "`memoryd restart`" if pid else "`memoryd start`"
            return wrong("daemon", str(error), mend)
        assert self.health is not None
        said = f"{self.health.state}, version {self.health.version}, pid {self.health.pid}"
        if self.health.state == "ok":
            return ok("daemon", said)
        mark = Mark.WRONG if self.health.state == "stuck" else Mark.OFF
        return Check(link="daemon", mark=mark, found=said, mend=self.health.reason or "see `memoryd stats`")

    def _paths(self) -> Check:
        if len(os.fsencode(self.places.socket)) >= MAX_SOCKET_BYTES:
            return wrong("socket", f"{self.places.socket} is too long", "set [daemon] socket to a shorter path")
        if self.health is None:
            return off("socket", f"{self.places.socket}; nobody answers there")
        if self.health.data_dir != str(self.places.data):
            found = f"the daemon at {self.places.socket} writes to {self.health.data_dir}, not to {self.places.data}"
            return wrong("socket", found, "`memoryd restart`; then see whether its service has other settings")
        who = "hook, configuration and daemon" if self.current else "configuration and daemon"
        return ok("socket", f"{self.places.socket}; {who} agree on it")

    def _quarantine(self) -> Check:
        if self.health is None:
            return off("quarantine", "the daemon is down")
        reason = next((r for r in (self.health.reason or "").split("; ") if "not understood" in r), None)
        if reason:
            mend = "your host is newer than this memoryd: upgrade it; they are kept 7 days"
            return Check(link="quarantine", mark=Mark.WRONG, found=reason.partition(";")[0], mend=mend)
        return ok("quarantine", "every hook payload was understood")

    def _roots(self) -> list[Path]:
        inside = [self.places.user_memory, *self.places.data.glob("projects/*/memory")]
        if self.health is None:
            return sorted(inside)
        with contextlib.suppress(MemorydError, OSError), closing(Client(self.places.socket)) as client:
            inside += map(Path, client.call("worker.stats", timeout=5.0).directories)
        return sorted(set(inside))

    def _memories(self) -> Iterator[Check]:
        """What is remembered here: signs of little worth or of an attack, full types, what waits for a word."""
        if self.health is None:
            return
        try:
            with closing(Client(self.places.socket)) as client:
                found = client.call("memory.list", {"cwd": os.getcwd(), "limit": 1000, "check": True}, timeout=5.0)
        except (MemorydError, OSError) as error:
            yield wrong("memories", str(error), "`memoryd restart`")
            return
        full = [
            f"{kind} {total.used}/{total.limit}" for kind, total in found.totals.items() if total.used > total.limit
        ]
        flagged = [f"{item.path} ({', '.join(item.flags)})" for item in found.items if item.flags]
        if full:
            yield off("memories", f"over their limit: {', '.join(full)}", "merge or `memoryd forget` some")
        if flagged:
            shown = "; ".join(flagged[:MAX_FLAGGED]) + ("; …" if len(flagged) > MAX_FLAGGED else "")
            yield off("memories", f"{len(flagged)} of {len(found.items)} with warnings: {shown}", "`memoryd edit NAME`")
        if found.waiting:
            yield off("review", f"{found.waiting} proposals wait for your word", "`memoryd review list`")
        if not (full or flagged or found.waiting):
            yield ok("memories", f"{len(found.items)} here, none with warnings")

    def _service(self) -> Check:
        service = Service(places=self.places)
        written = service.written()
        if written == "absent":
            return off("service", "not installed", "`memoryd service install` starts the daemon at login")
        if written == "outdated":
            return wrong("service", "its files are of another release or other paths", "`memoryd service install`")
        if not service.usable():
            return off("service", "its files are there; its service manager does not answer here")
        if service.state() == "installed":
            return wrong("service", "installed, not enabled", "`memoryd service install`")
        if service.lingers() is False:
            return off("service", "enabled; it ends with your last login", "`loginctl enable-linger` keeps it running")
        return ok("service", "enabled")

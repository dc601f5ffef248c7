"""The peers: each through the fastest interface that it documents, with the search that it does by default."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any, ClassVar
from urllib.parse import urlencode

from support.installation import until

from bench.peers import installing
from bench.peers.installing import place_model
from bench.peers.tool import READY_SECONDS, Document, Tool, Web, answers, free_port, until_rest

FASTEMBED = "fastembed/models--Qdrant--all-MiniLM-L6-v2-onnx"
#: as claude-mem asks for it
CHROMA = ("--with", "onnxruntime>=1.20", "--with", "protobuf<7", "--from", "chroma-mcp==0.2.6", "chroma-mcp")
CACHED = (FASTEMBED, FASTEMBED.replace("Qdrant", "qdrant"))  #: an older fastembed writes it so


def place_fastembed(home: Path) -> None:
    """The model as fastembed keeps what it got from a hub."""
    for cached in CACHED:
        place_model(home / cached / "snapshots" / "1")
        (home / cached / "refs").mkdir()
        (home / cached / "refs" / "main").write_text("1")


@dataclass(slots=True)
class BasicMemory(Tool):
    name: ClassVar[str] = "basic-memory"
    version: ClassVar[str] = "0.24.1"
    through: ClassVar[str] = "MCP over HTTP (`write_note`, `search_notes`, hybrid)"
    more: ClassVar[str] = "a graph of notes and relations, Obsidian, a cloud; each note is a Markdown file, as here"

    web: Web = field(init=False)
    session: str = field(default="", init=False)

    def start(self) -> None:
        where, port = installing.environment(self.name, f"{self.name}=={self.version}"), free_port()
        if not (self.home / "fastembed").exists():
            place_fastembed(self.home)
        settings = {
            "SEMANTIC_EMBEDDING_MODEL": "sentence-transformers/all-MiniLM-L6-v2", "HOME": str(self.home / "notes"),
            "SEMANTIC_EMBEDDING_CACHE_DIR": str(self.home / "fastembed"), "AUTO_UPDATE": "false",
            "LOG_LEVEL": "WARNING",
        }  # fmt: skip
        argv = [where.program("basic-memory"), "mcp", "--transport", "streamable-http", "--port", str(port)]
        self.spawn(argv, {f"BASIC_MEMORY_{key}": value for key, value in settings.items()})
        self.web, self.session = Web(port), ""
        until(self._greeted, seconds=READY_SECONDS, what=self.log)

    def write(self, document: Document) -> None:
        self._call(
            "write_note", title=document.key, content=document.text, directory=document.session, project="main"
        )  # fmt: skip

    def search(self, query: str, limit: int) -> Sequence[str]:
        told = self._call("search_notes", query=query, project="main", page_size=limit, output_format="json")
        return [one["title"] for one in json.loads(told)["results"]]

    def count(self) -> int:
        return sum(1 for _ in (self.home / "notes").rglob("*.md"))

    def _greeted(self) -> bool:
        known = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        try:
            _, self.session = self._rpc("initialize", known)
        except OSError:
            self.web.close()
            return False
        self.web.exchange("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, self._headers)
        return True

    def _call(self, name: str, **arguments: object) -> str:
        told, _ = self._rpc("tools/call", {"name": name, "arguments": arguments})
        if told["isError"]:
            raise RuntimeError(told["content"][0]["text"][:200])
        return str(told["content"][0]["text"])

    def _rpc(self, method: str, params: object) -> tuple[Any, str]:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        told, session = self.web.exchange("POST", "/mcp", asked, self._headers)
        lines = [line.partition(b"data: ")[2] for line in told.splitlines() if line.startswith(b"data: ")]
        return json.loads(lines[-1] if lines else told)["result"], session

    @property
    def _headers(self) -> dict[str, str]:
        found = {"Accept": "application/json, text/event-stream"}
        return found | ({"Mcp-Session-Id": self.session} if self.session else {})


@dataclass(slots=True)
class McpMemoryService(Tool):
    name: ClassVar[str] = "mcp-memory-service"
    version: ClassVar[str] = "12.4.0"
    through: ClassVar[str] = "its HTTP API (sqlite-vec, ONNX)"
    more: ClassVar[str] = "meaning by default, a dashboard, OAuth, sync to a cloud, quality scores"

    web: Web = field(init=False)

    def start(self) -> None:
        where, port = installing.environment(self.name, f"{self.name}[sqlite]=={self.version}"), free_port()
        if not (model := self.home / ".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx").exists():
            place_model(model)
        settings = {"STORAGE_BACKEND": "sqlite_vec", "USE_ONNX": "1", "ONNX_ALLOW_DOWNLOAD": "0"}
        argv = [where.program("memory"), "server", "--http", "--http-port", str(port)]
        known = {f"MCP_MEMORY_{key}": value for key, value in settings.items()}
        self.spawn(argv, known | {"MCP_ALLOW_ANONYMOUS_ACCESS": "true"})
        self.web = Web(port)
        answers(self, self.web, "/api/health")

    def write(self, document: Document) -> None:
        told = {"content": document.text, "metadata": {"key": document.key}, "conversation_id": document.session}
        self.web.ask("POST", "/api/memories", told)

    def search(self, query: str, limit: int) -> Sequence[str]:
        found = self.web.ask("POST", "/api/search", {"query": query, "n_results": limit})["results"]
        return [one["memory"]["metadata"]["key"] for one in found]

    def count(self) -> int:
        return int(self.web.ask("GET", "/api/memories?page_size=1")["total"])


@dataclass(slots=True)
class Mem0(Tool):
    name: ClassVar[str] = "mem0"
    version: ClassVar[str] = "2.2.1"
    through: ClassVar[str] = "its library (Qdrant on this disk, fastembed, `infer=False`) in a process of its own"
    more: ClassVar[str] = "many stores and models, extraction by a model (not measured: it asks one at each write)"

    def start(self) -> None:
        where = installing.environment(self.name, f"mem0ai=={self.version}", "fastembed==0.8.0")
        if not (self.home / "fastembed").exists():
            place_fastembed(self.home)
        known = {"FASTEMBED_CACHE_PATH": str(self.home / "fastembed"), "MEM0_TELEMETRY": "False"}
        script = str(Path(__file__).with_name("mem0_lines.py"))
        argv = [where.program("python"), script, str(self.home)]
        self.spawn(argv, known, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._answer()

    def write(self, document: Document) -> None:
        self._ask({"key": document.key, "text": document.text})

    def search(self, query: str, limit: int) -> Sequence[str]:
        found: list[str] = self._ask({"query": query, "limit": limit})
        return found

    def count(self) -> int:
        return int(self._ask({}))

    def _ask(self, asked: object) -> Any:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(asked).encode() + b"\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self.process is not None
        assert self.process.stdout is not None
        if not (line := self.process.stdout.readline()):
            raise RuntimeError(f"{self.name} has ended:\n{self.log()}")
        return json.loads(line)


def chroma() -> dict[str, str]:
    """The environment in which `uvx` starts the chroma-mcp of claude-mem without asking the network.

    :raises Unavailable: it cannot be had
    """
    uv, cache = installing.environment("uv", "uv==0.13.8"), installing.HOME / "uv-cache"
    cache.mkdir(exist_ok=True)
    constraints = cache / "constraints.txt"
    constraints.write_text("pydantic<2.12\n")  # what it asks for does not start with a newer one
    known = {
        "PATH": str(uv.folder / "bin"), "UV_PYTHON": uv.program("python"), "UV_CACHE_DIR": str(cache),
        "UV_CONSTRAINT": str(constraints), "UV_PYTHON_DOWNLOADS": "never", "UV_SYSTEM_CERTS": "true",
    }  # fmt: skip
    asked = ["--python", known["UV_PYTHON"], *CHROMA, "--help"]
    installing.run([uv.program("uvx"), *asked], {**os.environ, **known, "PATH": os.environ["PATH"]})
    return known | {"UV_OFFLINE": "1"}


@dataclass(slots=True)
class ClaudeMem(Tool):
    name: ClassVar[str] = "claude-mem"
    version: ClassVar[str] = "13.25.3"
    through: ClassVar[str] = "its worker's HTTP API (`/api/memory/save`, `/api/search`; Chroma beside it)"
    more: ClassVar[str] = "a model summarises each tool call (not measured: it needs a key), a web viewer"

    web: Web = field(init=False)
    worker: list[str] = field(init=False)
    known: dict[str, str] = field(init=False)

    def start(self) -> None:
        packages = (f"claude-mem@{self.version}", "bun@1.4.5", "@oven/bun-linux-x64@1.4.5")
        where, port = installing.node_packages(self.name, *packages), free_port()
        if not (model := self.home / ".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx").exists():
            place_model(model)
        bun, uv = where / "@oven/bun-linux-x64/bin", chroma()
        self.known = {
            **uv, "PATH": os.pathsep.join([str(bun), uv["PATH"], self.env["PATH"]]), "SHELL": "/bin/sh",
            "CLAUDE_MEM_PYTHON_VERSION": uv["UV_PYTHON"], "CLAUDE_MEM_DATA_DIR": str(self.home / ".claude-mem"),
            "CLAUDE_MEM_WORKER_PORT": str(port), "CLAUDE_MEM_LOG_LEVEL": "WARN",
        }  # fmt: skip
        self.worker = [str(bun / "bun"), str(where / "claude-mem/plugin/scripts/worker-service.cjs")]
        self.spawn([*self.worker, "--daemon"], self.known)
        self.web = Web(port)
        answers(self, self.web, "/api/health")

    def hook(self) -> tuple[Sequence[str], Mapping[str, str]]:
        """Without the shell and the node that stand before it in its hooks.json."""
        return [*self.worker, "hook", "claude-code", "session-init"], {**self.env, **self.known}

    def write(self, document: Document) -> None:
        self.web.ask("POST", "/api/memory/save", {"text": document.text, "title": document.key, "project": "bench"})

    def settle(self) -> None:
        limit = monotonic() + READY_SECONDS
        while not self.web.ask("GET", "/api/chroma/status")["connected"] and monotonic() < limit:
            sleep(1)
        if monotonic() > limit:
            raise RuntimeError(f"Chroma does not come:\n{self.log()}")
        until_rest(self.pid)

    def search(self, query: str, limit: int) -> Sequence[str]:
        asked = {"query": query, "limit": limit, "project": "bench", "format": "json", "orderBy": "relevance"}
        return [one["title"] for one in self.web.ask("GET", f"/api/search?{urlencode(asked)}")["observations"]]

    def count(self) -> int:
        return int(self.web.ask("GET", "/api/stats")["database"]["observations"])


PEERS: tuple[type[Tool], ...] = (ClaudeMem, BasicMemory, McpMemoryService, Mem0)

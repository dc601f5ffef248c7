"""Hook firings and transcripts that released programs really sent, laid into a temporary home."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support import conformance
from support.conformance import Recording, Said

_SHARED = Path(os.environ.get("MEMORYD_SHARED") or Path(__file__).parents[2].parent / "shared") / "hosts"


def shared_hosts() -> Path:
    """The folder of recordings beside the checkout; without it the test is skipped."""
    if not _SHARED.is_dir():
        pytest.skip(f"no recordings at {_SHARED}; set MEMORYD_SHARED")
    return _SHARED


@dataclass(frozen=True)
class Firing:
    """One firing of a hook, with its transcript path moved into the temporary home."""

    event: str
    stdin: dict[str, Any]
    env: dict[str, str]


def firings(run: str, home: Path) -> Iterator[Firing]:
    for path in sorted((shared_hosts() / "hook-stdin" / run).glob("*.json")):
        loaded = json.loads(path.read_text())
        for record in loaded if isinstance(loaded, list) else [loaded]:
            stdin = record.get("stdin", record)
            moved = {**stdin, "transcript_path": str(transcript_of(stdin["session_id"], home))}
            if "agent_transcript_path" in stdin:
                moved["agent_transcript_path"] = str(transcript_of(f"agent-{stdin['agent_id']}", home))
            yield Firing(stdin["hook_event_name"], moved, record.get("env", {}))


def recording(run: str, host: str, said: dict[str, Said], *, never: tuple[str, ...] = ()) -> Recording:
    """A recorded run with the transcripts of its sessions, for the conformance kit."""
    found = []
    for path in sorted((shared_hosts() / "hook-stdin" / run).glob("*.json")):
        loaded = json.loads(path.read_text())
        records = loaded if isinstance(loaded, list) else [loaded]
        name = path.stem.partition("-")[2] or None
        found += [conformance.Firing(event=name, stdin=r.get("stdin", r), env=r.get("env", {})) for r in records]
    transcripts = {session: file for session in said for file in _transcripts(session)}
    return Recording(host=host, firings=tuple(found), transcripts=transcripts, said=said, never=never)


def _transcripts(session: str) -> list[str]:
    """The file of a session, relative to the recordings; some hosts name the session inside it alone."""
    root = shared_hosts()
    named = [path for path in root.glob("sessions/*/*.jsonl") if session in path.name]
    named += root.glob(f"sessions/gemini-*/session-*-{session[:8]}.jsonl")
    inside = [path for path in root.glob("sessions/copilot-*/events.jsonl") if session in path.read_text()[:500]]
    return [str(path.relative_to(root)) for path in (named or inside)]


def transcript_of(session_id: str, home: Path) -> Path:
    """Where a session's transcript is; copied there when it was recorded."""
    target = home / ".claude" / "projects" / f"{session_id}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    for source in shared_hosts().glob(f"sessions/claude-*/**/{session_id}.jsonl"):
        if not target.exists():
            target.write_bytes(source.read_bytes())
    return target

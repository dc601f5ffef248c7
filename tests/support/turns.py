"""Whole turns through a daemon whose clock is faked, and what its sessions are told."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.daemon.daemon import Daemon
from memoryd.daemon.journal.journal import Arrival, Binding
from memoryd.ipc.events import EventAdapter
from memoryd.ipc.methods.events import EventPublish, HookDeliver

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


class Talk:
    """Publishes whole turns."""

    def __init__(self, daemon: Daemon, clock: Clock, cwd: str) -> None:
        self.daemon, self.clock, self.cwd, self.n = daemon, clock, cwd, 0
        self.binding: Binding | None = None
        self.later: list[Arrival] | None = None  #: events that are kept back, to come in together

    async def say(self, kind: str, session: str = "s1", **data: Any) -> None:
        self.n += 1
        self.clock.now += timedelta(seconds=2)
        event = EventAdapter.validate_python(
            {"id": f"e{self.n}", "kind": kind, "host": "claude-code", "session_id": session, "cwd": self.cwd,
             "at": self.clock.now, "data": data}
        )  # fmt: skip
        if self.later is None:
            await self.daemon.ingest.publish(EventPublish(event=event))
        else:
            self.binding = self.binding or await self.daemon.binder.of_folder(self.cwd)
            self.later.append(Arrival(event=event, binding=self.binding))

    async def turn(self, task: str, *steps: str, session: str = "s1", status: str = "ok", error: str = "") -> None:
        """Have a turn; a step is `edit FILE` or a command. The last one fails with `error`, if there is one."""
        await self.say("user_prompt", session, text=task)
        for n, step in enumerate(steps):
            verb, _, path = step.partition(" ")
            failed = bool(error) and n == len(steps) - 1
            if verb in ("edit", "read"):
                action = "write" if verb == "edit" else "read"
                data: dict[str, Any] = {"name": verb.title(), "files": [{"path": path, "action": action}]}
            else:
                data = {"name": "Bash", "summary": f'{{"command":"{step}"}}'}
            await self.say("tool_use", session, ok=not failed, **data)
            if failed:
                await self.say("message", session, role="tool", text=error)
        await self.say("turn", session, status=status, last_assistant_message="Done.")

    async def passed(self) -> Path:
        """Look back, and return the memory directory."""
        while self.later:
            await self.daemon.journal.append(self.later[:256])
            del self.later[:256]
        await self.daemon.maturer.once()
        return (await self.daemon.binder.of_folder(self.cwd)).dir


def text_of(directory: Path, folder: str) -> str:
    return "\n".join(path.read_text() for path in sorted((directory / folder).glob("*.md")))


async def hook(talk: Talk, event: str, session: str, **stdin: Any) -> str:
    """What a session's hook is answered."""
    talk.n += 1
    talk.clock.now += timedelta(seconds=10)
    raw = json.dumps({"hook_event_name": event, "session_id": session, "cwd": talk.cwd, **stdin})
    params = HookDeliver(id=f"{talk.n:032x}", at=talk.clock.now, host="claude-code", event=event, raw=raw, cwd=talk.cwd)
    answer = (await talk.daemon.ingest.deliver(params)).stdout
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


async def told(talk: Talk, session: str, prompt: str) -> str:
    """What a new session is told at its start and with its first prompt."""
    start = await hook(talk, "SessionStart", session, source="startup")
    return start + await hook(talk, "UserPromptSubmit", session, prompt=prompt)

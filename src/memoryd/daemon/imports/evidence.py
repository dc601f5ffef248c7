"""What a notebook says, as messages of a session that stands for it: the evidence that memories of it rest on."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from memoryd.daemon.imports.found import Memory, Notebook
from memoryd.ipc.events import Message, MessageData, Role, Tier

MAX_TEXT_CHARS = 20_000
MAX_SESSION_CHARS = 200

_ROLES: Mapping[Tier, Role] = {Tier.USER: "user", Tier.HOST: "assistant"}  #: others: tool


def message(source: Notebook, cwd: str | None, memory: Memory) -> Message:
    """The message of a memory. Its id follows from what it says and where, so that it is evidence once.

    Its data names the notebook and the place in it beside the text.
    """
    said = "\0".join((source.form, str(source.path), memory.text))
    data = {
        "role": _ROLES.get(memory.tier, "tool"), "tier": memory.tier, "text": memory.text[:MAX_TEXT_CHARS],
        "source": f"{source.path}, {memory.place}",
    }  # fmt: skip
    return Message(
        id=f"import/{hashlib.sha256(said.encode(errors='replace')).hexdigest()[:40]}", host=source.form,
        session_id=session_of(source.path), cwd=cwd, at=memory.at, data=MessageData.model_validate(data),
    )  # fmt: skip


def session_of(path: Path) -> str:
    """The name of the session: the path, shortened at its front where it is long."""
    name = "".join(c if c.isprintable() else "?" for c in os.fsencode(path).decode("utf-8", "replace"))
    if len(name) <= MAX_SESSION_CHARS:
        return name
    return f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:12]}…{name[20 - MAX_SESSION_CHARS :]}"

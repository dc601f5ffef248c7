"""Memory that an agent wrote itself, told by its tool events: then it needs no consolidation of the turns before."""

import re
from collections.abc import Sequence
from pathlib import Path

from memoryd.ipc.events import Event, MemoryWritten, MemoryWrittenData, ToolUse

#: each host puts the name of our server before that of a tool in its own way (docs/hosts.md)
_OWN = re.compile(r"(?:^|.*[_\-:/.])memoryd[_\-:/.]+(memory_save|note_write|provider_\w+)\Z")


def derived(events: Sequence[Event], roots: Sequence[Path]) -> list[MemoryWritten]:
    """An event more for each tool call that went well and saved something, or wrote a file of memory.

    A use of the external memory provider counts as well: the agent has just tended what is remembered.

    :param roots: the memory directories of the session
    """
    return [
        MemoryWritten(
            id=f"{event.id}+memory", host=event.host, session_id=event.session_id, cwd=event.cwd, at=event.at,
            turn_id=event.turn_id, data=MemoryWrittenData(names=names),
        )
        for event in events
        if isinstance(event, ToolUse) and event.data.ok and (names := _names(event, roots))
    ]  # fmt: skip


def _names(event: ToolUse, roots: Sequence[Path]) -> tuple[str, ...]:
    files = [touch.path for touch in event.data.files if touch.action == "write" and _is_below(touch.path, roots)]
    own = _OWN.match(event.data.name)
    return (*([own[1]] if own else []), *files)


def _is_below(path: str, roots: Sequence[Path]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)

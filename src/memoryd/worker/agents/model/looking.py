"""Tools with which a large model looks at the memory that a prompt has no room for. They read and write nothing."""

from collections.abc import Callable, Sequence

from pydantic_ai import RunContext, Tool
from pydantic_ai.tools import ToolDefinition

from memoryd.memory.words import content_words
from memoryd.worker.agents.asking.manifest import Held, Manifest, plain_id
from memoryd.worker.agents.asking.quoting import quoted, shortened

LISTED, FOUND = 30, 8  #: memories in one answer
READ_CHARS = 4000
NOTHING = "(nothing)"


def tools(manifest: Manifest, spare: Callable[[], bool]) -> Sequence[Tool[object]]:
    """Return the tools over a memory. `spare`: whether calls and tokens are left for looking."""
    held = manifest.everything
    words = {key: content_words(f"{one.line()} {one.text}") for key, one in held.items()}

    def list_memory(after: str = "") -> str:
        """Show more memories, one a line, the best first. `after`: the id of the last one you have seen."""
        keys = list(held)
        start = keys.index(after) + 1 if after in held else len(manifest.shown)
        return _rows({key: held[key] for key in keys[start : start + LISTED]})

    def read_memory(id: str) -> str:
        """Show one memory in full."""
        one = held.get(plain_id(id))
        return quoted(shortened(one.text, READ_CHARS)) if one else f"there is no memory {id[:16]!r}"

    def search_memory(query: str) -> str:
        """Find memories that share words with the query, the best first."""
        wanted = content_words(query[:READ_CHARS])
        best = sorted(held, key=lambda key: -len(wanted & words[key]))[:FOUND]
        return _rows({key: held[key] for key in best if wanted & words[key]})

    async def while_spare(ctx: RunContext[object], definition: ToolDefinition) -> ToolDefinition | None:
        return definition if spare() else None

    return [Tool(look, prepare=while_spare) for look in (list_memory, read_memory, search_memory)]


def _rows(held: dict[str, Held]) -> str:
    return "\n".join(f"[{key}] {one.line()}" for key, one in held.items()) or NOTHING

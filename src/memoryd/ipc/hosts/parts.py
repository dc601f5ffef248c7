"""What Gemini CLI and Qwen Code, which comes from it, share: a content of parts, and the tools that it names."""

import os.path
from collections.abc import Mapping
from typing import Any

from memoryd.ipc.events import Tier
from memoryd.ipc.sanitise import strip_blocks

#: what follows in a prompt was read from the files that it names with `@`: no word of the person
_REFERENCED = "--- Content from referenced files ---"

_WEB = {"web_fetch", "google_web_search", "web_search"}
_REPOSITORY = {
    "read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content",
}  # fmt: skip
_FILE_ACTIONS = {"read_file": "read", "write_file": "write", "replace": "write", "edit": "write"}
_PATH_KEYS = ("file_path", "absolute_path", "path")


def parts_of(content: object) -> list[dict[str, Any]]:
    """A content as its parts; a text stands for one."""
    found = content if isinstance(content, list) else [content]
    texts_as_parts = ({"text": part} if isinstance(part, str) else part for part in found)
    return [part for part in texts_as_parts if isinstance(part, dict)]


def text_of_parts(content: object) -> str:
    """The text of a content as the model reads it, without its thoughts."""
    parts = parts_of(content)
    return "".join(p["text"] for p in parts if isinstance(p.get("text"), str) and not p.get("thought"))


def typed(text: str) -> str:
    """A prompt as a person typed it: without what hooks and `@` references put into it."""
    return strip_blocks(text.partition(_REFERENCED)[0]).strip()


def response_text(response: object) -> str:
    """What a tool answered, or why it failed."""
    if not isinstance(response, dict):
        return ""
    found = response.get("output", response.get("error"))
    return found if isinstance(found, str) else ""


def tier_of(tool: str) -> Tier:
    """Of what a tool answers."""
    return Tier.WEB if tool in _WEB else Tier.REPOSITORY if tool in _REPOSITORY else Tier.TOOL


def files_of(tool: str, given: Mapping[str, Any], cwd: str | None) -> list[dict[str, str]]:
    """The file that a call touches; a relative path is one below the working directory."""
    action = _FILE_ACTIONS.get(tool)
    path = next((given[key] for key in _PATH_KEYS if isinstance(given.get(key), str)), None)
    return [{"path": os.path.join(cwd or "", path), "action": action}] if action and path else []

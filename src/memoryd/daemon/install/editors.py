"""A settings file on disk, edited in its own syntax. Nothing is written here."""

from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

from memoryd.daemon.install import jsonedit, yamledit
from memoryd.daemon.install.changes import read
from memoryd.daemon.install.entries import Before, Presence, SpanEditor
from memoryd.daemon.install.targets import Handler
from memoryd.daemon.install.tomledit import TomlEditor
from memoryd.ipc.hosts.plans.base import HOOK_SCRIPT, Settings

_EDITORS: dict[str, SpanEditor | TomlEditor] = {
    "json": SpanEditor(syntax=jsonedit),
    "yaml": SpanEditor(syntax=yamledit),
    "toml": TomlEditor(),
}

# Each raises ConfigError with line and column where the file is broken, and CannotWrite where it cannot be read.


def put_in(one: Settings, text: str) -> tuple[str, Before]:
    """See `SpanEditor.put_in`."""
    return _EDITORS[one.syntax].put_in(text, str(one.path), one)


def without(one: Settings, before: Before) -> str:
    """The file's text without ours; one that never names us is not even read as what it should be."""
    found = text(one.path)
    return _EDITORS[one.syntax].take_out(found, str(one.path), one, before) if "memoryd" in found else found


def presence(one: Settings) -> Presence:
    return _EDITORS[one.syntax].presence(text(one.path), str(one.path), one)


def holds(one: Settings, whole: Settings) -> bool:
    """Whether the file holds ours as it is wanted, and nothing of what is not wanted any more."""
    found = presence(one)
    return found.exact and (one == whole or presence(whole).ours == found.ours)


def handlers(one: Settings) -> Iterator[Handler]:
    """Our hooks as they stand in the file."""
    for at, value in _EDITORS[one.syntax].handlers(text(one.path), str(one.path), one):
        command = value.get("command", value.get("bash"))
        if isinstance(command, str) and HOOK_SCRIPT in command:
            yield Handler(file=one.path, event=at[-1], command=command)


def switched_off(one: Settings) -> str | None:
    """The setting by which the host runs no hook, as the person would read it."""
    data = _EDITORS[one.syntax].data(text(one.path), str(one.path)) if one.off else {}
    for keys, value in one.off.items():
        if reduce(_inner, keys, data) is value:
            return f"{'.'.join(keys)} = {str(value).lower()} in {one.path}"
    return None


def text(path: Path) -> str:
    return jsonedit.decode(read(path) or b"", str(path))


def is_blank(text: str) -> bool:
    return not text.strip(jsonedit.BOM + " \t\r\n{}")


def _inner(data: Any, key: str) -> Any:
    return data.get(key) if isinstance(data, dict) else None

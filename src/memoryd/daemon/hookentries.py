"""Our entries in a host's settings file: which are ours, how they are put in, how exactly they are taken out. Pure.

The shape is Claude Code's: `{"hooks": {EVENT: [{"hooks": [HANDLER]}]}}`; one group of ours an event.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Literal

from memoryd.daemon import jsonedit
from memoryd.daemon.jsonedit import Node

SCRIPT_NAME = "memoryd-hook"

Handlers = Mapping[str, Mapping[str, Any]]  #: event -> its handler as JSON
State = Literal["installed", "outdated", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What an exact removal must know, and the text cannot tell: which containers were there, and empty."""

    blank: bool = False  #: the file was missing or held no JSON at all
    empty: Mapping[str, str] = field(default_factory=dict)  #: container (`""`, `hooks`, `hooks.EVENT`) -> its inside


_Chain = tuple[tuple[str, Node, int], ...]  #: (name, container, index in it), from the inside out


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ours:
    event: str
    handler: Any
    handlers: Node  #: the array that holds it
    index: int
    chain: _Chain  #: of the group and what is around it


def put_in(text: str, name: str, wanted: Handlers) -> tuple[str, Before]:
    """Return the text with our entries, and what `take_out` needs to know.

    :param text: holds none of ours
    :raises ConfigError: broken JSON, or `hooks` has another shape; the sentence names line and column
    """
    root = jsonedit.parse(text, name)
    before = Before(blank=root.start == root.end, empty=dict(_empty(text, root, wanted)))
    if root.get("hooks") is None:
        text = jsonedit.add(text, root, "hooks", {})
    for event, handler in wanted.items():
        hooks = _shaped(text, jsonedit.parse(text, name).get("hooks"), dict, name)
        if hooks.get(event) is None:
            text = jsonedit.add(text, hooks, event, [{"hooks": [handler]}])
        else:
            text = jsonedit.add(text, _shaped(text, hooks.get(event), list, name), None, {"hooks": [handler]})
    return text, before


def take_out(text: str, name: str, before: Before) -> str:
    """Return the text without any entry of ours; whatever else was changed since stays.

    :raises ConfigError: broken JSON; the sentence names line and column
    """
    while (ours := next(_ours(jsonedit.parse(text, name)), None)) is not None:
        text = _without(text, ours, before)
    return text


def state_of(text: str, name: str, wanted: Handlers) -> State:
    """:raises ConfigError: broken JSON"""
    found = [(ours.event, ours.handler) for ours in _ours(jsonedit.parse(text, name))]
    if not found:
        return "absent"
    return "installed" if sorted(found, key=str) == sorted(wanted.items(), key=str) else "outdated"


def is_ours(handler: object) -> bool:
    """Whether a handler runs our hook script, wherever it lies."""
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str) or SCRIPT_NAME not in command:
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return bool(words) and PurePath(words[0]).name == SCRIPT_NAME


def _ours(root: Node) -> Iterator[_Ours]:
    for i, hooks in enumerate(root.members):
        for j, event in enumerate(hooks.node.members if hooks.key == "hooks" else ()):
            for k, group in enumerate(event.node.members):
                chain = ((f"hooks.{event.key}", event.node, k), ("hooks", hooks.node, j), ("", root, i))
                yield from _ours_of(event.key or "", group.node.get("hooks"), chain)


def _ours_of(event: str, handlers: Node | None, chain: _Chain) -> Iterator[_Ours]:
    for index, member in enumerate(handlers.members if handlers else ()):
        if handlers and is_ours(member.node.value):
            yield _Ours(event=event, handler=member.node.value, handlers=handlers, index=index, chain=chain)


def _without(text: str, ours: _Ours, before: Before) -> str:
    """Take one handler out, and around it every container that we alone had filled."""
    if len(ours.handlers.members) > 1:
        return jsonedit.remove(text, ours.handlers, ours.index)
    for name, container, index in ours.chain:
        if len(container.members) > 1:
            return jsonedit.remove(text, container, index)
        if name in before.empty:
            return jsonedit.empty(text, container, before.empty[name])
        if name == "" and before.blank:
            return text[: container.start]
    return jsonedit.empty(text, ours.chain[-1][1])


def _empty(text: str, root: Node, wanted: Handlers) -> Iterator[tuple[str, str]]:
    hooks = root.get("hooks")
    named = [("", root), ("hooks", hooks), *((f"hooks.{e}", hooks.get(e) if hooks else None) for e in wanted)]
    for name, node in named:
        if node is not None and node.start != node.end and node.value in ({}, []):
            yield name, jsonedit.inside(text, node)


def _shaped(text: str, node: Node | None, shape: type, name: str) -> Node:
    if node is None or not isinstance(node.value, shape):
        what = "hooks must be an object" if shape is dict else "an event of hooks must be an array"
        raise jsonedit.fault(text, node.start if node else 0, name, what)
    return node

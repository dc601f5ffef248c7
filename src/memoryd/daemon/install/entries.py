"""Our entries in a settings file: which are ours, how they are put in, how exactly they are taken out. Pure.

Works on spans: a syntax (`jsonedit`, `yamledit`) reads a file into nodes that know where they stand, and puts a member
in or takes one out without touching another byte.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Protocol

from memoryd.daemon.install.jsonedit import Node
from memoryd.errors import ConfigError
from memoryd.ipc.hosts.plans.base import HOOK_SCRIPT, MCP_SCRIPT, Entry, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What an exact removal must know, and the text cannot tell."""

    blank: bool = False  #: the file was missing or held no value at all
    glue: str = ""  #: the newline that had to stand before our first byte in a blank file
    empty: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Containers that were there and held nothing, by their keys joined with dots -> what stood inside."""
    pieces: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What was put in, by key path, where a syntax has no spans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """How much of what is wanted a file holds."""

    ours: int  #: entries of ours
    exact: bool  #: what is wanted is there as it is wanted, or a person's own stands in its place; no more is


class Syntax(Protocol):
    """How a file is written. Every function is pure; `text` is a whole file."""

    grows_from_empty: bool  #: a new container is put in empty, then filled
    null_is_empty: bool  #: a key may stand without a value

    def parse(self, text: str, name: str) -> Node: ...
    def fault(self, text: str, at: int, name: str, what: str) -> ConfigError: ...
    def add(self, text: str, container: Node, key: str | None, value: Any) -> str: ...
    def remove(self, text: str, container: Node, index: int) -> str: ...
    def empty(self, text: str, container: Node, inside: str = "") -> str: ...
    def inside(self, text: str, container: Node) -> str: ...
    def beside(self, text: str, container: Node) -> str: ...
    def glue(self, text: str) -> str: ...
    def erase(self, text: str, root: Node) -> str: ...


_Chain = tuple[tuple[str, Node, int], ...]  #: (name, container, index in it), from the inside out


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ours:
    at: tuple[str, ...]
    value: Any  #: the handler, or the member
    chain: _Chain  #: of what goes when it goes


def is_ours(value: object) -> bool:
    """Whether a handler or a server runs one of our scripts, wherever it lies."""
    command = command_of(value)
    return command is not None and PurePath(command[0]).name in (HOOK_SCRIPT, MCP_SCRIPT)


def command_of(value: object) -> list[str] | None:
    """The words of the command of a handler or a server."""
    if not isinstance(value, dict):
        return None
    command = value.get("command", value.get("bash"))
    if isinstance(command, list):
        return command if command and isinstance(command[0], str) else None
    try:
        return (shlex.split(command) or None) if isinstance(command, str) else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEditor:
    """Entries in files of one syntax."""

    syntax: Syntax

    def put_in(self, text: str, name: str, settings: Settings) -> tuple[str, Before]:
        """Return the text with our entries, and what `take_out` needs to know.

        A member of our name that a person wrote stays, and ours is left out.

        :param text: holds none of ours
        :raises ConfigError: broken, or a container has another shape; the sentence names line and column
        """
        if not settings.entries:
            return text, Before()
        root = self.syntax.parse(text, name)
        blank = root.start == root.end
        glue = self.syntax.glue(text) if blank else ""
        before = Before(blank=blank, glue=glue, empty=dict(self._empty(text, root, settings)))
        text += glue
        skeleton = [Entry(at=(key,), value=value) for key, value in settings.skeleton.items()] if blank else []
        for entry in (*skeleton, *settings.entries):
            text = self._put(text, name, entry)
        return text, before

    def take_out(self, text: str, name: str, settings: Settings, before: Before) -> str:
        """Return the text without any entry of ours; whatever else was changed since stays.

        :raises ConfigError: broken; the sentence names line and column
        """
        whole = text
        while (ours := next(_ours(self.syntax.parse(text, name), settings), None)) is not None:
            text = self._without(text, ours, before)
        root = self.syntax.parse(text, name)
        if before.blank and root.members and root.value == settings.skeleton and not self.syntax.beside(text, root):
            text = self.syntax.erase(text, root)
        return text.removesuffix(before.glue) if text != whole and whole.startswith(text) else text

    def presence(self, text: str, name: str, settings: Settings) -> Presence:
        """:raises ConfigError: broken"""
        root = self.syntax.parse(text, name)
        found = list(_ours(root, settings))
        left = list(found)
        missing = 0
        for entry in settings.entries:
            match = next((ours for ours in left if _same(ours, entry)), None)
            if match is not None:
                left.remove(match)
            elif entry.listed or not _occupied(root, entry):
                missing += 1
        return Presence(ours=len(found), exact=not missing and not left)

    def data(self, text: str, name: str) -> Any:
        """The whole file as plain values. :raises ConfigError: broken"""
        return self.syntax.parse(text, name).value

    def handlers(self, text: str, name: str, settings: Settings) -> list[tuple[tuple[str, ...], Any]]:
        """Our handlers and servers with the keys where they stand. :raises ConfigError: broken"""
        return [(ours.at, ours.value) for ours in _ours(self.syntax.parse(text, name), settings)]

    def _put(self, text: str, name: str, entry: Entry) -> str:
        node = self.syntax.parse(text, name)
        for depth, key in enumerate(entry.at):
            inner = self._shaped(text, node, dict, name).get(key)
            last = depth == len(entry.at) - 1
            if inner is None and (last or not self.syntax.grows_from_empty):
                return self.syntax.add(text, node, key, _nested(entry, depth))
            if inner is None:
                return self._put(self.syntax.add(text, node, key, {}), name, entry)
            node = inner
        if not entry.listed:
            return text
        return self.syntax.add(text, self._shaped(text, node, list, name), None, entry.value)

    def _shaped(self, text: str, node: Node, shape: type, name: str) -> Node:
        if isinstance(node.value, shape) or (self.syntax.null_is_empty and node.start == node.end):
            return node  # a key without a value is an empty container
        what = "an object of keys" if shape is dict else "a list"
        raise self.syntax.fault(text, node.start, name, f"{what} must stand here")

    def _empty(self, text: str, root: Node, settings: Settings) -> Iterator[tuple[str, str]]:
        for entry in settings.entries:
            for depth in range(len(entry.at) + 1):
                node = _descend(root, entry.at[:depth])
                if node is not None and not node.members and node is not root:
                    yield ".".join(entry.at[:depth]), self.syntax.inside(text, node)
        if not root.members and root.start != root.end:
            yield "", self.syntax.inside(text, root)

    def _without(self, text: str, ours: _Ours, before: Before) -> str:
        """Take one out, and around it every container that we alone had filled and nobody has written a comment in."""
        for name, container, index in ours.chain:
            comments = self.syntax.beside(text, container)
            if len(container.members) > 1 or comments not in ("", before.empty.get(name, "").strip()):
                return self.syntax.remove(text, container, index)
            if name in before.empty:
                return self.syntax.empty(text, container, before.empty[name])
        root = ours.chain[-1][1]
        return self.syntax.erase(text, root) if before.blank else self.syntax.empty(text, root)


def _nested(entry: Entry, depth: int) -> Any:
    value = [entry.value] if entry.listed else entry.value
    for key in reversed(entry.at[depth + 1 :]):
        value = {key: value}
    return value


def _descend(root: Node, keys: tuple[str, ...]) -> Node | None:
    node: Node | None = root
    for key in keys:
        node = node.get(key) if node else None
    return node


def _occupied(root: Node, entry: Entry) -> bool:
    """Whether a person's own member stands where ours would."""
    node = _descend(root, entry.at)
    return node is not None and "command" in entry.value and not is_ours(node.value)


def _same(ours: _Ours, entry: Entry) -> bool:
    """A handler is as we wrote it; to a member the host may have added keys of its own."""
    if ours.at != entry.at:
        return False
    if entry.listed:
        return bool(ours.value == _handler(entry.value))
    return bool(entry.value.items() <= ours.value.items())


def _handler(item: Any) -> Any:
    """The handler of a group; an item that is no group is the handler."""
    return item["hooks"][0] if "hooks" in item else item


def _ours(root: Node, settings: Settings) -> Iterator[_Ours]:
    """Ours in every container that the entries stand in, also those of other releases, with other keys."""
    named = {entry.at for entry in settings.entries if not entry.listed and "command" not in entry.value}
    for above in sorted({entry.at[:-1] for entry in settings.entries}):
        container, around = root, list[tuple[str, Node, int]]()
        for depth, key in enumerate(above):
            index = next((n for n, m in reversed(list(enumerate(container.members))) if m.key == key), None)
            if index is None:
                break
            around.insert(0, (".".join(above[:depth]), container, index))
            container = container.members[index].node
        else:
            yield from _ours_in(container, above, tuple(around), named)


def _ours_in(container: Node, above: tuple[str, ...], around: _Chain, named: set[tuple[str, ...]]) -> Iterator[_Ours]:
    for index, member in enumerate(container.members):
        at = (*above, member.key or "")
        chain = ((".".join(above), container, index), *around)
        if at in named or is_ours(member.node.value):
            yield _Ours(at=at, value=member.node.value, chain=chain)
        elif isinstance(member.node.value, list):
            for n, item in enumerate(member.node.members):
                yield from _ours_of(item.node, at, ((".".join(at), member.node, n), *chain))


def _ours_of(item: Node, at: tuple[str, ...], chain: _Chain) -> Iterator[_Ours]:
    """Of one item of an event: itself, or the handlers of a group; a group that only we filled goes as a whole."""
    if is_ours(item.value):
        yield _Ours(at=at, value=item.value, chain=chain)
        return
    handlers = item.get("hooks")
    for n, member in enumerate(handlers.members if handlers else ()):
        if handlers and is_ours(member.node.value):
            inner = (("", handlers, n),) if len(handlers.members) > 1 else ()
            yield _Ours(at=at, value=member.node.value, chain=(*inner, *chain))

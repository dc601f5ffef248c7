"""JSON settings files edited by spans: every byte outside our own members stays as it was.

The reader takes what people write into such files: comments, trailing commas, a byte order mark, CRLF. An edit puts a
text at an offset or takes a span out; nothing is ever printed anew.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memoryd.errors import ConfigError

BOM = "\ufeff"
grows_from_empty = True  #: see `entries.Syntax`
null_is_empty = False
_MAX_DEPTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value and where it stands: `text[start:end]`."""

    value: Any
    start: int
    end: int
    members: "tuple[Member, ...]" = ()  #: of an object or an array, in order
    comma_after_last: bool = False

    def get(self, key: str) -> "Node | None":
        """The member of an object; of doubled keys the last one holds, as for every JSON reader."""
        return next((m.node for m in reversed(self.members) if m.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A key with its value, or an array's item (`key` None). `start` is where the key or the item begins."""

    key: str | None
    start: int
    node: Node


def decode(content: bytes, name: str) -> str:
    """:raises ConfigError: no UTF-8; the sentence names the line"""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name} line {line}: not UTF-8 text; correct the file, nothing was changed") from error


def parse(text: str, name: str) -> Node:
    """Read a whole file; an empty one is an empty object without a place (`start` == `end`).

    :param name: for the error
    :raises ConfigError: no JSON object; the sentence names line and column
    """
    reader = _Reader(text, name)
    reader.at = len(BOM) if text.startswith(BOM) else 0
    reader.blank()
    if reader.at == len(text):
        return Node(value={}, start=reader.at, end=reader.at)
    node = reader.value(0)
    reader.blank()
    if reader.at != len(text):
        raise reader.fault("more text after the end of the JSON value")
    if not isinstance(node.value, dict):
        raise reader.fault("the file holds no JSON object", node.start)
    return node


def fault(text: str, at: int, name: str, what: str) -> ConfigError:
    """The error that points at an offset by line and column, both from 1."""
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return ConfigError(f"{name} line {line} column {column}: {what}; correct the file, nothing was changed")


_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.at = text, name, 0

    def fault(self, what: str, at: int | None = None) -> ConfigError:
        return fault(self.text, self.at if at is None else at, self.name, what)

    def blank(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self.fault("nested too deeply")
        match self.peek():
            case "{":
                return self._container("}", depth)
            case "[":
                return self._container("]", depth)
            case '"':
                start = self.at
                return Node(value=self._string(), start=start, end=self.at)
            case _:
                return self._scalar()

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self.fault("a string does not end, or holds a character that must be escaped")
        self.at = found.end()
        return str(json.loads(found[0]))

    def _scalar(self) -> Node:
        found = _SCALAR.match(self.text, self.at)
        if found is None:
            raise self.fault("a value is expected here" if self.peek() else "the file ends too early")
        start, self.at = self.at, found.end()
        return Node(value=json.loads(found[0]), start=start, end=self.at)

    def _container(self, close: str, depth: int) -> Node:
        start, comma, members = self.at, False, list[Member]()
        self.at += 1
        for member in self._members(close, depth):
            members.append(member)
        before_close = self.text[members[-1].node.end : self.at] if members else ""
        comma = "," in re.sub(r"//[^\n]*|/\*.*?\*/", "", before_close, flags=re.DOTALL)
        self.at += 1
        value: Any = {m.key: m.node.value for m in members} if close == "}" else [m.node.value for m in members]
        return Node(value=value, start=start, end=self.at, members=tuple(members), comma_after_last=comma)

    def _members(self, close: str, depth: int) -> Iterator[Member]:
        self.blank()
        while self.peek() != close:
            yield self._member(close, depth)
            self.blank()
            if self.peek() == ",":
                self.at += 1
                self.blank()
            elif self.peek() != close:
                raise self.fault(f"a comma or {close!r} is expected here" if self.peek() else "the file ends too early")

    def _member(self, close: str, depth: int) -> Member:
        start, key = self.at, None
        if close == "}":
            if self.peek() != '"':
                raise self.fault("a key in double quotes is expected here")
            key = self._string()
            self.blank()
            if self.peek() != ":":
                raise self.fault("a colon is expected after the key")
            self.at += 1
            self.blank()
        return Member(key=key, start=start, node=self.value(depth + 1))


# -- edits ---------------------------------------------------------------------------------------------------------


def add(text: str, container: Node, key: str | None, value: Any) -> str:
    """Return the text with a last member more in an object, or a last item more in an array (`key` None).

    Written as the file is: its newline, its indentation, its habit of trailing commas, on one line where the container
    stands on one line. A comment after the last member stays with that member. `remove` of the new member gives the
    text back, except for a container that was empty.
    """
    shown = json.dumps(value, ensure_ascii=False)
    member = shown if key is None else f"{json.dumps(key, ensure_ascii=False)}: {shown}"
    look = _look(text, container)
    if not container.members:
        return _add_first(text, container, member, look)
    last = container.members[-1].node.end
    comma, tail = ("", ",") if container.comma_after_last else (",", "")
    if look.one_line:
        at = _after_comma(text, last)
        return f"{text[:at]}{comma} {member}{tail}{text[at:]}"
    at = len(text[: container.end - 1].rstrip(" \t\r\n"))
    return f"{text[:last]}{comma}{text[last:at]}{look.newline}{look.inner}{member}{tail}{text[at:]}"


def _add_first(text: str, container: Node, member: str, look: "_Look") -> str:
    start, end = container.start, container.end
    if start == end:
        return f"{text}{{{look.newline}{look.inner}{member}{look.newline}}}{look.newline}"
    if look.one_line:
        return f"{text[: start + 1]}{member}{text[end - 1 :]}"
    inside = text[start + 1 : end - 1].rstrip()
    return f"{text[: start + 1]}{inside}{look.newline}{look.inner}{member}{look.newline}{look.outer}{text[end - 1 :]}"


def remove(text: str, container: Node, index: int) -> str:
    """Return the text without a member: its line and its comma go, comments stay."""
    gone = container.members[index]
    end = _after_comma(text, gone.node.end)
    start = len(text[: gone.start].rstrip(" \t"))
    start -= len("\r\n") if text[:start].endswith("\r\n") else text[:start].endswith("\n")
    rest = text[end:]
    if index == len(container.members) - 1 and index and end == gone.node.end:
        after = _after_comma(text, container.members[index - 1].node.end)
        return text[: after - 1] + text[after:start] + rest
    return text[:start] + rest


def empty(text: str, container: Node, inside: str = "") -> str:
    """Return the text with a container that holds no member any more."""
    return f"{text[: container.start + 1]}{inside}{text[container.end - 1 :]}"


def inside(text: str, container: Node) -> str:
    return text[container.start + 1 : container.end - 1]


def beside(text: str, container: Node) -> str:
    """What stands in a container besides its only member: nothing, or comments."""
    member = container.members[0]
    return (
        text[container.start + 1 : member.start] + text[_after_comma(text, member.node.end) : container.end - 1]
    ).strip()


def glue(text: str) -> str:
    """What a file without a value needs before its first one: a newline after a comment that has none."""
    return "\n" if text.strip(BOM) and not text.endswith("\n") else ""


def erase(text: str, root: Node) -> str:
    """Return the text without its value, as it was before `add` began it."""
    return text[: root.start] + re.sub(r"\A\r?\n", "", text[root.end :])


def _after_comma(text: str, at: int) -> int:
    """The offset after the comma that follows a value, or `at` when none does."""
    found = _BLANK.match(text, at)
    end = found.end() if found else at
    return end + 1 if text[end : end + 1] == "," else at


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """How a file is written around one container."""

    newline: str
    one_line: bool
    outer: str  #: indentation of the line on which the container begins
    inner: str  #: indentation of its members


def _look(text: str, container: Node) -> _Look:
    around = text if not container.members else text[container.start : container.end]
    outer = _indent(text, container.start)
    inner = outer + _unit(text)
    if container.members:
        first = container.members[0].start
        if not text[text.rfind("\n", 0, first) + 1 : first].strip():
            inner = _indent(text, first)
    return _Look(
        newline="\r\n" if "\r\n" in text else "\n",
        one_line="\n" not in around.strip() and around.strip(f"{BOM} \t\r\n{{}}") != "",
        outer=outer,
        inner=inner,
    )


def _indent(text: str, at: int) -> str:
    found = re.match(r"[ \t]*", text[text.rfind("\n", 0, at) + 1 :].removeprefix(BOM))
    return found[0] if found else ""


def _unit(text: str) -> str:
    found = re.search(r'\{\r?\n([ \t]+)"', text)
    return found[1] if found else "  "

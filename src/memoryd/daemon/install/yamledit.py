"""YAML settings files edited by lines: every byte outside our own lines stays as it was.

PyYAML says where each value stands. A round trip through a YAML library would keep the comments, but write spaces,
newlines and indentation in its own way. Containers in brackets are edited in their line.
"""

import json
from bisect import bisect_left
from typing import Any

import yaml

from memoryd.daemon.install.jsonedit import Member, Node
from memoryd.daemon.install.jsonedit import fault as fault

grows_from_empty = False  #: see `entries.Syntax`
null_is_empty = True


def parse(text: str, name: str) -> Node:
    """Read a whole file; an empty one is an empty object without a place (`start` == `end`).

    :raises ConfigError: no YAML, several documents, or no mapping; the sentence names line and column
    """
    try:
        return _Reader(text, name).root()
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise fault(text, mark.index if mark else getattr(error, "position", 0), name, what) from error


class _Loader(yaml.SafeLoader):
    """Knows of each item where its dash stands, and of each alias where it stands itself."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.dashes = list[int]()

    def fetch_block_entry(self) -> None:
        self.dashes.append(self.index)
        super().fetch_block_entry()

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """An alias is a text of its own, and not the node of its anchor, which stands elsewhere."""
        alias: Any = self.peek_event() if self.check_event(yaml.AliasEvent) else None  # type: ignore[no-untyped-call]
        found = super().compose_node(parent, index)
        if alias is None:
            return found
        return yaml.ScalarNode("!alias", f"*{alias.anchor}", alias.start_mark, alias.end_mark)


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.loader = text, name, _Loader(text)

    def root(self) -> Node:
        found = self.loader.get_single_node()
        if found is None or (isinstance(found, yaml.ScalarNode) and not found.value):
            return Node(value={}, start=len(self.text), end=len(self.text))
        if not isinstance(found, yaml.MappingNode):
            raise fault(self.text, found.start_mark.index, self.name, "the file holds no mapping of keys")
        return self.node(found)

    def node(self, found: Any) -> Node:
        start, end = found.start_mark.index, found.end_mark.index
        if isinstance(found, yaml.ScalarNode):
            return Node(value=self.scalar(found), start=start, end=end)
        if isinstance(found, yaml.MappingNode):
            members = tuple(self.pair(key, value) for key, value in found.value)
            value: Any = {member.key: member.node.value for member in members}
        else:
            members = tuple(self.item(one, in_brackets=found.flow_style) for one in found.value)
            value = [member.node.value for member in members]
        if found.flow_style:  # behind an anchor and a tag
            start = min(at for at in (self.text.find(sign, start, end) for sign in "{[") if at >= 0)
        else:
            start, end = members[0].start, members[-1].node.end
        return Node(value=value, start=start, end=end, members=members)

    def pair(self, key: yaml.Node, value: yaml.Node) -> Member:
        return Member(key=str(key.value), start=key.start_mark.index, node=self.node(value))

    def item(self, found: yaml.Node, *, in_brackets: bool) -> Member:
        start = found.start_mark.index
        if not in_brackets:
            start = self.loader.dashes[bisect_left(self.loader.dashes, start) - 1]
        return Member(key=None, start=start, node=self.node(found))

    def scalar(self, found: yaml.ScalarNode) -> Any:
        try:
            return self.loader.construct_object(found)
        except (yaml.YAMLError, ValueError):  # an alias, a tag of the host's own, a date that is none
            return found.value


# -- edits ---------------------------------------------------------------------------------------------------------


def add(text: str, container: Node, key: str | None, value: Any) -> str:
    """Return the text with a last member more in a mapping, or a last item more in a list (`key` None).

    `remove` of the new member gives the text back, except for a container that was empty.
    """
    if _in_brackets(text, container):
        return _add_in_brackets(text, container, key, value)
    newline = "\r\n" if "\r\n" in text else "\n"
    if container.start == container.end == len(text) and not container.members and container.value == {}:
        return f"{text}{_rendered(key, value, '', newline)}{newline}"
    if container.members:
        indent, at = " " * _column(text, container.members[0].start), _line_end(text, container.end)
    else:
        indent, at = _indent(text, container.start) + "  ", _line_end(text, container.start)
    return f"{text[:at]}{newline}{_rendered(key, value, indent, newline)}{text[at:]}"


def _add_in_brackets(text: str, container: Node, key: str | None, value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    member = shown if key is None else f"{json.dumps(key, ensure_ascii=False)}: {shown}"
    if not container.members:
        return f"{text[: container.start + 1]}{member}{text[container.end - 1 :]}"
    last = container.members[-1].node.end
    return f"{text[:last]}, {member}{text[last:]}"


def remove(text: str, container: Node, index: int) -> str:
    """Return the text without one of several members: its lines go, or its part of the line."""
    gone = container.members[index]
    if _in_brackets(text, container):
        if index:
            return text[: container.members[index - 1].node.end] + text[gone.node.end :]
        return text[: gone.start] + text[container.members[1].start :]
    if text[_line_start(text, gone.start) : gone.start].strip():  # it begins in the line of something else
        return text[: gone.start] + text[container.members[index + 1].start :]
    return _without_lines(text, gone.start, gone.node.end)


def empty(text: str, container: Node, inside: str = "") -> str:
    """Return the text with a container that holds no member any more."""
    if _in_brackets(text, container):
        return f"{text[: container.start + 1]}{inside}{text[container.end - 1 :]}"
    return _without_lines(text, container.start, container.end)


def inside(text: str, container: Node) -> str:
    return text[container.start + 1 : container.end - 1] if _in_brackets(text, container) else ""


def beside(text: str, container: Node) -> str:
    """Nothing: comments have lines of their own, and stay whatever goes."""
    return ""


def glue(text: str) -> str:
    """What a file without a value needs before its first one."""
    return "\n" if text.strip("\ufeff") and not text.endswith("\n") else ""


def erase(text: str, root: Node) -> str:
    """Return the text without its value, as it was before `add` began it."""
    return _without_lines(text, root.start, root.end)


def _in_brackets(text: str, container: Node) -> bool:
    return text[container.start : container.start + 1] in ("{", "[")


def _rendered(key: str | None, value: Any, indent: str, newline: str) -> str:
    content = [value] if key is None else {key: value}
    shown = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1 << 20, default_flow_style=False)
    return newline.join(f"{indent}{row}" for row in shown.splitlines())


def _without_lines(text: str, start: int, end: int) -> str:
    first, last = _line_start(text, start), _line_end(text, end)
    after = text.find("\n", last) + 1 or len(text)
    comments = "".join(row for row in text[first:after].splitlines(keepends=True) if row.lstrip().startswith("#"))
    if comments or after < len(text) or text.endswith("\n"):
        return text[:first] + comments + text[after:]
    first -= len("\r\n") if text[:first].endswith("\r\n") else text[:first].endswith("\n")
    return text[:first]


def _line_start(text: str, at: int) -> int:
    start = text.rfind("\n", 0, at) + 1
    return start + text.startswith("\ufeff", start)


def _line_end(text: str, at: int) -> int:
    """The end of the line in which a value ends, before its newline; a block of text ends behind its own newline."""
    at = at - 1 if text[at - 1 : at] == "\n" else text.find("\n", at)
    at = len(text) if at < 0 else at
    return at - text[:at].endswith("\r")


def _column(text: str, at: int) -> int:
    return at - _line_start(text, at)


def _indent(text: str, at: int) -> str:
    line = text[_line_start(text, at) : at]
    return line[: len(line) - len(line.lstrip(" "))]

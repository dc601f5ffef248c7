"""Frontmatter that survives: a reader that drops no file, and a splicer that changes only the keys it is told to.

Values are read as text (`on`, `1.10` and dates stay what a person typed). The library's own `loads` is not used:
it loses a block after a byte order mark, takes `----` for a fence and says nothing about a block that never closes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml
from frontmatter.default_handlers import YAMLHandler

from memoryd.memory.lines import split_lines
from memoryd.patterns import lazy

BOM = "\ufeff"
_FENCE = lazy(r"---[ \t]*(\r?\n|\Z)")
_CLOSE = lazy(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_KEY_LINE = lazy(r"([^\s:#'\"\-\[\]{}&*!|>%@`][^:\r\n]{0,80}):(?:[ \t]+(.*?))?[ \t]*\r?\n?\Z", re.DOTALL)
_ITEM_LINE = lazy(r"[ \t]*-[ \t]+(.*?)[ \t]*\r?\n?\Z", re.DOTALL)
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_READ_ERRORS = (yaml.YAMLError, ValueError, RecursionError, TypeError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A Markdown file as read. Scalars of `meta` are str, whatever YAML would make of them."""

    meta: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""  #: the text after the block, byte for byte
    malformed: bool = False  #: the block was read line by line, because it does not close or is no YAML mapping


class _Parts(NamedTuple):
    """A text cut in four; joined they are the text again."""

    opening: str  #: byte order mark and fence; only the mark when there is no block
    block: str
    closing: str  #: the fence; empty for a block that never closes
    body: str


class _Span(NamedTuple):
    """The lines of one top-level key in the block."""

    key: str
    start: int
    end: int


def read(text: str) -> Document:
    """Read a file. Never raises for content: what is no YAML is read as lines of `key: value`."""
    parts = _cut(text)
    if not parts.block and not parts.closing:
        return Document(body=parts.body)
    meta = _parse(parts.block) if parts.closing else None
    if meta is None:
        return Document(meta=_read_lines(parts.block), body=parts.body, malformed=True)
    return Document(meta=meta, body=parts.body)


def split(text: str) -> tuple[str, str]:
    """Cut a file into its frontmatter with the fences, empty when there is none, and its body."""
    parts = _cut(text)
    return text[: len(text) - len(parts.body)], parts.body


def splice(text: str, changes: Mapping[str, object]) -> str:
    """Change, append or (value None) remove top-level keys.

    All else keeps its bytes: other keys, order, comments, line ends, the body. A file without a block gets one, a
    block that never closed is closed. A block that cannot be cut by lines (`{a: 1}`, anchors) is written anew.

    :param changes: str, int, float, bool, None or a list of str for each key
    """
    parts = _cut(text)
    newline = "\r\n" if parts.opening.endswith("\r\n") else "\n"
    old = _parse(parts.block) if parts.closing else None
    lines = split_lines(parts.block)
    spans = _yaml_spans(parts.block) if old is not None else _line_spans(lines)
    block = _edit(lines, spans, changes, newline) if spans is not None else ""
    if old is not None:
        wanted = _wanted(old, changes)
        if spans is None or _parse(block) != wanted:
            block = _dump(wanted).replace("\n", newline)
    if not block and not parts.block and not parts.closing:
        return text
    mark = BOM if parts.opening.startswith(BOM) else ""
    opening = parts.opening if parts.opening.endswith("\n") else f"{mark}---{newline}"
    return opening + block + (parts.closing or f"---{newline}") + parts.body


def dump(fields: Mapping[str, object]) -> str:
    """Return a new frontmatter block with its fences; keys keep their order, None is left out."""
    kept = {key: value for key, value in fields.items() if value is not None}
    return f"---\n{_dump(kept) if kept else ''}---\n"


def _cut(text: str) -> _Parts:
    mark = BOM if text.startswith(BOM) else ""
    opening = _FENCE.match(text, len(mark))
    if opening is None:
        return _Parts(mark, "", "", text[len(mark) :])
    closing = _CLOSE.search(text, opening.end())
    if closing is not None:
        return _Parts(
            text[: opening.end()], text[opening.end() : closing.start()], closing.group(), text[closing.end() :]
        )
    return _cut_unclosed(text, opening.end(), mark)


def _cut_unclosed(text: str, start: int, mark: str) -> _Parts:
    """Take the lines that look like keys as the block; a rule above prose is no block."""
    end, seen = start, False
    for line in split_lines(text[start:]):
        if not (_KEY_LINE.match(line) or (seen and (_ITEM_LINE.match(line) or line.startswith("#")))):
            break
        end, seen = end + len(line), True
    if not seen:
        return _Parts(mark, "", "", text[len(mark) :])
    if not text[:end].endswith("\n"):
        return _Parts(text[:start], text[start:end] + "\n", "", text[end:])
    return _Parts(text[:start], text[start:end], "", text[end:])


def _parse(block: str) -> dict[str, Any] | None:
    """Return the mapping, {} for an empty block, None for anything else."""
    try:
        meta = YAMLHandler().load(block, Loader=_Loader)
    except _READ_ERRORS:
        return None
    if isinstance(meta, dict):
        return {key: value for key, value in meta.items() if isinstance(key, str)}
    return {} if meta is None or (meta == "" and not block.strip()) else None


def _read_lines(block: str) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    key = ""
    for line in split_lines(block):
        if match := _KEY_LINE.match(line):
            key = match[1].strip()
            meta[key] = _unquote(match[2] or "")
        elif key and (item := _ITEM_LINE.match(line)) and (meta[key] == "" or isinstance(meta[key], list)):
            meta[key] = [*(meta[key] or []), _unquote(item[1])]
    return meta


def _unquote(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value


def _line_spans(lines: list[str]) -> list[_Span]:
    starts = [(i, m[1].strip()) for i, line in enumerate(lines) if (m := _KEY_LINE.match(line))]
    return _close_spans(lines, starts)


def _yaml_spans(block: str) -> list[_Span] | None:
    """Return the spans of a block mapping at column 0; None when lines cannot tell its keys apart."""
    root = yaml.compose(block, Loader=_Loader)
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    keys = [key for key, _ in root.value]
    if any(key.start_mark.column != 0 or not isinstance(key, yaml.ScalarNode) for key in keys):
        return None
    return _close_spans(split_lines(block), [(key.start_mark.line, key.value) for key in keys])


def _close_spans(lines: list[str], starts: list[tuple[int, str]]) -> list[_Span]:
    """End each span where the next begins, without the comments and blank lines before that one."""
    ends = [*(start for start, _ in starts[1:]), len(lines)][: len(starts)]
    spans = []
    for (start, key), end in zip(starts, ends, strict=True):
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        spans.append(_Span(key, start, end))
    return spans


def _edit(lines: list[str], spans: list[_Span], changes: Mapping[str, object], newline: str) -> str:
    pending = {key: _dump({key: value}).replace("\n", newline) for key, value in changes.items() if value is not None}
    out, at = [], 0
    for span in spans:
        out += lines[at : span.start]
        kept = lines[span.start : span.end] if span.key not in changes else [pending.pop(span.key, "")]
        out, at = out + kept, span.end
    block = "".join(out + lines[at:])
    if pending and block and not block.endswith("\n"):
        block += newline
    return block + "".join(pending.values())


def _wanted(old: Mapping[str, Any], changes: Mapping[str, object]) -> dict[str, Any]:
    merged = {key: value for key, value in old.items() if key not in changes or changes[key] is not None}
    fresh = {key: value for key, value in changes.items() if value is not None}
    return merged | (_parse(_dump(fresh)) or {})


def _dump(fields: Mapping[str, object]) -> str:
    return "".join(
        yaml.safe_dump({key: value}, allow_unicode=True, default_flow_style=False, width=1_000_000)
        for key, value in fields.items()
    )

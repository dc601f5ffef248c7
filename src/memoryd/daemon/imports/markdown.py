"""Memories in Markdown: Claude's auto memory, Codex's memories, basic-memory's notes, rule files.

Looked at: Claude Code 2.1 (one fact a file, `type` at the top level or under `metadata`; notes without frontmatter
before), Codex 0.171 (`memories/MEMORY.md`), basic-memory 0.15 (observations in brackets), rule files as their hosts
document them.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from memoryd.daemon.imports.found import Memory
from memoryd.ipc.events import Tier
from memoryd.memory import entries, frontmatter
from memoryd.memory.model import EntryType
from memoryd.memory.scan import threats

_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK_ONLY = re.compile(r"\[[^\]]*\]\([^)]*\.md\)")
_NO_TEXT = re.compile(r"\s*(?:\||[-=*_]{3,}\s*$|@\S+\s*$)")
_PLACE = re.compile(r"# Task Group:|applies_to:")
_APPLIES = re.compile(r"cwd=(/[^;,]+?)(?=;|,| and |$)")
_CODEX_HEAD = re.compile(r"(?:scope|applies_to):")
_CODEX_LISTS = ("rollout_summary_files", "keywords")
_TASK = re.compile(r"(?:\s*\[Task \d+\])+$")
_OBSERVATION = re.compile(r"\[([\w -]{1,40})\]\s+(.*)")
_HASHTAG = re.compile(r"(?<!\S)#([\w-]+)")
_AGENTS_SECTION = re.compile(r"gemini added memories|qwen added memories|added memories", re.IGNORECASE)


class Item(NamedTuple):
    """A list item or a paragraph."""

    line: int  #: of its first row, from 1
    text: str
    heading: str  #: the nearest one above it


def items(text: str) -> Iterator[Item]:
    """The list items and paragraphs of a text; code, tables, comments and headings say nothing that is kept."""
    ends = text.rfind("-->") + 1  # what is never closed is no comment, and is not looked for again and again
    blank = _COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text[: ends + 2]) + text[ends + 2 :]
    heading, start, rows, fenced = "", 0, list[str](), False
    for number, row in enumerate([*blank.split("\n"), ""], start=1):
        title, item = _HEADING.match(row), _ITEM.match(row)
        fence = bool(_FENCE.match(row))
        if rows and (item or title or fence or fenced or not row.strip() or _NO_TEXT.match(row)):
            yield Item(start, " ".join(rows), heading)
            rows = []
        fenced = fenced != fence
        if title:
            heading = title[1].strip()
        elif not (fenced or fence or _NO_TEXT.match(row)) and row.strip():
            start = start if rows else number
            rows.append((item[1] if item else row).strip())


def is_basic_memory(head: str) -> bool:
    """Whether a note has the permalink and the observations of basic-memory."""
    document = frontmatter.read(head)
    return "permalink" in document.meta and bool(re.search(r"^\s*-\s+\[[\w -]{1,40}\]\s", document.body, re.MULTILINE))


def _claude(text: str, at: datetime, mine: bool) -> Iterator[Memory]:
    """One memory a file; a file without frontmatter is notes, an index of links nothing."""
    document = frontmatter.read(text)
    if not document.meta:
        yield from _notes(text, at)
        return
    nested = document.meta.get("metadata")
    meta = {**document.meta, **(nested if isinstance(nested, dict) else {})}
    entry = entries.parse("", entries.render({key: v for key, v in meta.items() if isinstance(v, str)}, document.body))
    if entry.body:
        yield Memory(
            text=entry.body, tier=Tier.HOST, at=entry.updated_at or at, place=f"line {_body_line(text)}",
            name=entry.name, description=entry.description, kind=entry.type,
        )  # fmt: skip


def _notes(text: str, at: datetime, mine: bool = False) -> Iterator[Memory]:
    for item in items(text):
        if not _LINK_ONLY.match(item.text):
            yield Memory(text=item.text, tier=Tier.HOST, at=at, place=f"line {item.line}", description=item.heading)


def _codex(text: str, at: datetime, mine: bool) -> Iterator[Memory]:
    """Groups of tasks, each of a working directory; what names rollouts and keywords is for its own search."""
    places = {number: _cwd_of(row) for number, row in enumerate(text.split("\n"), start=1) if _PLACE.match(row)}
    heads = list(places)
    for item in items(text):
        if item.heading in _CODEX_LISTS or _CODEX_HEAD.match(item.text) or _LINK_ONLY.match(item.text):
            continue
        above = bisect_right(heads, item.line)
        yield Memory(
            text=_TASK.sub("", item.text), tier=Tier.HOST, at=at, place=f"line {item.line}", description=item.heading,
            cwd=places[heads[above - 1]] if above else None,
        )  # fmt: skip


def _cwd_of(row: str) -> str | None:
    """The working directory of a group, None at the head of one that has not told it yet."""
    found = _APPLIES.search(row)
    return found[1].strip() if found else None


def _basic_memory(text: str, at: datetime, mine: bool) -> Iterator[Memory]:
    document = frontmatter.read(text)
    title = str(document.meta.get("title") or "")
    above = text.count("\n") - document.body.count("\n")
    for item in items(document.body):
        observed = _OBSERVATION.match(item.text)
        if observed:
            tags = tuple(dict.fromkeys([observed[1].strip(), *_HASHTAG.findall(observed[2])]))[:8]
            yield Memory(
                text=observed[2], gist=_HASHTAG.sub("", observed[2]).strip(), tier=Tier.HOST, at=at,
                place=f"line {above + item.line}", description=title, kind=EntryType.REFERENCE, tags=tags,
            )  # fmt: skip


def _rules(text: str, at: datetime, mine: bool) -> Iterator[Memory]:
    """What an agent added by its own tool, under a heading of its own, is the agent's.

    Nobody vouches unread for a line that shows signs of an attack: a rule file may have been written by another hand.
    """
    body = frontmatter.read(text).body
    above = text.count("\n") - body.count("\n")
    for item in items(body):
        by_agent = bool(_AGENTS_SECTION.search(item.heading))
        doubted = mine and not by_agent and bool(threats(item.text))
        tier = Tier.HOST if by_agent else Tier.USER if mine and not doubted else Tier.REPOSITORY
        yield Memory(
            text=item.text, tier=tier, at=at, place=f"line {above + item.line}", description=item.heading,
            doubted=doubted,
        )  # fmt: skip


def _body_line(text: str) -> int:
    head, body = frontmatter.split(text)
    return head.count("\n") + 1 + len(body) - len(body.lstrip("\n"))


READERS: Mapping[str, Callable[[str, datetime, bool], Iterator[Memory]]] = {
    "claude-memory": _claude, "codex-memory": _codex, "basic-memory": _basic_memory, "rule-file": _rules,
}  # fmt: skip

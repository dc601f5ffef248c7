"""TOML settings files: our tables are put at the end of the file, and taken out as the piece of text they are.

An inline table takes ours inside its braces. Where the person or the host changed something in ours, it is taken out by
its keys, by tomlkit, which keeps comments, order and quotes. What comes out is read again before it is used.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from memoryd.daemon.install.entries import Before, Presence, is_ours
from memoryd.daemon.install.jsonedit import BOM, fault
from memoryd.ipc.hosts.plans.base import Entry, Settings

_BARE = re.compile(r"[A-Za-z0-9_-]+")


class TomlEditor:
    """Members in TOML files. See `entries.SpanEditor`."""

    def put_in(self, text: str, name: str, settings: Settings) -> tuple[str, Before]:
        pieces = dict[str, str]()
        for entry in settings.entries:
            if _descend(_parse(text, name), entry.at) is None:
                added = _put(text, name, entry)
                pieces[".".join(entry.at)] = _piece(text, added)
                text = added
        return text, Before(blank=not text.strip(f"{BOM} \t\r\n"), pieces=pieces)

    def take_out(self, text: str, name: str, settings: Settings, before: Before) -> str:
        for at, _ in self.handlers(text, name, settings):
            text = _take(text, name, at, before.pieces.get(".".join(at), ""))
        return text

    def presence(self, text: str, name: str, settings: Settings) -> Presence:
        found = self.handlers(text, name, settings)
        right = [self._is_right(_parse(text, name), entry) for entry in settings.entries]
        return Presence(
            ours=len(found), exact=all(right) and {at for at, _ in found} <= {e.at for e in settings.entries}
        )

    def data(self, text: str, name: str) -> Any:
        return _parse(text, name)

    def handlers(self, text: str, name: str, settings: Settings) -> list[tuple[tuple[str, ...], Any]]:
        return list(_ours(_parse(text, name), settings))

    def _is_right(self, data: dict[str, Any], entry: Entry) -> bool:
        value = _descend(data, entry.at)
        return value is not None and (not is_ours(value) or entry.value.items() <= value.items())


def _parse(text: str, name: str) -> dict[str, Any]:
    """:raises ConfigError: no TOML; the sentence names line and column"""
    bare = text.removeprefix(BOM)
    try:
        return tomllib.loads(bare)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"(.+) \(at line (\d+), column (\d+)\)", str(error))
        what, line, column = (found[1], int(found[2]), int(found[3])) if found else (str(error), 0, 0)
        rows = text.splitlines(keepends=True)
        at = sum(map(len, rows[: line - 1])) + column - 1 if line else len(text)
        raise fault(text, at, name, what) from error


def _ours(data: dict[str, Any], settings: Settings) -> Iterator[tuple[tuple[str, ...], Any]]:
    for above in sorted({entry.at[:-1] for entry in settings.entries}):
        members = _descend(data, above)
        for key, value in members.items() if isinstance(members, dict) else ():
            if is_ours(value):
                yield (*above, key), value


def _descend(data: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _put(text: str, name: str, entry: Entry) -> str:
    wanted = _with(_parse(text, name), entry)
    for added in (_appended(text, entry), *_inlined(text, entry)):
        if _reads_as(added, wanted):
            return added
    at = text.find(entry.at[0])
    raise fault(text, max(at, 0), name, f"{entry.at[0]} is written so that nothing can be added to it")


def _appended(text: str, entry: Entry) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    rows = [f"[{'.'.join(map(_key, entry.at))}]", *(f"{_key(k)} = {_value(v)}" for k, v in entry.value.items())]
    before = "" if not text.strip(BOM) else newline if text.endswith("\n") else newline * 2
    return f"{text}{before}{newline.join(rows)}{newline}"


def _inlined(text: str, entry: Entry) -> Iterator[str]:
    """Our table before each closing brace; of these texts one reads as it shall."""
    inner = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in entry.value.items())
    for found in reversed(list(re.finditer(r"\s*\}", text))):
        for comma in (", ", ""):
            yield f"{text[: found.start()]}{comma}{_key(entry.at[-1])} = {{{inner}}}{text[found.start() :]}"


def _take(text: str, name: str, at: tuple[str, ...], piece: str) -> str:
    wanted = _without(_parse(text, name), at)
    for left in (text.replace(piece, "", 1), _without_rows(text, piece)):
        if piece and _reads_as(left, wanted):
            return left
    import tomlkit

    document: Any = tomlkit.parse(text.removeprefix(BOM))
    trail = [document]
    for key in at[:-1]:
        trail.append(trail[-1][key])
    for table, key in zip(reversed(trail), reversed(at), strict=True):
        del table[key]
        if table:
            break
    left = (BOM if text.startswith(BOM) else "") + tomlkit.dumps(document)
    if not _reads_as(left, wanted):
        raise fault(text, max(text.find(at[-1]), 0), name, f"{'.'.join(at)} cannot be taken out; take it out by hand")
    return left


def _without_rows(text: str, piece: str) -> str:
    """The text without the rows that were put in; what was written between them stays."""
    at = 0
    for row in piece.strip().splitlines(keepends=True):
        at = max(text.find(row, at), 0)
        text = text[:at] + text[at:].replace(row, "", 1)
    return text


def _piece(before: str, after: str) -> str:
    """The text that was put in, where nothing else was changed; else ''."""
    same = next((n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), len(before))
    end = same + len(after) - len(before)
    return after[same:end] if before[same:] == after[end:] else ""


def _with(data: dict[str, Any], entry: Entry) -> dict[str, Any]:
    wanted = deepcopy(data)
    table: Any = wanted
    for key in entry.at[:-1]:
        if not isinstance(table, dict):
            return wanted
        table = table.setdefault(key, {})
    if isinstance(table, dict):
        table[entry.at[-1]] = dict(entry.value)
    return wanted


def _without(data: dict[str, Any], at: tuple[str, ...]) -> dict[str, Any]:
    """The data without a member, in a form in which an empty table counts as none."""
    wanted = deepcopy(data)
    table: Any = wanted
    for key in at[:-1]:
        table = table[key]
    del table[at[-1]]
    return wanted


def _reads_as(text: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return bool(_full(tomllib.loads(text.removeprefix(BOM))) == _full(wanted))
    except tomllib.TOMLDecodeError:
        return False


def _full(value: Any) -> Any:
    """Without empty tables: whether a table that we alone had filled stays is all the same."""
    if isinstance(value, dict):
        return {key: inner for key, v in value.items() if (inner := _full(v)) != {}}
    return value


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value: Any) -> str:
    """A string, a number, a truth value or a list of these: written as in JSON."""
    return json.dumps(value, ensure_ascii=False)

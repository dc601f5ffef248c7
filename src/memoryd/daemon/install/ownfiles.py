"""Whole files of ours, plugins and the skill: written, renewed, taken out, and never over what a person made."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from memoryd import seeds
from memoryd.daemon.install import records
from memoryd.daemon.install.changes import Change, change, read
from memoryd.daemon.install.records import Rows
from memoryd.daemon.install.targets import Target
from memoryd.memory.aside import digest


def put_in(target: Target, rows: Rows, notes: list[str], env: Mapping[str, str]) -> Iterator[Change]:
    """The changes; the files' rows are put into `rows`, and what stays as a person made it is told in `notes`."""
    for file in target.wants.files:
        current, row = read(file.path), rows.pop(str(file.path), None)
        if current in (None, file.content) or records.is_as_written(current, row):
            rows[str(file.path)] = records.of_file(target, file.content)
            yield change("plugin", file.path, file.content, mode=0o644)
        else:
            notes.append(_stays(file.path))
    if target.skill:
        yield from _skill(target.skill, notes, seeds.pick_language(env))


def take_out(target: Target, rows: Rows, notes: list[str]) -> Iterator[Change]:
    for file in target.wants.files:
        current, row = read(file.path), rows.pop(str(file.path), None)
        if current == file.content or records.is_as_written(current, row):
            yield change("plugin", file.path, None)
        elif current is not None:
            notes.append(_stays(file.path))
    current = read(target.skill) if target.skill else None
    if target.skill and current is not None:
        if _is_our_skill(current):
            yield change("skill", target.skill, None)
        else:
            notes.append(_stays(target.skill))


def changed(target: Target, rows: Rows) -> list[Path]:
    """The plugin files that a person changed: neither renewed nor taken out."""
    found = [(file, read(file.path)) for file in target.wants.files]
    return [
        file.path
        for file, current in found
        if current not in (None, file.content) and not records.is_as_written(current, rows.get(str(file.path)))
    ]


def _skill(path: Path, notes: list[str], language: str) -> Iterator[Change]:
    current = read(path)
    if current is None:
        yield change("skill", path, seeds.files(language)["SKILL.md"], mode=0o644)
    elif _is_our_skill(current):
        yield change("skill", path, seeds.upgraded_skill(current, language) or current)
    else:
        notes.append(_stays(path))


def _stays(path: Path) -> str:
    return f"{path} was changed by a person and stays as it is"


def _is_our_skill(content: bytes) -> bool:
    return digest(content) in seeds.shipped_hashes()

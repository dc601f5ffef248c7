"""Team memory: Markdown files in a repository, shown as quoted facts once a person has looked at them. Pure.

Whoever writes to the repository writes them, so they are of tier repository: never core files, never instructions.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from memoryd.ipc.events import Tier
from memoryd.ipc.sanitise import sanitise
from memoryd.memory.catalogue import Catalogue, Known, known_of
from memoryd.memory.changes import readable
from memoryd.memory.model import INDEX_FILE, SKILL_FILE, EntryType, FileKey, Root
from memoryd.memory.scan import threats
from memoryd.memory.text import fold

FOLDER = Path(".memoryd/memory")  #: below the root of a repository
MAX_FILES, MAX_BYTES = 500, 2 * 1024 * 1024  #: of all files together; what is beyond is neither listed nor shown


def facts(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files that say something: not the index and the skill, which every memory directory has."""
    named = sorted(path for path in files if path not in (INDEX_FILE, SKILL_FILE))
    sizes = accumulate(len(files[path]) for path in named[:MAX_FILES])
    return {path: files[path] for path, size in zip(named, sizes, strict=False) if size <= MAX_BYTES}


def catalogue(files: Mapping[str, bytes]) -> Catalogue:
    """Return what may be shown of trusted files: each one an entry, whatever it calls itself.

    A file with signs of an attack is left out, trusted or not.
    """
    texts = {FileKey(Root.TEAM, path): sanitise(readable(content)) for path, content in files.items()}
    safe = {key: text for key, text in texts.items() if not threats(readable(files[key.path]))}
    return Catalogue(entries=tuple(_as_fact(known_of(key, text)) for key, text in safe.items()), files=safe)


def beside(own: Catalogue, shown: Catalogue) -> Catalogue:
    """Return memory with that of a team; an entry of one's own stands for the team's of the same name."""
    if not shown.entries:
        return own.joined(shown)
    taken = {name for known in own.entries if known.entry.active for name in _names(known)}
    others = tuple(known for known in shown.entries if taken.isdisjoint(_names(known)))
    return own.joined(replace(shown, entries=others))


def _names(known: Known) -> tuple[str, str]:
    return fold(known.entry.slug), fold(known.entry.name)


def _as_fact(known: Known) -> Known:
    entry = known.entry
    kind = entry.type if entry.type in (EntryType.PROJECT, EntryType.REFERENCE) else EntryType.PROJECT
    return replace(known, entry=replace(entry, type=kind, tier=Tier.REPOSITORY, importance=0.4, expires_at=None))

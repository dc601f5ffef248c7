"""The files of a new memory directory, one set for each language."""

import hashlib
from importlib.resources import files as resource_files

LANGUAGES = ("en", "zh")
NAMES = ("SKILL.md", "MEMORY.md", "identity.md", "user.md", "preferences.md", "constraints.md")
#: sha256 of each SKILL.md that an earlier release shipped; add the old hash here whenever the text changes
_EARLIER_SKILLS: frozenset[str] = frozenset()


def files(language: str) -> dict[str, bytes]:
    """Return the content of each seeded file by its path; an unknown language is English."""
    folder = resource_files("memoryd.seeds") / (language if language in LANGUAGES else "en")
    return {name: (folder / name).read_bytes() for name in NAMES}


def shipped_hashes() -> frozenset[str]:
    """Return the sha256 (hex) of every SKILL.md we ever shipped: only such a file may be replaced at an upgrade."""
    current = (hashlib.sha256(files(language)["SKILL.md"]).hexdigest() for language in LANGUAGES)
    return _EARLIER_SKILLS | frozenset(current)


def upgraded_skill(current: bytes, language: str) -> bytes | None:
    """Return the SKILL.md to put in the place of `current`; None when a person changed it or it is up to date."""
    newest = files(language)["SKILL.md"]
    ours = hashlib.sha256(current).hexdigest() in shipped_hashes()
    return newest if ours and current != newest else None

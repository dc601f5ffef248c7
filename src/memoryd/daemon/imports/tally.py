"""What an import has done so far."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts. A dry run counts what is there, known or not."""

    files_done: int = 0
    files_unchanged: int = 0  #: taken in by an earlier import, not read again
    bytes_done: int = 0
    added: int = 0  #: events that are new here
    sessions: int = 0  #: that got events
    gone: int = 0  #: sessions whose folder is gone: they are found, no memory is made of them
    messages: int = 0
    turns: int = 0
    known: int = 0  #: events that were here already
    removed: int = 0  #: events that were removed here for good, and stay out
    off_record: int = 0  #: events of a time or a folder that is not recorded
    memories: int = 0  #: read from notebooks
    kept: int = 0  #: memories that were written
    waiting: int = 0  #: memories that wait for a person's word
    duplicates: int = 0  #: memories that are there already
    refused: int = 0  #: memories that a gate refused
    unplaced: int = 0  #: memories of a project that is not known here
    left: int = 0  #: memories that there was no room for; search finds them among what was said
    doubted: list[tuple[Path, str]] = field(default_factory=list)  #: lines of the user's rules with signs of an attack
    runs: list[str] = field(default_factory=list)
    dirs: set[Path] = field(default_factory=set)  #: whose sessions got events
    chars: dict[Path, int] = field(default_factory=dict)  #: of a dry run: what an agent would read, by directory

"""Which root a memory belongs to (DESIGN.md 5.3, "Routing")."""

import re
from typing import assert_never

from memoryd.memory.model import EntryType, Root
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Summary

_USER_FILES = frozenset({"user.md", "identity.md", "preferences.md"})
_EVERYWHERE = re.compile(
    r"\b(?:always|everywhere|globally|in general"
    r"|(?:all|any|every|each)(?: of)?(?: my| our| the)? (?:projects?|repos?|repositor(?:y|ies)))\b"
    r"|以后都|以后一律|(?:所有|每个|任何|全部)(?:的)?(?:项目|仓库|工程)|到处|全局|总是|一律|无论(?:哪个|什么)项目",
    re.IGNORECASE,
)


def claims_every_project(words: str) -> bool:
    """Whether the words ask for more than the project at hand: always, everywhere, 以后都."""
    return bool(_EVERYWHERE.search(words))


def root_of_file(path: str, *, has_project: bool = True) -> Root:
    """Return the root of a core file, a procedure or a session summary."""
    return Root.USER if path in _USER_FILES or not has_project else Root.PROJECT


def root_of_entry(kind: EntryType, words: str, *, has_project: bool = True) -> Root:
    """Return the root of an entry; feedback is the project's unless its words claim all projects."""
    widely = kind is EntryType.USER or (kind is EntryType.FEEDBACK and claims_every_project(words))
    return Root.USER if widely or not has_project else Root.PROJECT


def root_of(proposal: Proposal, *, has_project: bool) -> Root:
    """Return the root that a proposal names, else the one its file, type or words belong to."""
    if proposal.root is not None:
        return proposal.root if has_project else Root.USER
    match proposal:
        case Save():
            words = f"{proposal.name}\n{proposal.description}\n{proposal.content}"
            return root_of_entry(proposal.type, words, has_project=has_project)
        case Lines():
            return root_of_file(proposal.file, has_project=has_project)
        case Archive() | Summary():
            return root_of_file("", has_project=has_project)
        case _:
            assert_never(proposal)

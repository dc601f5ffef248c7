"""A descriptor's id -> the text that it stands for. Blocking."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memoryd.daemon import checkpoint, descriptors, keeping, originals
from memoryd.daemon.journal import large
from memoryd.daemon.journal.notes import KeptNotes
from memoryd.daemon.journal.store import Store
from memoryd.errors import NotFound
from memoryd.memory.labels import Labels
from memoryd.memory.model import Root


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfolded:
    root: Root
    kind: str
    name: str
    text: str  #: whole, not cleaned
    state: descriptors.State = ""  #: of the file that it came from


FromProvider = Callable[[str, str], tuple[str, ...]]


def unfold(
    journal: Store, ident: tuple[str, int], roots: Mapping[Root, Path], words: Labels, provider: FromProvider
) -> Unfolded:
    """Return what a descriptor of these memory directories stands for.

    :param provider: what an external memory provider wanted kept of a session, by host and id
    :raises NotFound: nothing of that id is kept, or it is another project's
    """
    kind, number = ident
    if kind == descriptors.NOTE:
        return _note(journal, number, roots)
    if kind == descriptors.CHECKPOINT:
        return _checkpoint(journal, number, roots, words, provider)
    found = large.of_event(journal, number)
    root = root_of(_own(roots), found.dir, ident)
    text, state = originals.read(found)
    return Unfolded(root=root, kind="event", name=found.name, text=text, state=state)


def _note(journal: Store, number: int, roots: Mapping[Root, Path]) -> Unfolded:
    note = KeptNotes(journal).get(number)
    steps = [f"- [{'x' if step.done else ' '}] {n}. {step.text}" for n, step in enumerate(note.steps, start=1)]
    return Unfolded(
        root=root_of(roots, note.dir, (descriptors.NOTE, number)), kind=note.kind.value,
        name=note.file or f"note {number}", text="\n".join([note.text, *steps]), state=keeping.state(note),
    )  # fmt: skip


def _checkpoint(
    journal: Store, number: int, roots: Mapping[Root, Path], words: Labels, provider: FromProvider
) -> Unfolded:
    session = large.session_of(journal, number)
    root = root_of(_own(roots), Path(session["dir"]), (descriptors.CHECKPOINT, number))
    found = checkpoint.of(journal, session["host"], session["session_id"])
    if found is None:
        raise NotFound(f"checkpoint:{number} holds nothing yet: its session has asked nothing")
    found = replace(found, provider=provider(session["host"], session["session_id"]))
    name = f"{session['host']}/{session['session_id']}"
    return Unfolded(root=root, kind="checkpoint", name=name, text=checkpoint.render(found, words.resumption))


def _own(roots: Mapping[Root, Path]) -> Mapping[Root, Path]:
    """Where what was said is read from: the project alone, as `session.search` does; without one the user's."""
    root = Root.PROJECT if Root.PROJECT in roots else Root.USER
    return {root: roots[root]} if root in roots else {}


def root_of(roots: Mapping[Root, Path], directory: Path, ident: tuple[str, int]) -> Root:
    """The root that holds what a descriptor's id stands for. :raises NotFound: none of these does"""
    for root, path in roots.items():
        if path == directory:
            return root
    raise NotFound(f"{ident[0]}:{ident[1]} belongs to another project; ask from its directory (`cwd`)")

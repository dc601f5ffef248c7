"""Drafts in any order with a person who writes, removes and undoes between them: the promises of a draft, each time."""

from collections.abc import Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from unit.memory.test_draft import PROPOSALS, WORDS, Base, a_base, after, drafted

from memoryd.memory import entries
from memoryd.memory.acceptance import check_draft
from memoryd.memory.changes import Draft, decode
from memoryd.memory.draft_rules import LOST_LINES, LOST_SHARE, active_lines
from memoryd.memory.model import CORE_FILES, EntryType, FileKey, Root
from memoryd.memory.proposals import Proposal
from memoryd.memory.text import bare, fold
from memoryd.memory.undoing import Past, reverse

SMALL_TOTALS = dict.fromkeys(EntryType, 60)


class Drafts(RuleBasedStateMachine):
    """Files of two roots; `mine` are the lines that the person wrote, each unlike any other."""

    def __init__(self) -> None:
        super().__init__()
        self.files: Base = {key: text for key, text in a_base().items() if key.root is not Root.TEAM}
        self.cited: dict[tuple[FileKey, str], Sequence[int]] = {}
        self.mine: dict[str, FileKey] = {}  #: line -> the file that it was written into
        self.past: list[list[Past]] = []  #: of each run and undo that can be taken back
        self.number = 0

    def ours(self, key: FileKey, line: str) -> Sequence[int] | None:
        return self.cited.get((key, fold(line)))

    @rule(proposals=st.lists(PROPOSALS, max_size=5), core_chars=st.sampled_from([40, 2_000]), full=st.booleans())
    def run(self, proposals: list[Proposal], core_chars: int, full: bool) -> None:
        options: dict[str, Any] = {
            "ours": self.ours,
            "core_chars": core_chars,
            "type_totals": SMALL_TOTALS if full else None,
        }
        before = dict(self.files)
        draft = drafted(self.files, *proposals, **options)
        assert drafted(self.files, *proposals, **options) == draft
        assert self.files == before
        if check_draft(draft, before) is not None:
            return
        self.files = after(before, draft)
        self.cited |= {(cited.key, fold(cited.line)): cited.seqs for cited in draft.citations}
        self.past.append([Past(key=key, before=old, after=new) for key, (old, new) in draft.changes.items()])
        self._few_lines_are_lost(before, draft)
        self._no_slug_stands_twice(before)
        self._what_the_person_wrote_stays()

    @precondition(lambda self: self.files)
    @rule(data=st.data(), word=WORDS, mark=st.sampled_from(["- ", "", "* ", "## "]))
    def person_writes(self, data: st.DataObject, word: str, mark: str) -> None:
        key = data.draw(st.sampled_from(sorted(self.files)))
        self.number += 1
        line = f"mine {self.number} {word}"
        text = decode(self.files[key])
        self.files[key] = f"{text}{'' if text.endswith(chr(10)) else chr(10)}{mark}{line}\n".encode()
        self.mine[line] = key

    @precondition(lambda self: self.mine)
    @rule(data=st.data())
    def person_removes_a_line(self, data: st.DataObject) -> None:
        line = data.draw(st.sampled_from(sorted(self.mine)))
        for key, text in self.files.items():
            rows = decode(text).split("\n")
            self.files[key] = "\n".join(row for row in rows if bare(row) != line).encode()
        del self.mine[line]

    @precondition(lambda self: self.files)
    @rule(data=st.data())
    def person_deletes_a_file(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.files)))
        gone = decode(self.files.pop(key))
        self.mine = {line: where for line, where in self.mine.items() if line not in gone}

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        """Once each; that undo can be undone."""
        past = self.past.pop(data.draw(st.integers(0, len(self.past) - 1)))
        at_once = all(self.files.get(one.key) == one.after for one in past)
        back = reverse(past, self.files)
        for key, (now, wanted) in back.changes.items():
            assert self.files.get(key) == now
            self.files.pop(key, None)
            if wanted is not None:
                self.files[key] = wanted
        if at_once:
            assert not back.conflicts
            assert all(self.files.get(one.key) == one.before for one in past)
        self.past.append([Past(key=key, before=now, after=wanted) for key, (now, wanted) in back.changes.items()])
        self._what_the_person_wrote_stays()

    # what must be true

    def _what_the_person_wrote_stays(self) -> None:
        said = {key: {bare(row) for row in decode(text).split("\n")} for key, text in self.files.items()}
        for line, key in self.mine.items():
            places = [key] if key.path in CORE_FILES else list(said)
            assert any(line in said.get(place, ()) for place in places), f"{line!r} of {key} is gone"

    def _few_lines_are_lost(self, before: Base, draft: Draft) -> None:
        """Counted anew: a line is kept where any file says it, and given up where a proposal replaced it."""
        stood = [fold(line) for line in active_lines(before)]
        said = {fold(bare(row)) for text in self.files.values() for row in decode(text).split("\n")}
        given_up = {fold(line) for _, line in draft.replaced}
        lost = [line for line in stood if line not in said | given_up]
        assert len(lost) <= max(LOST_LINES, int(len(stood) * LOST_SHARE))

    def _no_slug_stands_twice(self, before: Base) -> None:
        assert _twice(self.files) <= _twice(before)


def _twice(files: Base) -> set[str]:
    """Slugs that more than one active entry has, where case does not count."""
    slugs = [
        slug.casefold()
        for key, text in files.items()
        if (slug := entries.slug_of(key.path)) and entries.parse(slug, decode(text)).active
    ]
    return {slug for slug in slugs if slugs.count(slug) > 1}


TestDrafts = Drafts.TestCase
TestDrafts.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd import seeds
from memoryd.memory import draft, entries, lines
from memoryd.memory.changes import Draft, decode
from memoryd.memory.draft import build
from memoryd.memory.earlier import EARLIER_CHARS
from memoryd.memory.model import CORE_FILES, EntryStatus, EntryType, FileKey, Root
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Summary, Supersede
from memoryd.memory.text import bare, fold

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PREFERENCES = FileKey(Root.USER, "preferences.md")
CONSTRAINTS = FileKey(Root.PROJECT, "constraints.md")
DB = FileKey(Root.PROJECT, "knowledge/db.md")
DB_V1 = FileKey(Root.PROJECT, "knowledge/db_v1.md")
Base = dict[FileKey, bytes]


def a_base(language: str = "en") -> Base:
    return {FileKey(root, name): seeds.files(language)[name] for root in Root for name in CORE_FILES}


def nobody(key: FileKey, line: str) -> Sequence[int] | None:
    return None


def drafted(base: Mapping[FileKey, bytes], *proposals: Proposal, has_project: bool = True, **more: object) -> Draft:
    options: dict[str, object] = {"ours": nobody, **more}
    return build(
        base,
        proposals,
        now=NOW,
        has_project=has_project,
        sources=lambda seqs: [f"claude-code/s#{seq}" for seq in seqs],
        **options,  # type: ignore[arg-type]
    )


def after(base: Mapping[FileKey, bytes], draft: Draft) -> Base:
    files = {**base, **{key: new for key, (_, new) in draft.changes.items() if new is not None}}
    return {key: text for key, text in files.items() if draft.changes.get(key, (None, text))[1] is not None}


def a_save(content: str = "Postgres, for its JSON.", **more: object) -> Save:
    return Save.model_validate(
        {"slug": "db", "name": "Database", "type": "project", "content": content, "cites": (1,), **more}
    )


def text_of(files: Mapping[FileKey, bytes], key: FileKey) -> str:
    return decode(files[key])


# lines


def test_new_lines_go_under_the_seeded_heading_with_their_citations() -> None:
    base = a_base()
    draft = drafted(base, Lines(file="preferences.md", add=("short commits", "tabs"), cites=(3, 4)))
    assert list(draft.changes) == [PREFERENCES]
    old, new = draft.changes[PREFERENCES]
    assert old == base[PREFERENCES]
    assert new == base[PREFERENCES] + b"\n- short commits\n- tabs\n"
    assert [(c.key, c.line, c.seqs) for c in draft.citations] == [
        (PREFERENCES, "short commits", (3, 4)),
        (PREFERENCES, "tabs", (3, 4)),
    ]


def test_a_line_that_is_there_already_changes_nothing() -> None:
    base = {**a_base(), PREFERENCES: b"- Short   commits\n"}
    draft = drafted(base, Lines(file="preferences.md", add=("short commits",), cites=(1,)))
    assert not draft.changes
    assert len(draft.unchanged) == 1


def test_a_replacement_keeps_its_place_and_one_whose_line_is_gone_is_dropped() -> None:
    base = {**a_base(), PREFERENCES: b"- a\n- tabs\n- c\n"}
    proposal = Lines(
        file="preferences.md", replace=(("Tabs", "spaces"), ("gone", "x")), remove=("c", "never"), cites=(1,)
    )
    draft = drafted(base, proposal)
    assert draft.changes[PREFERENCES][1] == b"- a\n- spaces\n"
    assert [d.proposal for d in draft.dropped] == [Lines(file="preferences.md", replace=(("gone", "x"),), cites=(1,))]
    assert draft.replaced == ((PREFERENCES, "tabs"),)


def test_a_replacement_by_a_line_that_stands_elsewhere_leaves_one() -> None:
    draft = drafted({PREFERENCES: b"- a\n- b\n"}, Lines(file="preferences.md", replace=(("a", "b"),), cites=(1,)))
    assert draft.changes[PREFERENCES][1] == b"- b\n"


def test_lines_are_changed_in_the_root_that_holds_them() -> None:
    other = FileKey(Root.USER, "constraints.md")
    base = {CONSTRAINTS: b"- x\n", other: b"- never push\n"}
    draft = drafted(base, Lines(file="constraints.md", replace=(("never push", "push on Fridays"),), cites=(1,)))
    assert list(draft.changes) == [other]


def test_a_core_file_that_a_person_deleted_comes_back_with_the_line() -> None:
    assert drafted({}, Lines(file="user.md", add=("a",))).changes == {FileKey(Root.USER, "user.md"): (None, b"- a\n")}


def test_lines_of_an_entry_change_its_body_and_its_time() -> None:
    base = {DB: b"---\nname: Database\nown: x\n---\n- a\n- b\n"}
    draft = drafted(base, Lines(file="knowledge/db.md", replace=(("b", "c"),), cites=(2,)))
    assert text_of(after(base, draft), DB) == (
        "---\nname: Database\nown: x\nupdated_at: '2026-11-30T12:00:00.000Z'\n---\n- a\n- c\n"
    )
    gone = drafted({}, Lines(file="knowledge/db.md", add=("x",)))
    assert not gone.changes
    assert len(gone.dropped) == 1


def test_a_full_core_file_moves_the_oldest_lines_of_ours_and_never_a_persons() -> None:
    base = {**a_base(), PREFERENCES: b"- mine\n- old\n- older than it looks\n- recent\n"}
    seqs = {"old": (1,), "older than it looks": (2,), "recent": (3,)}

    def ours(key: FileKey, line: str) -> Sequence[int] | None:
        return seqs.get(line)

    draft = drafted(base, Lines(file="preferences.md", add=("new",), cites=(9,)), ours=ours, core_chars=24)
    files = after(base, draft)
    assert text_of(files, PREFERENCES) == "- mine\n- recent\n- new\n"
    moved = entries.parse("x", text_of(files, FileKey(Root.USER, "knowledge/preferences-earlier.md")))
    assert (moved.body, moved.type) == ("- old\n- older than it looks", EntryType.USER)
    assert moved.sources == ("claude-code/s#1", "claude-code/s#2")
    assert {(c.line, c.seqs) for c in draft.citations} == {
        ("new", (9,)), ("old", (1,)), ("older than it looks", (2,)),
    }  # fmt: skip
    full = drafted(base, Lines(file="preferences.md", add=("new",), cites=(9,)), core_chars=3)
    assert text_of(after(base, full), PREFERENCES).startswith("- mine\n- old\n")


# entries


def test_a_new_entry_has_its_frontmatter_and_a_citation_for_each_line() -> None:
    draft = drafted({}, a_save("Postgres.\n\n- for its JSON", tags=("db",), importance=0.8, description="Which: one"))
    entry = entries.parse("db", text_of(after({}, draft), DB))
    assert (entry.name, entry.description, entry.body) == ("Database", "Which: one", "Postgres.\n\n- for its JSON")
    assert (entry.created_at, entry.updated_at, entry.tags, entry.importance) == (NOW, NOW, ("db",), 0.8)
    assert entry.sources == ("claude-code/s#1",)
    assert [c.line for c in draft.citations] == ["Postgres.", "for its JSON"]


def test_an_update_archives_the_old_file_and_keeps_what_the_person_added() -> None:
    old = b"---\nname: Database\ncreated_at: 2026-01-01T00:00:00Z\nowner: me # kept\ntags: [t]\n---\nMySQL.\n"
    draft = drafted({DB: old}, a_save())
    files = after({DB: old}, draft)
    assert text_of(files, DB_V1) == old.decode().replace(
        "tags: [t]\n", "tags: [t]\nstatus: historical\nsuperseded_by: db\n"
    )
    new = text_of(files, DB)
    assert "owner: me # kept\n" in new
    entry = entries.parse("db", new)
    assert (entry.created_at, entry.updated_at, entry.tags) == (datetime(2026, 1, 1, tzinfo=UTC), NOW, ("t",))
    assert [(m.old, m.new, m.successor) for m in draft.archived] == [(DB, DB_V1, "db")]
    again = after(files, drafted(files, a_save("SQLite.")))
    assert FileKey(Root.PROJECT, "knowledge/db_v2.md") in again


def test_the_same_name_and_content_is_unchanged() -> None:
    base = after({}, drafted({}, a_save()))
    draft = drafted(base, a_save(description="other", cites=(5,)))
    assert not draft.changes
    assert draft.unchanged == (a_save(description="other", cites=(5,)),)


def test_an_entry_found_in_the_other_root_is_updated_there() -> None:
    key = FileKey(Root.USER, "knowledge/db.md")
    base = {key: b"---\nname: Database\ntype: feedback\n---\nMySQL.\n"}
    assert key in drafted(base, a_save()).changes


def test_a_name_that_differs_only_in_case_is_dropped() -> None:
    draft = drafted({FileKey(Root.PROJECT, "knowledge/DB.md"): b"x"}, a_save())
    assert not draft.changes
    assert "differs only in case" in draft.dropped[0].reason


def test_a_superseded_entry_stays_as_a_version_that_names_its_successor() -> None:
    base = after({}, drafted({}, a_save()))
    proposal = Supersede(
        slug="storage", name="Storage", type=EntryType.PROJECT, content="SQLite.", old="db", cites=(2,)
    )
    draft = drafted(base, proposal)
    files = after(base, draft)
    assert sorted(key.path for key in files) == ["knowledge/db_v1.md", "knowledge/storage.md"]
    version = entries.parse("db_v1", text_of(files, DB_V1))
    assert (version.status, version.superseded_by) == (EntryStatus.HISTORICAL, "storage")
    assert drafted({}, proposal).dropped[0].proposal == proposal
    assert not drafted({}, proposal).changes


def test_an_archived_entry_leaves_its_name_and_archiving_twice_changes_nothing() -> None:
    base = after({}, drafted({}, a_save()))
    files = after(base, drafted(base, Archive(slug="db", cites=(2,))))
    assert [key.path for key in files] == ["knowledge/db_v1.md"]
    assert not drafted(files, Archive(slug="db", cites=(2,))).changes


def test_bytes_that_are_no_text_survive_a_version() -> None:
    base = {DB: b"---\nname: a\n---\n\xff\xfe old\n"}
    assert b"\xff\xfe old\n" in (drafted(base, a_save()).changes[DB_V1][1] or b"")


def test_a_run_over_a_types_total_archives_the_lowest_ranked_that_no_person_wrote() -> None:
    base: Base = {}
    for slug, importance in (("low", 0.1), ("mid", 0.4), ("high", 1.0), ("mine", 0.0)):
        base |= after({}, drafted({}, a_save(f"{slug} " * 10, slug=slug, name=slug, importance=importance)))

    def ours(key: FileKey, line: str) -> Sequence[int] | None:
        return None if "mine" in line else (1,)

    limits = {**dict.fromkeys(EntryType, 10_000), EntryType.PROJECT: 150}
    draft = drafted(base, a_save("new " * 10, importance=0.0), ours=ours, type_totals=limits)
    assert [moved.old.path for moved in draft.archived] == ["knowledge/low.md", "knowledge/mid.md"]
    assert not drafted(base, a_save("new " * 10), ours=ours).archived


# sessions


def test_a_summary_is_replaced_and_the_persons_lines_in_it_stay() -> None:
    first = Summary(host="claude-code", session_id="../A1-b2", date="2026-11-30", content="- Asked: x", cites=(1,))
    draft = drafted({}, first)
    (key,) = draft.changes
    assert key.path.startswith("sessions/2026-11-30-a1b2-")
    cited = {fold(c.line): c.seqs for c in draft.citations}
    base = {key: (draft.changes[key][1] or b"") + b"my note\n"}
    second = first.model_copy(update={"content": "- Asked: x\n- Done: y", "cites": (2,)})
    again = drafted(base, second, ours=lambda k, line: cited.get(fold(line)))
    assert again.changes[key][1] == b"- Asked: x\n- Done: y\n\nmy note\n"
    assert drafted({}, first.model_copy(update={"date": "../x"})).dropped


def test_a_summary_written_anew_cites_only_the_lines_that_are_new_in_it() -> None:
    def say(content: str, seq: int) -> Summary:
        return Summary(host="codex", session_id="s", date="2026-11-30", content=content, cites=(seq,))

    first = drafted({}, say("- Asked: x\n- Done: y", 1))
    cited = {(c.key, fold(c.line)): c.seqs for c in first.citations}
    again = say("- Asked: x\n- Done: y\n- Asked: z", 2)
    second = drafted(after({}, first), again, ours=lambda key, line: cited.get((key, fold(line))))
    assert [(c.line, c.seqs) for c in second.citations] == [("Asked: z", (2,))]


def test_a_line_of_a_summary_that_a_person_wrote_first_is_cited_when_a_run_writes_it_too() -> None:
    say = Summary(host="codex", session_id="s", date="2026-11-30", content="- Asked: x\n- Done: y", cites=(3,))
    (key,) = drafted({}, say).changes
    cited = drafted({key: b"- Asked: x\n"}, say).citations
    assert [(c.line, c.seqs) for c in cited] == [("Asked: x", (3,)), ("Done: y", (3,))]


def test_sessions_of_two_hosts_never_share_a_file() -> None:
    one = Summary(host="codex", session_id="s", date="2026-11-30", content="x")
    assert drafted({}, one).changes.keys() != drafted({}, one.model_copy(update={"host": "gemini"})).changes.keys()


# the whole


def test_without_a_project_everything_is_the_users() -> None:
    draft = drafted({}, a_save(), Lines(file="constraints.md", add=("a",)), has_project=False)
    assert {key.root for key in draft.changes} == {Root.USER}


WORDS = st.sampled_from(["tabs", "spaces", "tea", "rust", "中文", "short commits", "no emoji", "always test"])
SLUGS = st.sampled_from(["db", "storage", "style"])
PERSONS = st.lists(
    st.one_of(
        WORDS.map(lambda w: f"- mine {w}"), WORDS.map(lambda w: f"prose {w}"), st.sampled_from(["", "## H", "* x y"])
    ),
    max_size=8,
)
CITES = st.just((1,))
TYPES = st.sampled_from(EntryType)
DAY = st.just("2026-11-30")
PROPOSALS: st.SearchStrategy[Proposal] = st.one_of(
    st.builds(
        Lines, file=st.sampled_from([*CORE_FILES, "knowledge/db.md"]), add=st.tuples(WORDS),
        replace=st.lists(st.tuples(WORDS, WORDS), max_size=2).map(tuple), remove=st.lists(WORDS, max_size=1).map(tuple),
        cites=CITES,
    ),
    st.builds(Save, slug=SLUGS, name=WORDS, type=TYPES, content=WORDS, cites=CITES),
    st.builds(Supersede, slug=SLUGS, old=SLUGS, name=WORDS, type=TYPES, content=WORDS, cites=CITES),
    st.builds(Archive, slug=SLUGS, cites=CITES),
    st.builds(Summary, host=st.just("h"), session_id=st.just("s"), date=DAY, content=WORDS, cites=CITES),
)  # fmt: skip


@settings(deadline=None)
@given(PERSONS, PERSONS, PERSONS, st.lists(PROPOSALS, max_size=6), st.integers(10, 200), st.booleans())
def test_replaying_proposals_on_any_base_never_loses_a_persons_line(
    core: list[str], body: list[str], session: list[str], proposals: list[Proposal], core_chars: int, has_project: bool
) -> None:
    base = a_base()
    root = Root.PROJECT if has_project else Root.USER
    for key in (PREFERENCES, FileKey(root, "constraints.md")):
        base[key] += "\n".join(core).encode()
    base[FileKey(root, "knowledge/db.md")] = ("---\nname: db\n---\n" + "\n".join(body)).encode()
    (summary,) = drafted(
        {}, Summary(host="h", session_id="s", date="2026-11-30", content="x"), has_project=has_project
    ).changes
    base[summary] = "\n".join(session).encode()
    draft = drafted(base, *proposals, core_chars=core_chars, has_project=has_project)
    files = after(base, draft)
    for key in (PREFERENCES, FileKey(root, "constraints.md"), summary):
        kept = [fold(bare(row)) for row in text_of(files, key).split("\n")]
        assert all(fold(bare(row)) in kept for row in text_of(base, key).split("\n") if bare(row))
    everywhere = {fold(bare(row)) for text in files.values() for row in decode(text).split("\n")}
    assert all(fold(bare(row)) in everywhere for row in body)
    assert all(
        fold(cited.line) in {fold(bare(r)) for r in text_of(files, cited.key).split("\n")} for cited in draft.citations
    )
    assert all(base.get(key) == old and old != new for key, (old, new) in draft.changes.items())


@settings(deadline=None)
@given(st.lists(PROPOSALS, max_size=5))
def test_a_draft_is_the_same_each_time_and_lines_do_not_double(proposals: list[Proposal]) -> None:
    base = a_base()
    draft = drafted(base, *proposals)
    assert drafted(base, *proposals) == draft
    for key, text in after(base, draft).items():
        if key.path in CORE_FILES:
            assert len(set(map(fold, lines.texts(decode(text))))) == len(lines.texts(decode(text)))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_of_a_persons_file_stay(newline: str) -> None:
    base = {PREFERENCES: f"# P{newline}{newline}- a{newline}".encode()}
    draft = drafted(base, Lines(file="preferences.md", add=("b",), replace=(("a", "c"),), cites=(1,)))
    assert draft.changes[PREFERENCES][1] == f"# P{newline}{newline}- c{newline}- b{newline}".encode()


def test_what_a_full_core_file_hands_on_stands_in_entries_of_a_bounded_size() -> None:
    added = tuple(f"The user prefers thing number {n} over all the others" for n in range(400))
    proposal = Lines(file="preferences.md", add=added, cites=(1,))
    made = draft.build({}, [proposal], now=NOW, has_project=False, sources=lambda seqs: [], ours=lambda key, line: ())
    files = {key.path: new or b"" for key, (_, new) in made.changes.items()}
    earlier = [text for path, text in files.items() if "preferences-earlier" in path]
    assert len(earlier) > 10
    assert all(len(text) < 2 * EARLIER_CHARS for text in earlier)
    everything = b"\n".join(files.values()).decode()
    assert all(f"- {line}\n" in everything for line in added)
    again = draft.build(
        {key: new or b"" for key, (_, new) in made.changes.items()}, [proposal], now=NOW, has_project=False,
        sources=lambda seqs: [], ours=lambda key, line: (),
    )  # fmt: skip
    assert not again.changes

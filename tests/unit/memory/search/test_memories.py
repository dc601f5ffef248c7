import pytest
from support.catalogue import CATALOGUE, NOW

from memoryd.ipc.methods.memory import Match
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.model import FileKey, Root
from memoryd.memory.search.memories import PER_FILE, Hit, matching, ranked_hits, scaled


def search(query: str, match: Match = "words", limit: int = 10) -> list[Hit]:
    return ranked_hits(matching(CATALOGUE, query, match), query, NOW, limit)


@pytest.mark.parametrize(
    ("query", "match", "found"),
    [
        ("postgres", "words", ["deploy", "db", "db-v1"]),
        ("postgres docker", "words", ["db"]),
        ("docker tea", "words", []),
        ("docker tea", "any", ["db"]),
        ("for  ITS json", "phrase", ["db"]),
        ("Postgres for", "literal", ["db"]),
        ("postgres for", "literal", []),
        ("dock", "prefix", ["db"]),
        ("dock", "words", []),
        ("简洁", "words", ["preferences.md"]),
        ("簡潔", "words", ["preferences.md"]),
        ("风", "words", ["preferences.md"]),
        ("头发", "phrase", ["hair"]),
        ("头发", "literal", []),
        ("main.py", "words", ["hair"]),
        ("billing", "words", ["sessions/2026-11-02-b.md"]),
        ("", "any", []),
    ],
)
def test_search_finds_entries_lines_and_sessions(query: str, match: Match, found: list[str]) -> None:
    hits = search(query, match)
    assert [hit.entry.slug if hit.entry else hit.name for hit in hits] == found
    assert search(query, match, limit=1) == hits[:1]


def test_a_query_of_stop_words_alone_finds_words_that_begin_so() -> None:
    assert search("the")


def test_the_snippet_is_the_line_that_answers() -> None:
    assert search("docker")[0].snippet == "Runs in Docker."


def test_scores_of_the_index_become_shares_of_the_best() -> None:
    first, second = CATALOGUE.entries[:2]
    assert [one.relevance for one in scaled([(first, 8.0), (second, 2.0)])] == [1.0, 0.25]
    assert scaled([]) == []


def test_what_a_better_hit_says_already_and_further_lines_of_one_file_come_last() -> None:
    lines = "".join(f"- {word} deploys on Friday\n" for word in ("Ann", "Ben", "Eve", "Kim", "Liz"))
    twin = "---\nname: Copy\ntype: user\n---\nThe web server deploys by hand from the release branch on Monday.\n"
    catalogue = Catalogue.build(
        {
            FileKey(Root.USER, "constraints.md"): lines.encode(),
            FileKey(Root.PROJECT, "knowledge/first.md"): twin.replace("Copy", "First").encode(),
            FileKey(Root.PROJECT, "knowledge/copy.md"): twin.encode(),
            FileKey(Root.PROJECT, "knowledge/other.md"): b"---\nname: Other\ntype: reference\n---\ndeploys page\n",
        }
    )
    hits = ranked_hits(matching(catalogue, "deploys"), "deploys", NOW, 20)
    names = [hit.key.path for hit in hits]
    assert len(names) == 8
    assert names.index("knowledge/other.md") < len(names) - 3
    assert names[: names.index("knowledge/other.md")].count("constraints.md") <= PER_FILE
    assert {names[-1], names[-2], names[-3]} & {"knowledge/copy.md", "knowledge/first.md"}


def test_the_summary_of_a_merged_session_and_an_instinct_are_found_and_the_page_of_a_month_is_not() -> None:
    catalogue = Catalogue.build(
        {
            FileKey(Root.PROJECT, "long-term/2026-10-02-a.md"): b"## Asked\n- reconcile the zanzibar ledger\n",
            FileKey(Root.PROJECT, "long-term/2026-10.md"): b"# 2026-10\n- zanzibar 3\n",
            FileKey(Root.PROJECT, "instincts/a.md"): b"---\nname: x\n---\nwhen: zanzibar\nthen: ask first\n",
        }
    )
    found = [relevant.memory.key.path for relevant in matching(catalogue, "zanzibar")]
    assert sorted(found) == ["instincts/a.md", "long-term/2026-10-02-a.md"]
    assert catalogue.sessions == (), "it is no recent session"

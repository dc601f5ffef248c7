import pytest

from memoryd.memory.model import EntryType, Root
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Summary
from memoryd.memory.routing import claims_every_project, root_of, root_of_entry, root_of_file


@pytest.mark.parametrize(
    ("path", "root"),
    [("user.md", Root.USER), ("identity.md", Root.USER), ("preferences.md", Root.USER),
     ("constraints.md", Root.PROJECT), ("sessions/x.md", Root.PROJECT), ("procedures/x.md", Root.PROJECT)],
)  # fmt: skip
def test_files_go_to_their_root(path: str, root: Root) -> None:
    assert root_of_file(path) is root
    assert root_of_file(path, has_project=False) is Root.USER


@pytest.mark.parametrize(
    "words", ["always use tabs", "in all my projects", "Everywhere", "以后都用中文", "所有项目都要写测试"]
)
def test_feedback_that_claims_every_project_is_the_users(words: str) -> None:
    assert claims_every_project(words)
    assert root_of_entry(EntryType.FEEDBACK, words) is Root.USER
    assert root_of_entry(EntryType.PROJECT, words) is Root.PROJECT


def test_other_feedback_is_the_projects() -> None:
    assert root_of_entry(EntryType.FEEDBACK, "use tabs here") is Root.PROJECT
    assert root_of_entry(EntryType.USER, "x") is Root.USER


@pytest.mark.parametrize(
    ("proposal", "root"),
    [
        (Save(slug="a", name="a", type=EntryType.REFERENCE, content="x"), Root.PROJECT),
        (Lines(file="user.md", add=("a",)), Root.USER),
        (Lines(file="user.md", add=("a",), root=Root.PROJECT), Root.PROJECT),
        (Archive(slug="a"), Root.PROJECT),
        (Summary(host="h", session_id="s", date="2026-11-30", content="x"), Root.PROJECT),
    ],
)
def test_a_proposal_is_routed_by_what_it_is_unless_it_names_a_root(proposal: Proposal, root: Root) -> None:
    assert root_of(proposal, has_project=True) is root
    assert root_of(proposal, has_project=False) is Root.USER

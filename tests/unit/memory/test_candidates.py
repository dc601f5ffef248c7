"""What a session may still be told, and in which order a model is shown it."""

from support.catalogue import NOW, a_catalogue

from memoryd.memory.candidates import candidates
from memoryd.memory.recall_blocks import entry_id

ENTRY = "---\nname: {}\ntype: project\nupdated_at: 2026-11-29T00:00:00Z\n---\n{}\n"
CATALOGUE = a_catalogue(
    deploy=ENTRY.format("Deploys", "Fly.io until March"),
    grep=ENTRY.format("Grep tool", "Fly.io logs are searched with -a"),
    storage=ENTRY.format("Storage", "Postgres"),
    storage_v1="---\nname: Storage\nstatus: historical\nsuperseded_by: storage\n---\nMySQL\n",
    hearsay="---\nname: Hearsay\ntier: tool\nexpires_at: 2026-11-01T00:00:00Z\n---\nOver\n",
)


def slugs(said: str, **more: object) -> list[str]:
    return [known.entry.slug for known in candidates(CATALOGUE, said, now=NOW, **more)]  # type: ignore[arg-type]


def test_current_entries_come_by_what_they_share_with_what_was_said() -> None:
    assert slugs("which storage, postgres?") == ["storage", "deploy", "grep"]
    assert slugs("grep the logs of fly.io")[0] == "grep"


def test_what_was_shown_is_left_out_and_an_entry_about_a_tool_in_use_comes_later() -> None:
    shown = {entry_id(known) for known in CATALOGUE.entries if known.entry.slug == "storage"}
    assert slugs("grep the logs of fly.io", shown=shown, tools=("Bash", "Grep")) == ["deploy", "grep"]

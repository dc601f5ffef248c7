"""dream, as a person sees it."""

import json
from pathlib import Path

from unit.daemon.cli.conftest import Cli, World

SAID = "The invoices are rounded per line."


def test_candidates_are_listed_explained_decided_and_taken_back(cli: Cli, world: World, tmp_path: Path) -> None:
    assert "no candidates" in cli("dream", "review").out
    assert cli("dream", "status").out == "dreaming is switched off; 0 candidates wait\n"
    for n, before in enumerate(("Look at the export.", "Fix the report.", "Write the test.")):
        (tmp_path / "data.json").write_text(json.dumps({"text": f"{before} {SAID}"}))
        assert cli("emit", "user_prompt", "--session", f"s{n}", "--json", str(tmp_path / "data.json")).status == 0
    assert cli("dream", "run").out.startswith("0 promoted, 1 new candidates, 1 wait")
    (one,) = json.loads(cli("dream", "review", "--json").out)["items"]
    assert (one["text"], one["count"]) == (SAID, 3)
    assert "waits" in cli("dream", "review").out
    told = cli("dream", "explain", one["id"]).out
    for words in (SAID, "consolidation", "contexts", "not yet: its score is", "#1 user"):
        assert words in told
    assert cli("dream", "review", one["id"]).status == 2, "say what to do with it"
    assert cli("dream", "review", one["id"], "accept", "--text", "Round invoices per line").status == 0
    assert "Round invoices per line" in cli("recall").out
    assert "no candidates" in cli("dream", "review").out
    assert "accepted" in cli("dream", "review", "--all").out
    assert cli("dream", "review", one["id"], "undo").status == 0
    assert "Round invoices per line" not in cli("recall").out
    assert "taken back" in cli("dream", "review").out
    assert cli("dream", "run", "--since", "2026-01-01").status == 2
    assert cli("dream", "run", "--backfill", "--since", "2026-01-01").status == 0
    assert cli("dream", "explain", "99").status == 1

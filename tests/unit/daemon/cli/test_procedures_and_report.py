"""procedures, report and maintain, as a person sees them."""

import json
from pathlib import Path

import pytest
from unit.daemon.cli.conftest import Cli, World

from memoryd.daemon.cli import asking
from memoryd.ipc.methods.report import DayReport, Often, Report
from memoryd.memory import frontmatter

SAID = "When you release <beta>, do 1. run the tests 2. bump the version 3. tag it."


def emit(cli: Cli, kind: str, tmp_path: Path, **data: object) -> None:
    (tmp_path / "data.json").write_text(json.dumps(data))
    assert cli("emit", kind, "--session", "s1", "--json", str(tmp_path / "data.json")).status == 0


def test_a_procedure_is_listed_shown_and_written_as_a_skill(cli: Cli, world: World, tmp_path: Path) -> None:
    assert "no procedures yet" in cli("procedures").out
    assert cli("maintain", "merge").out == "merge: nothing to do\n"
    emit(cli, "user_prompt", tmp_path, text=SAID)
    emit(cli, "turn", tmp_path, status="ok")
    assert "reflect: changed memory in 1 runs" in cli("maintain", "reflect").out
    assert cli("maintain", "reflect").out == "reflect: nothing to do\n"
    (one,) = json.loads(cli("procedures", "--json").out)["items"]
    assert (one["source"], one["confidence"], len(one["steps"])) == ("user", 0.8, 3)
    assert "When you release" in cli("procedures").out
    assert "2. bump the version" in cli("procedures", one["slug"]).out
    folder = tmp_path / "skills"
    assert cli("procedures", one["slug"], "--export", str(folder)).status == 0
    skill = folder / one["slug"] / "SKILL.md"
    meta = frontmatter.read(skill.read_text()).meta
    assert meta["name"] == one["slug"]
    assert 1 <= len(meta["description"]) <= 1_024
    assert not set("<>") & set(meta["description"])
    assert "1. run the tests\n2. bump the version\n3. tag it" in skill.read_text()
    again = cli("procedures", one["slug"], "--export", str(folder))
    assert again.status == 73
    assert "is there already" in again.err
    assert cli("procedures", "nothing").status == 1
    assert cli("procedures", "--export", str(folder)).status == 2
    assert "today: 1 sessions, 1 turns, 0 tool calls; 1 memories written" in cli("report").out


@pytest.mark.parametrize("columns", [40, 60, 80, 160])
def test_the_charts_of_a_report_fit_and_stand_in_the_ratio_of_the_turns(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    days = tuple(
        DayReport.model_validate(
            {"day": f"2026-11-{day}", "turns": turns, "failed": turns // 10, "tool_calls": turns * 9, "sessions": 2,
             "seconds": turns * 100, "memories": turns // 5}
        )
        for day, turns in ((28, 50), (29, 0), (30, 100))
    )  # fmt: skip
    often = (Often(name="Edit", count=10), Often(name="/home/somebody/work/src/package/module.py", count=5))
    monkeypatch.setattr(asking, "ask", lambda *_, **__: Report(days=days, tools=often[:1], files=often[1:]))
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = cli("report", "--week").out.splitlines()
    rows = [line for line in lines if "11-" in line]
    assert len(rows) == 3
    assert all(len(row.rstrip()) <= columns for row in lines[1:])
    half, none, whole = (row.count("█") for row in rows)
    assert none == 0 < half
    assert abs(whole - 2 * half) <= 1
    assert "package/module.py" in "\n".join(lines) or columns < 60

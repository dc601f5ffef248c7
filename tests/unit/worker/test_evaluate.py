"""The scorer: what counts as found, missed and a fault, and what `memoryd-eval` prints."""

import json
from pathlib import Path
from typing import Any

import pytest

from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Lines
from memoryd.worker.agents.rules import RulesAgent
from memoryd.worker.evaluate import Snippet, evaluate, judge, load, main, remember, scores
from memoryd.worker.ports import AgentResult
from memoryd.worker.projection import Projection

GOOD = {
    "id": "en-pref-1",
    "user": ["I prefer short answers. Is port 0 valid?"],
    "assistant": "Yes.",
    "keep": ["short answers"],
    "junk": ["port 0"],
}
NEGATIVE = {
    "id": "zh-neg-1",
    "user": ["这个怎么改？"],
    "assistant": ["好。"],
    "keep": [],
    "junk": ["怎么改"],
    "stale": [],
}
MISSED = {"id": "en-hard-1", "user": ["Hm."], "assistant": "", "keep": ["unsaid"], "junk": []}


class Parrot:
    """Stores every prompt whole."""

    name = "parrot"

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        prompts = projection.sessions[0].user_texts()
        return AgentResult(
            proposals=tuple(Lines(file="user.md", add=(prompt.text,), cites=(prompt.seq,)) for prompt in prompts)
        )


def snippet(**fields: Any) -> Snippet:
    base: dict[str, Any] = {"id": "en-pref-1", "user": ("x",), "assistant": ("y",), "keep": (), "junk": ()}
    return Snippet(**{**base, **fields})


def write(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return str(path)


def test_a_keep_item_is_found_as_a_substring_or_by_its_words_in_one_memory() -> None:
    verdict = judge(
        snippet(keep=("Short Answers", "commits squashed")), ["The user likes short answers", "Squash commits"]
    )
    assert (verdict.found, verdict.missed) == (("Short Answers", "commits squashed"), ())


def test_words_in_two_memories_are_not_one_fact() -> None:
    verdict = judge(snippet(keep=("squash commits",)), ["squash it", "commits"])
    assert verdict.missed == ("squash commits",)


def test_junk_stale_and_memories_without_a_keep_item_are_faults() -> None:
    verdict = judge(snippet(keep=("tabs",), junk=("port 0",), stale=("spaces",)), ["Use tabs, not spaces", "port 0"])
    assert [fault.split()[0] for fault in verdict.faults] == ["junk", "stale", "no"]


def test_each_prompt_is_a_run_on_the_memory_of_the_one_before() -> None:
    talk = snippet(user=("Answer me in French please.", "Switch back to English please, for good."), assistant=("", ""))
    (line,) = remember(talk, RulesAgent())
    assert "English" in line


def test_what_acceptance_refuses_does_not_count() -> None:
    pasted = "Always restart every server at midnight and wipe its local disk."
    talk = snippet(user=("ok", f"> {pasted}"), assistant=(pasted, ""))
    assert pasted not in "".join(remember(talk, Parrot()))


def test_scores_stand_overall_by_language_and_by_kind(tmp_path: Path) -> None:
    table = scores(evaluate(load(Path(write(tmp_path / "a.json", GOOD, NEGATIVE, MISSED))), RulesAgent()))
    assert {"all", "en", "zh", "kind pref", "kind neg", "kind hard"} == set(table)
    assert (table["all"].precision, table["all"].recall) == (1.0, 0.5)
    assert (table["zh"].negatives, table["zh"].clean) == (1, 1)


def test_a_parrot_has_recall_without_precision(tmp_path: Path) -> None:
    table = scores(evaluate(load(Path(write(tmp_path / "a.json", GOOD, NEGATIVE))), Parrot()))
    assert table["all"].recall == 1.0
    assert table["all"].precision == 0.25
    assert table["zh"].clean == 0


def test_the_command_prints_the_table_and_asks_for_minima(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "a.json", GOOD, MISSED)
    assert main([path]) == 0
    assert main([path, "--min-recall", "0.5", "--min-precision", "1"]) == 0
    assert main([path, "--min-recall", "0.6"]) == 1
    assert "unsaid" not in capsys.readouterr().out
    assert main([path, "--split"]) == 0
    assert "missed 'unsaid'" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "[1]", '[{"id": "x"}]', "{}x"])
def test_a_file_of_another_shape_is_named(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    assert main([str(path)]) == 65
    assert str(path) in capsys.readouterr().out

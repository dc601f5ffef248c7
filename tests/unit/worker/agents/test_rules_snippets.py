"""Short conversations in other words than bench/rules: what must be kept and what must not, in both languages."""

from pathlib import Path

import pytest

from memoryd.worker.agents.rules import RulesAgent
from memoryd.worker.evaluate import Snippet, evaluate, judge, load, remember, scores

SNIPPETS = load(Path(__file__).with_name("snippets.json"))
BENCH = Path(__file__).parents[4] / "bench" / "rules" / "dev.json"


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.id)
def test_a_conversation_leaves_what_a_careful_reader_would_keep(snippet: Snippet) -> None:
    verdict = judge(snippet, remember(snippet, RulesAgent()))
    assert (verdict.missed, verdict.faults) == ((), ())


def test_the_open_half_of_the_bench_keeps_its_score() -> None:
    total = scores(evaluate(load(BENCH), RulesAgent()))["all"]
    assert total.precision >= 0.97
    assert total.recall >= 0.85

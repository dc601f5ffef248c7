import pytest

from memoryd.daemon import tuning
from memoryd.daemon.config import Budget, Config


@pytest.mark.parametrize(
    ("agent", "paid"),
    [
        ({"kind": "model", "model": "openai:x"}, "openai:x"),
        ({"kind": "model", "model": "openai:x", "command": ["/usr/bin/claude"]}, "openai:x"),
        ({"kind": "command", "command": ["/usr/bin/claude"]}, "claude"),
        ({"kind": "command", "command": ["/usr/bin/claude"], "model": "opus"}, "claude"),
    ],
)
def test_what_is_paid_is_the_model_or_the_program_of_the_kind_in_force(agent: dict[str, object], paid: str) -> None:
    assert tuning.payer(Config.model_validate({"agent": agent})).model == paid


def test_what_nobody_asked_for_may_use_half_of_each_limit_and_all_of_one_runs() -> None:
    limits = Budget(calls_per_hour=3, calls_per_day=10, tokens_per_day=7, usd_per_day=0.5, tokens_per_run=5000)
    halved = Budget(calls_per_hour=1, calls_per_day=5, tokens_per_day=3, usd_per_day=0.25, tokens_per_run=5000)
    assert tuning.half(limits) == halved

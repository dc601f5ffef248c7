import pytest

from memoryd.daemon import tuning
from memoryd.daemon.config import Config


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

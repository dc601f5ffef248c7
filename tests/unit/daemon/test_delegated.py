from typing import Any

import pytest
from support.events import event

from memoryd.daemon.delegated import as_told, matters
from memoryd.ipc.events import Tier

USER: dict[str, Any] = {"role": "user", "text": "look"}
TOOL: dict[str, Any] = {"role": "tool", "text": "out", "tier": Tier.WEB}


def test_what_a_sub_agent_is_asked_is_its_parents_text() -> None:
    told: Any = as_told(event("user_prompt", id="p", turn="t", text="look for tabs"))
    assert (told.id, told.kind, told.turn_id) == ("p", "message", "t")
    assert (told.data.role, told.data.tier, told.data.text) == ("assistant", Tier.HOST, "look for tabs")
    told = as_told(event("message", **USER))
    assert (told.kind, told.data.role, told.data.tier) == ("message", "assistant", Tier.HOST)


@pytest.mark.parametrize("kind", ["turn", "pre_compact", "post_compact"])
def test_messages_that_come_with_an_event_are_told_so_too(kind: str) -> None:
    told: Any = as_told(event(kind, messages=[USER, TOOL]))
    assert [(m.role, m.tier) for m in told.data.messages] == [("assistant", Tier.HOST), ("tool", Tier.WEB)]


@pytest.mark.parametrize(
    ("kind", "data"),
    [("message", TOOL), ("message", {"role": "assistant", "text": "x"}), ("tool_use", {"name": "Bash"})],
)
def test_what_tools_and_the_sub_agent_say_stays(kind: str, data: dict[str, Any]) -> None:
    one = event(kind, **data)
    assert not matters(one)
    assert as_told(one) == one

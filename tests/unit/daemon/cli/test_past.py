"""memoryd log, row by row."""

from support.events import START

from memoryd.daemon.cli import past
from memoryd.ipc.methods.memory import RefusedInfo, RunInfo


def test_the_first_three_reasons_of_what_was_refused_are_shown_and_how_many_more_there_are() -> None:
    refused = tuple(RefusedInfo(code="not-said", reason=f"reason {n}") for n in range(1, 6))
    shown = [past._run(RunInfo(run="r", at=START, author="run", refused=refused[:n]), START)[-1] for n in (1, 3, 5)]
    assert shown == [
        "1 refused (reason 1)",
        "3 refused (reason 1; reason 2; reason 3)",
        "5 refused (reason 1; reason 2; reason 3; and 2 more (`--json`))",
    ]

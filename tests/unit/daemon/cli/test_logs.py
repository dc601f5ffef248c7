"""memoryd logs: with a daemon, without one, and while it goes on."""

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from unit.daemon.cli.conftest import Cli

from memoryd.clock import utc_now
from memoryd.daemon.logstore import LogLine, LogStore
from memoryd.ipc import places as placing


def store() -> LogStore:
    path = placing.find().data / "logs.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    return LogStore(path)


def line(event: str, *, level: int = 20, session: str = "", at: datetime | None = None) -> LogLine:
    return LogLine(at=at or utc_now(), level=level, logger="t", event=event, session=session, fields={"run": "r1"})


def test_it_says_when_there_is_no_log_yet(cli: Cli) -> None:
    ran = cli("logs")
    assert (ran.status, ran.out) == (1, "")
    assert "no log store yet" in ran.err


def test_lines_are_chosen_by_time_level_and_session_without_a_daemon(cli: Cli) -> None:
    old = datetime(2026, 1, 1, tzinfo=UTC)
    store().write([line("a.old", at=utc_now() - timedelta(hours=5)), line("a.bad", level=40, session="s")])
    assert cli("logs").out.splitlines()[1].endswith("error    a.bad                session=s run=r1")
    assert "a.old" not in cli("logs", "--since", "1h").out
    assert cli("logs", "--since", old.date().isoformat()).out.count("\n") == 2
    assert cli("logs", "--level", "warning").out.count("\n") == 1
    assert cli("logs", "--session", "none").out == ""
    found = json.loads(cli("logs", "--session", "s", "--json").out)
    assert (found["event"], found["level"], found["session"], found["run"]) == ("a.bad", "error", "s", "r1")
    assert cli("logs", "--level", "loud").status == 2


def test_a_follower_sees_what_comes_and_a_store_that_is_replaced(
    home: Path, shell: Callable[..., "subprocess.Popen[str]"]
) -> None:
    made = store()
    made.write([line(f"a.{n}") for n in range(3)])
    with shell("logs", "--follow", "--json", "--limit", "1") as following:
        assert following.stdout is not None
        assert json.loads(following.stdout.readline())["event"] == "a.2"
        made.write([line("b.next")])
        assert json.loads(following.stdout.readline())["event"] == "b.next"
        made.path.unlink()
        made.write([line("c.anew")])
        assert json.loads(following.stdout.readline())["event"] == "c.anew"
        following.kill()

"""Agents in child processes: the daemon killed in the middle of their calls, and agents that take all that they can."""

import socket
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.faults_profile import dice, pick
from support.faults_table import Judge
from support.installation import Installation, installed, pause, reading, rows, until

from memoryd.clock import rfc3339, utc_now
from memoryd.worker.agents.child import tree

KILLS = pick(quick=2, full=50)
DAEMON = (sys.executable, "-P", str(Path(__file__).parents[1] / "support" / "agent_daemon.py"))
SETTINGS = {
    "AGENT__KIND": "model", "CONSOLIDATION__INTERVAL_TURNS": "1", "MEMORY__CORE_CHARS": "20000",
    "BUDGET__CALLS_PER_HOUR": "1000", "BUDGET__CALLS_PER_DAY": "1000",
}  # fmt: skip


class Provider:
    """Counts the calls that it got; answers them, or holds them as long as it is told to."""

    def __init__(self) -> None:
        self.calls, self.holds = 0, False
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def has_more_than(self, calls: int) -> bool:
        return self.calls > calls

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)

    def _serve(self) -> None:
        held = []
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            if connection.recv(16):
                self.calls += 1
            held.append(connection)
            if not self.holds:
                connection.sendall(b"answer\n")
                while held:
                    held.pop().close()


@pytest.fixture
def provider() -> Iterator[Provider]:
    one = Provider()
    yield one
    one.close()


def say(installation: Installation, text: str, number: int, **more: str) -> None:
    common = {"host": "generic", "session_id": "s1", "at": rfc3339(utc_now()), "turn_id": f"t{number}", **more}
    for kind, data in (("user_prompt", {"text": text}), ("turn", {"status": "ok"})):
        event = {**common, "id": f"{kind}/{number}", "kind": kind, "data": data}
        installation.call("event.publish", {"event": event})


def ask(installation: Installation, sql: str) -> list[tuple[Any, ...]]:
    with reading(installation.database) as connection:
        return rows(connection, sql)


def _none_left(run_id: str) -> bool:
    return not list(tree.marked(run_id))


def word(random: Random) -> str:
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=14))


@pytest.mark.timeout(1800)
def test_a_daemon_killed_in_the_middle_of_a_call_leaves_no_orphan_and_spends_no_more_than_it_reserved(
    tmp_path: Path, provider: Provider, judge: Judge
) -> None:
    random, texts = dice("killed in a call"), []
    settings = {**SETTINGS, "AGENT__MODEL": "asks", "AGENT__BASE_URL": provider.url}
    with installed(tmp_path / "h", data_home=None, **settings) as installation:
        for number in range(KILLS):
            texts.append(f"I like {word(random)} best.")
            provider.holds = True
            before = provider.calls
            installation.start(under=DAEMON)
            say(installation, texts[-1], number)
            until(partial(provider.has_more_than, before), what=installation.tail)
            pause(random.uniform(0, 0.05))
            (run_id,) = next(iter(ask(installation, "select run_id from jobs where run_id is not null")))
            assert list(tree.marked(run_id))
            installation.kill()
            until(partial(_none_left, run_id), what=lambda: "an orphan is left")
            provider.holds = False
            installation.start(under=DAEMON)
            installation.call("job.retry", {})  # what is put off after a crash need not wait
            installation.idle()
            installation.stop()
        reserved, settled = ask(installation, "select count(*), count(settled_at) from reservations")[0]
        print(f"{KILLS} kills: {provider.calls} calls, {reserved} reservations, {settled} settled")
        judge("kill during the call of a model", KILLS)
        assert provider.calls <= reserved
        assert (reserved, settled) == (2 * KILLS, KILLS)  # one cut off, one that was answered, each
        assert ask(installation, "select sum(value) from stats where name = 'tokens_in'") == [(60.0 * KILLS,)]
        ended = "select outcome, count(*) from runs where action = 'consolidate' group by outcome order by outcome"
        assert ask(installation, ended) == [("applied", KILLS), ("failed", KILLS)]
        remembered = (installation.places.user_memory / "preferences.md").read_text()
        assert [remembered.count(text) for text in texts] == [1] * KILLS
        assert not list((installation.places.data / "run" / "agents").glob("*"))


ENDED = ("memory 2048", "killed")  #: out of memory, and by whoever ends it meanwhile
ABUSES = ("deaf_loop", "endless_line", "endless_lines", "endless_errors", "forks 300", "grandchild", *ENDED)
MAX_GROWTH_BYTES = 24 * 1024 * 1024  #: one line of the longest kind, twice, and what an agent's first run loads


@pytest.mark.timeout(600)
def test_the_daemon_answers_and_stays_small_whatever_an_agent_does(tmp_path: Path, judge: Judge) -> None:
    settings = {**SETTINGS, "AGENT__MODEL": "as_told", "AGENT__TIMEOUT_SECONDS": "3"}
    with installed(tmp_path / "h", data_home=None, **settings) as installation:
        installation.start(under=DAEMON)
        small = rss_of(installation.pid)
        largest = 0
        for number, abuse in enumerate(ABUSES, 1):
            directory = tmp_path / f"memory-{number}"
            say(installation, abuse, number, session_id=f"s{number}", memory_dir=str(directory))
            answers = 0
            while not ended(installation, directory):
                assert installation.call("daemon.health").pid == installation.pid
                answers, largest = answers + 1, max(largest, rss_of(installation.pid))
            print(f"{abuse}: {answers} answers of health meanwhile, {(largest - small) // 1024**2} MB more")
            assert answers > 3
        judge("agent that takes all it can", len(ABUSES) - len(ENDED))
        judge("agent out of memory, or killed", len(ENDED))
        assert largest - small < MAX_GROWTH_BYTES
        done = ask(installation, "select id from runs where ended_at is not null")
        assert [run_id for (run_id,) in done if not _none_left(run_id)] == []
        assert installation.complaints() == []


def rss_of(pid: int) -> int:
    return next(one.rss_bytes for one in tree.below(1) if one.pid == pid)


def ended(installation: Installation, directory: Path) -> bool:
    return bool(ask(installation, f"select 1 from runs where dir = '{directory}' and ended_at is not null"))

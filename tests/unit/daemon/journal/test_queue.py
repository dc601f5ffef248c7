"""`enqueue_latest` under every order of events, claims, outcomes and crashes."""

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.events import START, arrival
from support.secrets import samples

from memoryd.clock import rfc3339
from memoryd.daemon.health import judge_health
from memoryd.daemon.journal.history import History
from memoryd.daemon.journal.journal import Journal, append_one, data_json
from memoryd.daemon.journal.queue import BACKOFF_SECONDS, JournalQueue, enqueue_latest
from memoryd.daemon.journal.runs import JournalRuns
from memoryd.daemon.journal.upkeep import Upkeep
from memoryd.daemon.sessions import Triggers
from memoryd.errors import Conflict as Lost
from memoryd.ipc.spool import Spool
from memoryd.memory.ports import Author
from memoryd.worker.ports import Commit, Conflict, Deferred, Failed, Job, NoChange, Outcome, Rejection, Run
from memoryd.worker.projection import Projection

DIRS = [Path("/memory/a"), Path("/memory/b")]


def open_journal(folder: Path, clock: Any, interval: int = 2) -> Journal:
    return Journal.open(folder / "state.db", triggers=Triggers(interval_turns=interval), clock=clock)


def append(journal: Journal, kind: str, **rest: Any) -> Any:
    one = arrival(kind, **rest)
    data = data_json(one.event)
    return journal.write(lambda c: append_one(c, one, data, journal.triggers, "2026-11-30T08:00:00.000Z"))


def run_of(job: Job) -> Run:
    return Run(id=job.run_id, dir=job.dir, roots=job.roots, author=Author.RUN, action="consolidate", agent="t", job=job)


def commit(runs: JournalRuns, job: Job, projection: Projection) -> None:
    run = run_of(job)
    runs.begin(run, ())
    runs.commit(Commit(run=run, changes=(), projection=projection))


class Queue(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.now = START
        self.number = 0
        self.running: Job | None = None
        self.wanted: dict[Path, int] = {}  # due whole, and not done yet
        self.consumed: dict[int, int] = {}
        self.open()

    def open(self) -> None:
        self.journal = open_journal(Path(self.folder.name), lambda: self.now)
        self.queue = JournalQueue(self.journal, Path("/memory/user"))
        self.runs = JournalRuns(self.journal, Path("/memory/user"))

    def teardown(self) -> None:
        self.journal.close()
        self.folder.cleanup()

    @rule(session=st.sampled_from("wxyz"), kind=st.sampled_from(["turn", "user_prompt", "session_end", "pre_compact"]))
    def event(self, session: str, kind: str) -> None:
        self.number += 1
        self.now += timedelta(seconds=1)
        data = {"text": f"prompt {self.number}"} if kind == "user_prompt" else {}
        directory = DIRS[session in "yz"]
        appended = append(self.journal, kind, session=session, dir=directory, minute=self.number, **data)
        if appended.due not in (None, "compaction"):
            self.wanted[directory] = appended.seq

    @precondition(lambda self: self.running is None)
    @rule()
    def claim(self) -> None:
        self.now += timedelta(minutes=5)
        self.running = self.queue.claim(self.now)

    @rule(directory=st.sampled_from(DIRS))
    def ask(self, directory: Path) -> None:
        if Upkeep(self.journal).make_due(directory, self.now):
            self.wanted[directory] = max(self.wanted.get(directory, 0), 1)

    @precondition(lambda self: self.running is not None)
    @rule(how=st.sampled_from(["applied", "no_change", "conflict", "deferred", "rejected", "failed"]))
    def settle(self, how: str) -> None:
        assert self.running is not None
        job, projection = self.running, self.runs.project(self.running)
        self.running = None
        if how == "applied":
            commit(self.runs, job, projection)
            self.consume(job, projection)
            return
        outcomes: dict[str, Outcome] = {
            "no_change": NoChange(to_seq=projection.to_seq, partial=projection.partial),
            "conflict": Conflict(reason="x"),
            "deferred": Deferred(reason="x"), "rejected": Rejection(reason="x"), "failed": Failed(reason="x"),
        }  # fmt: skip
        give_up = how in ("rejected", "failed") and job.attempts >= 3
        self.queue.settle(job, outcomes[how], now=self.now, duration_ms=1, give_up=give_up)
        if how == "no_change":
            self.consume(job, projection)
        elif give_up and self.wanted.get(job.dir, 0) <= job.due_seq:
            self.wanted.pop(job.dir, None)

    def consume(self, job: Job, projection: Projection) -> None:
        if not projection.partial:
            if self.wanted.get(job.dir, 0) <= projection.to_seq:
                self.wanted.pop(job.dir, None)
            for session in projection.sessions:
                for seq in [*(u.seq for u in session.utterances), *(t.seq for t in session.turns)]:
                    self.consumed[seq] = self.consumed.get(seq, 0) + 1

    @rule()
    def crash(self) -> None:
        self.journal.close()
        self.running = None
        self.open()

    @rule()
    def sweep(self) -> None:
        Upkeep(self.journal).heal(self.now)

    @invariant()
    def at_most_one_runs_and_one_waits_in_a_directory(self) -> None:
        for directory in DIRS:
            stats = History(self.journal).stats(directory)
            assert stats["running"] <= 1
            assert stats["queued"] <= 1

    @invariant()
    def nothing_is_consolidated_twice(self) -> None:
        assert all(count == 1 for count in self.consumed.values())

    @invariant()
    def what_is_due_whole_is_not_taken_for_done_by_a_run_that_cuts(self) -> None:
        for directory in self.wanted:
            whole = self.running is not None and self.running.dir == directory and self.running.reason != "compaction"
            assert whole or History(self.journal).stats(directory)["queued"]

    @invariant()
    def what_was_enqueued_stays_due_until_it_is_done(self) -> None:
        rows = self.journal.read(
            lambda c: c.execute(
                "select s.due_seq, s.watermark, j.due_seq as job, j.done_seq, j.run_id from sessions s"
                " left join jobs j on j.dir = s.dir where s.due_seq > s.watermark"
            ).fetchall()
        )
        for row in rows:
            assert row["job"] is not None
            assert row["job"] >= row["due_seq"]


TestQueue = Queue.TestCase
TestQueue.settings = settings(max_examples=25, stateful_step_count=40)


def test_what_becomes_due_while_a_compaction_run_reads_is_read_whole_afterwards(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=99)
    queue, runs = JournalQueue(journal, Path("/u")), JournalRuns(journal, Path("/u"))
    append(journal, "user_prompt", text="one", dir=DIRS[0])
    append(journal, "pre_compact", dir=DIRS[0], messages=[])
    for make_due in (
        lambda: append(journal, "session_end", dir=DIRS[0]),
        lambda: Upkeep(journal).make_due(DIRS[0], START),
    ):
        append(journal, "pre_compact", dir=DIRS[0], messages=[])
        job = queue.claim(START)
        assert job is not None
        assert job.reason == "compaction"
        make_due()
        projection = runs.project(job)
        assert projection.partial
        queue.settle(job, NoChange(to_seq=projection.to_seq, partial=True), now=START, duration_ms=1, give_up=False)
        whole = queue.claim(START)
        assert whole is not None
        assert [u.text for s in runs.project(whole).sessions for u in s.utterances] == ["one"]
        queue.settle(whole, Failed(reason="x"), now=START, duration_ms=1, give_up=False)
        journal.execute("update jobs set done_seq = due_seq, not_before = null")
    journal.close()


def test_a_job_that_kills_the_daemon_still_ends(tmp_path: Path) -> None:
    for attempt in range(1, 5):
        journal = open_journal(tmp_path, lambda: START, interval=1)
        if attempt == 1:
            append(journal, "turn", dir=DIRS[0])
        queue = JournalQueue(journal, Path("/u"))
        assert (queue.claim(START) is None) == (attempt > 2)  # it waits a little longer each time
        job = queue.claim(START + timedelta(hours=1)) if attempt > 2 else None
        attempts = journal.read(lambda c: c.execute("select attempts from jobs").fetchone()[0])
        assert attempts == attempt
        assert job is None or job.attempts == attempt
        journal.close()


def test_a_deferred_attempt_is_given_back(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    queue = JournalQueue(journal, Path("/u"))
    job = queue.claim(START)
    assert job is not None
    later = START + timedelta(hours=1)
    queue.settle(job, Deferred(reason="budget", not_before=later), now=START, duration_ms=1, give_up=False)
    assert queue.claim(START) is None
    assert queue.next_due() == later
    again = queue.claim(later)
    assert again is not None
    assert again.attempts == 1
    journal.close()


def test_a_directory_rests_between_two_runs_unless_a_person_asks(tmp_path: Path) -> None:
    now = START
    journal = open_journal(tmp_path, lambda: now, interval=1)
    queue, runs = JournalQueue(journal, Path("/u"), lambda: 60), JournalRuns(journal, Path("/u"))
    append(journal, "user_prompt", text="one", dir=DIRS[0])
    append(journal, "turn", dir=DIRS[0])
    job = queue.claim(now)
    assert job is not None
    commit(runs, job, runs.project(job))
    append(journal, "turn", dir=DIRS[0])
    assert queue.claim(now + timedelta(seconds=59)) is None
    assert queue.next_due() == now + timedelta(seconds=60)
    assert Upkeep(journal).make_due(DIRS[0], now)
    assert queue.claim(now) is not None
    journal.close()


def test_a_range_that_every_agent_failed_on_is_skipped_and_can_be_retried(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "user_prompt", text="hello", dir=DIRS[0])
    append(journal, "turn", dir=DIRS[0])
    queue, now = JournalQueue(journal, Path("/u")), START
    for attempt in range(1, 4):
        now += timedelta(hours=1)
        job = queue.claim(now)
        assert job is not None
        queue.settle(job, Failed(reason="boom"), now=now, duration_ms=1, give_up=attempt == 3)
    assert queue.claim(now + timedelta(days=1)) is None
    (skipped,) = History(journal).jobs()
    assert (skipped["state"], skipped["from_seq"], skipped["to_seq"], skipped["error"]) == ("skipped", 1, 2, "boom")
    assert Upkeep(journal).retry(str(skipped["id"]), now) == 1
    job = queue.claim(now)
    assert job is not None
    runs = JournalRuns(journal, Path("/u"))
    assert [u.text for s in runs.project(job).sessions for u in s.utterances] == ["hello"]
    journal.close()


@pytest.mark.parametrize("begun", [False, True])
def test_a_run_whose_token_is_gone_commits_nothing(tmp_path: Path, begun: bool) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    queue, runs = JournalQueue(journal, Path("/u")), JournalRuns(journal, Path("/u"))
    job = queue.claim(START)
    assert job is not None
    run, projection = run_of(job), runs.project(job)
    if begun:
        runs.begin(run, ())
    queue.settle(job, Deferred(reason="x"), now=START, duration_ms=1, give_up=False)
    assert queue.claim(START) is not None
    with pytest.raises(Lost):
        runs.commit(Commit(run=run, changes=(), projection=projection)) if begun else runs.begin(run, ())
    assert len(runs.open_intents()) == begun
    assert journal.rows("select watermark, done_seq from sessions join jobs using (dir)") == [
        {"watermark": 0, "done_seq": 0}
    ]
    journal.close()


def test_a_directory_that_is_being_run_is_not_claimed_again_although_more_is_due(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    queue = JournalQueue(journal, Path("/u"))
    first = queue.claim(START)
    assert first is not None
    append(journal, "turn", dir=DIRS[0], minute=1)
    append(journal, "turn", dir=DIRS[1], session="y", minute=1)
    other = queue.claim(START)
    assert other is not None
    assert (first.dir, other.dir, queue.claim(START)) == (DIRS[0], DIRS[1], None)
    queue.settle(first, NoChange(to_seq=1), now=START, duration_ms=1, give_up=False)
    again = queue.claim(START)
    assert again is not None
    assert (again.dir, again.due_seq) == (DIRS[0], 2)
    journal.close()


def test_a_run_that_ends_before_what_is_consolidated_takes_no_watermark_back(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    queue = JournalQueue(journal, Path("/u"))
    for minute, to_seq in enumerate((1, 2, 1)):
        append(journal, "turn", dir=DIRS[0], minute=minute)
        job = queue.claim(START)
        assert job is not None
        queue.settle(job, NoChange(to_seq=to_seq), now=START, duration_ms=1, give_up=False)
    assert journal.rows("select watermark from sessions") == [{"watermark": 2}]
    journal.close()


def test_why_a_run_failed_quotes_no_secret(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    queue, (_, key) = JournalQueue(journal, Path("/u")), samples()["github classic"]
    job = queue.claim(START)
    assert job is not None
    queue.settle(job, Failed(reason=f"refused: {key}"), now=START, duration_ms=1, give_up=True)
    told = journal.rows("select reason from runs") + journal.rows("select error as reason from skipped")
    assert len(told) == 2
    assert all(row["reason"].startswith("refused: [") and key not in row["reason"] for row in told)
    journal.close()


def test_a_conflict_costs_no_attempt_and_a_failure_waits_its_backoff_but_the_last(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    queue = JournalQueue(journal, Path("/u"))
    first = queue.claim(START)
    assert first is not None
    queue.settle(first, Conflict(reason="a person saved"), now=START, duration_ms=1, give_up=False)
    now = START
    assert BACKOFF_SECONDS[-1] == 0  # the rules take over at once
    for attempt, seconds in enumerate(BACKOFF_SECONDS[:-1], 1):
        job = queue.claim(now)
        assert job is not None
        assert job.attempts == attempt
        queue.settle(job, Failed(reason="boom"), now=now, duration_ms=1, give_up=False)
        assert queue.next_due() == now + timedelta(seconds=seconds)
        assert queue.claim(now) is None
        now += timedelta(seconds=seconds)
    last = queue.claim(now)
    assert last is not None
    queue.settle(last, Failed(reason="boom"), now=now, duration_ms=1, give_up=False)
    assert queue.claim(now) is not None
    journal.close()


def test_a_run_whose_token_is_gone_settles_nothing(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    queue = JournalQueue(journal, Path("/u"))
    lost = queue.claim(START)
    assert lost is not None
    queue.settle(lost, Deferred(reason="x"), now=START, duration_ms=1, give_up=False)
    held = queue.claim(START)
    assert held is not None
    queue.settle(lost, NoChange(to_seq=lost.due_seq), now=START, duration_ms=1, give_up=False)
    assert queue.claim(START) is None
    assert journal.read(lambda c: c.execute("select run_id, done_seq from jobs").fetchone()[:]) == (held.run_id, 0)
    journal.close()


def test_a_job_that_rests_after_the_run_before_does_not_make_the_daemon_stuck(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    queue = JournalQueue(journal, Path("/u"), lambda: 3600)
    job = queue.claim(START)
    assert job is not None
    queue.settle(job, NoChange(to_seq=job.due_seq), now=START, duration_ms=1, give_up=False)
    append(journal, "turn", dir=DIRS[0])

    def state(minutes: int) -> str:
        now = START + timedelta(minutes=minutes)
        spool = Spool(tmp_path / "spool")
        return judge_health(History(journal), spool, running=False, now=now, min_interval_seconds=3600).state

    assert [state(11), state(60), state(71)] == ["ok", "ok", "stuck"]
    journal.close()


def test_a_compaction_during_a_whole_run_does_not_cut_what_a_crash_leaves_due(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "user_prompt", dir=DIRS[0], text="said")
    append(journal, "turn", dir=DIRS[0])
    queue = JournalQueue(journal, Path("/u"))
    assert queue.claim(START) is not None
    append(journal, "pre_compact", dir=DIRS[0], trigger="auto")
    journal.close()
    journal = open_journal(tmp_path, lambda: START, interval=1)
    again = JournalQueue(journal, Path("/u")).claim(START)
    assert again is not None
    assert again.reason == "interval"
    journal.close()


def test_what_keeps_every_job_waiting_is_told_once(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    queue = JournalQueue(journal, Path("/u"))
    job = queue.claim(START)
    assert job is not None
    outage = Deferred(reason="provider-down: no connection", not_before=START + timedelta(minutes=5))
    queue.settle(job, outage, now=START, duration_ms=1, give_up=False)

    def reason(*hindered: str) -> str:
        spool = Spool(tmp_path / "spool")
        return str(judge_health(History(journal), spool, running=False, now=START, hindered=hindered).reason)

    assert reason().count("no connection") == 1
    assert reason("no model is called (provider-down: no connection)").count("no connection") == 1
    journal.close()


def test_a_person_asks_for_one_try_and_the_next_ones_are_the_workers_own(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, lambda: START, interval=1)
    append(journal, "turn", dir=DIRS[0])
    journal.write(lambda c: enqueue_latest(c, str(DIRS[0]), 1, "manual", rfc3339(START)))
    queue = JournalQueue(journal, Path("/u"))
    for outcome, later in ((Deferred(reason="stops"), "manual"), (Deferred(reason="x", not_before=START), "interval")):
        job = queue.claim(START)
        assert job is not None
        assert job.reason == "manual"
        queue.settle(job, outcome, now=START, duration_ms=1, give_up=False)
        assert journal.read(lambda c: c.execute("select reason from jobs").fetchone()[0]) == later
    journal.close()


def test_a_clock_that_was_ahead_holds_up_no_job(tmp_path: Path) -> None:
    now = START + timedelta(days=40)
    journal = open_journal(tmp_path, lambda: now, interval=1)
    queue, runs = JournalQueue(journal, Path("/u"), lambda: 60), JournalRuns(journal, Path("/u"))
    append(journal, "user_prompt", text="one", dir=DIRS[0])
    append(journal, "turn", dir=DIRS[0])
    job = queue.claim(now)
    assert job is not None
    commit(runs, job, runs.project(job))
    append(journal, "turn", dir=DIRS[1], session="y")
    put_off = queue.claim(now)
    assert put_off is not None
    queue.settle(put_off, Failed(reason="x"), now=now, duration_ms=1, give_up=False)
    now = START
    append(journal, "turn", dir=DIRS[0])
    claimed = [queue.claim(now), queue.claim(now)]
    assert {one.dir for one in claimed if one is not None} == set(DIRS)
    journal.close()

"""The real queue under many schedules of events, claims, outcomes and crashes; its invariants stand with it."""

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test
from support.faults_profile import SEED, dice, pick
from support.faults_table import Judge
from unit.daemon.journal.test_queue import Queue

SCHEDULES = pick(quick=50, full=10_000)
STEPS = 40


class Scheduled(Queue):
    """With a seed of its own."""


@pytest.mark.timeout(7200)
def test_at_most_one_runs_and_one_waits_and_each_event_is_in_one_successful_run(judge: Judge) -> None:
    dice("schedules")
    bounds = settings(max_examples=SCHEDULES, stateful_step_count=STEPS, deadline=None, database=None)
    run_state_machine_as_test(seed(SEED)(Scheduled), settings=bounds)
    judge("schedule of the queue", SCHEDULES)

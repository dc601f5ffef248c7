"""Real state machines in many orders: the queue under events, claims, outcomes and crashes, drafts between a person's
edits and undos. Their invariants stand with them."""

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test
from support.faults_profile import SEED, dice, pick
from support.faults_table import Judge
from unit.daemon.journal.test_queue import Queue
from unit.memory.test_draft_machine import Drafts

SCHEDULES = pick(quick=25, full=10_000)
DRAFTS = pick(quick=25, full=3_000)
STEPS = 40


class Scheduled(Queue):
    """With a seed of its own."""


class Drafted(Drafts):
    """With a seed of its own."""


@pytest.mark.timeout(7200)
def test_at_most_one_runs_and_one_waits_and_each_event_is_in_one_successful_run(judge: Judge) -> None:
    dice("schedules")
    bounds = settings(max_examples=SCHEDULES, stateful_step_count=STEPS, deadline=None, database=None)
    run_state_machine_as_test(seed(SEED)(Scheduled), settings=bounds)
    judge("schedule of the queue", SCHEDULES)


@pytest.mark.timeout(7200)
def test_drafts_are_pure_and_what_a_person_wrote_stays_through_runs_and_undos(judge: Judge) -> None:
    dice("drafts")
    bounds = settings(max_examples=DRAFTS, stateful_step_count=STEPS // 2, deadline=None, database=None)
    run_state_machine_as_test(seed(SEED)(Drafted), settings=bounds)
    judge("schedule of drafts, edits and undos", DRAFTS)

"""From which size on a turn is looked back at, and what each sighting and failure does to what it shows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memoryd.memory import maturing
from memoryd.memory.maturing import Kind
from memoryd.memory.work import Failure, Work

MONDAY = datetime(2026, 11, 30, 9, tzinfo=UTC)
WORK = Work(
    seq=1, cites=(1,), session="claude-code/s1", at=MONDAY, task="add a json flag", ok=True, calls=2, seconds=59.9,
    steps=("edit py", "run pytest"),
)  # fmt: skip
_KIND = "modulenotfounderror: no module named ‹name›"
FAILURE = Failure(step="run pytest", kind=_KIND, error="ModuleNotFoundError: requests")


def kinds(*works: Work) -> set[Kind]:
    return {one.kind for one in maturing.candidates(works)}


@pytest.mark.parametrize(("calls", "seconds", "reflected"), [(2, 59.9, False), (3, 0.0, True), (0, 60.0, True)])
def test_three_calls_or_sixty_seconds_are_worth_a_look_back(calls: int, seconds: float, *, reflected: bool) -> None:
    work = replace(WORK, calls=calls, seconds=seconds)
    assert kinds(work) == ({Kind.PATTERN} if reflected else set())
    assert kinds(replace(work, ok=False, failures=(FAILURE,))) == ({Kind.LESSON} if reflected else set())


@pytest.mark.parametrize(("calls", "long"), [(4, False), (5, True)])
def test_five_calls_that_went_well_are_a_procedure(calls: int, *, long: bool) -> None:
    assert (Kind.PROCEDURE in kinds(replace(WORK, calls=calls))) is long
    assert Kind.PROCEDURE not in kinds(replace(WORK, calls=calls, ok=False))


def test_each_sighting_makes_it_surer_up_to_a_bound_and_each_failure_less() -> None:
    again = [replace(WORK, calls=3, seq=n, at=MONDAY + timedelta(hours=n)) for n in range(1, 9)]
    sure = [maturing.candidates(again[:n])[0].confidence for n in range(1, 9)]
    assert sure == [0.3, 0.45, 0.6, 0.75, 0.9, 0.9, 0.9, 0.9]
    failed = [replace(again[-1], ok=False, seq=20 + n, at=MONDAY + timedelta(days=n)) for n in range(1, 5)]
    fell = [[one.confidence for one in maturing.candidates([*again, *failed[:n]])] for n in range(1, 5)]
    assert fell == [[0.7], [0.5], [0.3], []], "below 0.2 it is no memory"

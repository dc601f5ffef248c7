"""Corrections and sequences that come again become instincts; what speaks against them makes them less sure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from memoryd.ipc.events import Tier
from memoryd.memory import instincts, matured, maturing
from memoryd.memory.catalogue import Catalogue, Known
from memoryd.memory.corrected import corrections
from memoryd.memory.labels import EN, ZH
from memoryd.memory.maturing import Candidate, Kind
from memoryd.memory.model import FileKey, Root
from memoryd.memory.recall import prefetch
from memoryd.memory.work import Failure, Work, followed, once

T = TypeVar("T")
MONDAY = datetime(2026, 11, 30, 9, tzinfo=UTC)


def a_turn(n: int, said: str, *steps: str, session: str = "s1", ok: bool = True, place: str = "/a") -> Work:
    return Work(
        seq=n, cites=(n,), session=f"claude-code/{session}", at=MONDAY + timedelta(minutes=n), task=said, ok=ok,
        calls=len(steps), seconds=10.0, steps=once(steps), then=followed(steps), corrected=corrections(said),
        place=place,
    )  # fmt: skip


def talk(*said: str, place: str = "/a") -> list[Work]:
    return [a_turn(n, text, place=place) for n, text in enumerate(said, start=1)]


def sequence(*runs: str, kind: str = "py") -> list[Work]:
    """A turn each that edits a file and runs something, each in a session of its own; '' runs nothing."""
    return [
        a_turn(n, f"task {n}", f"edit {kind}", *([f"run {run}"] if run else []), session=f"s{n}")
        for n, run in enumerate(runs, start=1)
    ]


def only(found: Sequence[T]) -> T:
    (one,) = found
    return one


def test_a_correction_is_an_instinct_from_its_second_time_on_and_surer_each_time() -> None:
    assert instincts.candidates(talk("no, use pnpm instead of npm")) == []
    said = ["no, use pnpm instead of npm", "go on", "不要用 npm，用 pnpm"]
    more = [[*said, *["use pnpm, not npm"] * times] for times in (0, 1, 2, 9)]
    sure = [only(instincts.candidates(talk(*texts))).confidence for texts in more]
    assert sure == [0.45, 0.6, 0.75, 0.9]
    one = only(instincts.candidates(talk("no, use pnpm instead of npm", "不要用 npm，用 pnpm")))
    assert (one.when, one.said) == (("npm",), "不要用 npm，用 pnpm"), "the user's newest words"


def test_a_contrary_correction_makes_it_less_sure_until_it_is_gone() -> None:
    said = ["no, use pnpm instead of npm"] * 2
    assert only(instincts.candidates(talk(*said, "no, use npm instead of pnpm"))).confidence == 0.25
    turned = instincts.candidates(talk(*said, *["no, use npm instead of pnpm"] * 3))
    assert [one.when for one in turned] == [("pnpm",)], "what came last holds"


def test_a_correction_that_names_nothing_wrong_rests_on_what_the_corrected_turns_did() -> None:
    works = [
        a_turn(1, "fix the parser", "edit py", "run git commit"), a_turn(2, "no, run make check"),
        a_turn(3, "fix the printer", "edit ts", "run git commit"), a_turn(4, "no, run make check"),
    ]  # fmt: skip
    assert only(instincts.candidates(works)).when == ("run git commit",)
    edits = [replace(work, steps=work.steps[:1]) for work in works]
    assert only(instincts.candidates(edits)).when == ("edit",), "whatever was edited"
    asked = [replace(work, steps=(), task=f"{work.task} of the billing page") for work in works]
    assert only(instincts.candidates(asked)).when == ("billing fix page",)
    assert instincts.candidates([*works[1:2], *works[3:]]) == [], "nothing tells when it is due"


def test_a_sequence_is_an_instinct_after_three_times_in_two_sessions() -> None:
    assert instincts.candidates(sequence("pytest", "pytest")) == []
    one = only(instincts.candidates(sequence("pytest", "pytest", "pytest")))
    assert (one.steps, one.when, one.confidence) == (("edit py", "run pytest"), ("edit py",), 0.6)
    same = [a_turn(n, "x", "edit py", "run pytest") for n in range(1, 9)]
    assert instincts.candidates(same) == [], "one session shows no habit"
    before = [a_turn(n, "x", "run pytest", "edit py", session=f"s{n}") for n in range(1, 9)]
    assert instincts.candidates(before) == [], "what ran before the edit does not follow it"
    assert [one.steps[0] for one in instincts.candidates(sequence(*["eslint"] * 3, kind="ts"))] == ["edit ts"]


def test_work_that_went_well_without_the_second_step_speaks_against_a_sequence() -> None:
    assert only(instincts.candidates(sequence(*["pytest"] * 5, "", ""))).confidence == 0.5
    assert instincts.candidates(sequence(*["pytest"] * 5, *[""] * 4)) == []
    failed = [*sequence(*["pytest"] * 3), a_turn(9, "x", "edit py", session="s9", ok=False)]
    assert only(instincts.candidates(failed)).confidence == 0.6, "work that failed shows nothing"


def test_two_projects_make_it_the_users() -> None:
    here, there = (talk("no, use pnpm instead of npm", place=place) for place in ("/a", "/b"))
    assert instincts.shared(here * 2) == []
    assert only(instincts.shared([*here, *there])).places == 2


def known(candidate: Candidate) -> Known:
    written = matured.write({}, [candidate], [], root=Root.PROJECT, now=MONDAY, sources=lambda seqs: [])
    files = {key: new for key, (_, new) in written.changes.items() if new is not None}
    return only(Catalogue.build(files).instincts)


def test_it_is_told_when_its_words_or_its_steps_come_up_and_only_while_it_is_sure_and_fresh() -> None:
    spoken = known(only(instincts.candidates(talk(*["no, use pnpm instead of npm"] * 2))))
    habit = known(only(instincts.candidates(sequence(*["pytest"] * 3))))
    both = [spoken, habit]

    def due(prompt: str, *steps: str, now: datetime = MONDAY) -> list[Known]:
        return instincts.matched(both, prompt, steps, now)

    assert due("install it with npm") == [spoken]
    assert due("add the dependency", "run npm install") == [spoken]
    assert due("rename the field in src/model.py") == [habit]
    assert due("and now the other one", "edit py") == [habit]
    assert due("把 src/model.py 里的字段改名，然后用 npm 安装") == [habit, spoken]
    assert due("translate the manual") == []
    assert due("install it with npm", now=MONDAY + timedelta(days=46)) == [], "not seen again for 100 days x 0.45"


def test_words_of_the_user_are_told_as_theirs_and_a_habit_is_quoted() -> None:
    said = known(only(instincts.candidates(talk(*["no, use pnpm instead of npm"] * 2))))
    habit = known(only(instincts.candidates(sequence(*["pytest"] * 3))))
    assert (said.entry.tier, habit.entry.tier) == (Tier.USER, Tier.TOOL)
    catalogue = Catalogue(instincts=(said, habit))
    text = prefetch(catalogue, "use npm for a.py", now=MONDAY).text
    assert "- npm: the user's word: use pnpm instead of npm" in text
    assert "> (habit) “edit py” is usually followed by “run pytest” (60 % sure)" in text
    chinese = prefetch(catalogue, "use npm for a.py", now=MONDAY, language="zh").text
    assert ZH.correction.format("npm", "use pnpm instead of npm") in chinese
    assert EN.recalled not in chinese


def test_what_a_person_writes_into_the_file_is_what_is_told() -> None:
    text = b"---\nname: mine\n---\nwhen: deploy\nthen: ask me first\n"
    mine = Catalogue.build({FileKey(Root.PROJECT, "instincts/mine.md"): text})
    assert "- deploy: the user's word: ask me first" in prefetch(mine, "deploy it now", now=MONDAY).text


def test_two_hundred_turns_leave_a_handful() -> None:
    kinds = ["py", "ts", "md", "sql", "css", "toml", "yml", "rs", "go", "sh"]
    works = []
    for n in range(200):
        steps = [f"edit {kinds[n % 10]}", f"edit {kinds[n * 7 % 10]}", f"run tool{n % 40}"]
        steps.append("run pytest" if n % 3 else "run ruff")
        error = Failure(step=steps[-1], kind=f"{n % 4}error: case ‹n› thing is missing", error=f"error: thing{n % 50}")
        said = f"task {n} about topic{n % 17}" if n % 4 else f"no, use option{n % 20} instead of choice{n % 20}"
        turn = a_turn(n + 1, said, *steps, *(["run make lint"] if n % 2 else []), session=f"s{n % 13}", ok=n % 5 > 0)
        works.append(turn if n % 5 else _failed(turn, error))
    found = [*maturing.candidates(works), *instincts.candidates(works)]
    written = matured.write({}, found, works, root=Root.PROJECT, now=MONDAY, sources=lambda seqs: [])
    names = [key.path for key in written.changes]
    of = {kind: sum(kind in path for path in names) for kind in ("pattern-", "lesson-", "procedures/", "instincts/")}
    assert 0 < of["pattern-"] <= 6
    assert 0 < of["lesson-"] <= 6
    assert 0 < of["procedures/"] <= 12
    assert 0 < of["instincts/"] <= 10
    assert {one.kind for one in found} == set(Kind)


def _failed(turn: Work, error: Failure) -> Work:
    return Work(
        seq=turn.seq, cites=turn.cites, session=turn.session, at=turn.at, task=turn.task, ok=False, calls=turn.calls,
        seconds=turn.seconds, steps=turn.steps, failures=(error,), corrected=turn.corrected, place=turn.place,
    )  # fmt: skip

"""What the simulated user says: sessions of sixty days, made of phrases and a seed, and what is true after each.

The phrases are a JSON object; any file of the same shape will do (`--phrases FILE`):

    subjects  [{about, scope: user | project, values: [two or more], say: [...], change: [...]}]: what changes with
              time; `{new}` and `{old}` stand for values. No value may hold another one.
    lasting   [{scope, say: [...], keep}]: what is said and stays; `keep` are words of each way of saying it
    noise     what is asked and says nothing that lasts; `{file}` is a path
    corrected [{say: [...], at, keep}]: what is put right again and again, a prompt at whose moment it should be told,
              and the words that tell it; may be missing
    heard     what tools print; `{other}` one of `others`, which nobody ever said of themselves
    hinted    [{say: [...], keep}]: project; what comes up in passing again and again, said behind a task of `noise`
    noted     what an agent saves by its tool; `{number}` is one
    saved     [{about, values: [two or more], say: [...]}]: project; what a person saves by hand, and later otherwise
The last three may be missing.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.days.beside import Beside, beside

OWN = Path(__file__).with_name("phrases.json")
PROJECTS = ("lantern", "quarry")
FILES = ("src/app.py", "src/cache.py", "lib/queue.ts", "docs/index.md", "tests/test_app.py")
STEPS = (("read src/app.py", "edit src/app.py", "pytest -q"), ("read lib/queue.ts", "edit lib/queue.ts", "npm test"),
         ("git status", "git diff"), ())  # fmt: skip
SESSIONS_A_DAY = (3, 5)
TOLD_BY_DAY = 15  #: the first values are told by then
LAST_CHANGE = 56  #: and the last change, so that the last days find it settled
CHANGES = (0, 2)  #: of a subject after its first value, as many as it has values
CORRECTED = 6  #: times that each correction is said
LEARNED = 3  #: times from which on it should be told


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    prompt: str
    steps: tuple[str, ...] = ()
    heard: str = ""  #: what a tool printed


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A session."""

    project: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What holds at the end of a day, by what it is about: words that a snapshot must hold, and that it must not."""

    now: Mapping[tuple[str, str], str]  #: (project or '' for the user, subject) -> words
    gone: Mapping[tuple[str, str], tuple[str, ...]]  #: values that were replaced

    def of(self, project: str) -> dict[tuple[str, str], str]:
        """What a session in this project should know."""
        return {key: words for key, words in self.now.items() if key[0] in ("", project)}

    def past(self, project: str) -> dict[tuple[str, str], tuple[str, ...]]:
        """What it must not be told as if it held."""
        return {key: words for key, words in self.gone.items() if key[0] in ("", project)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    talks: tuple[Talk, ...]
    truth: Truth
    beside: Beside
    moments: tuple[tuple[str, str], ...]  #: a prompt, and the words of a correction that was said often enough


@dataclass(slots=True, kw_only=True)
class Said:
    """One thing to be said on a day."""

    day: int
    project: str
    words: str
    key: tuple[str, str]
    value: str
    old: str | None = None


@dataclass(slots=True)
class Life:
    """Makes the days. The same seed and phrases make the same days."""

    seed: int
    phrases: Mapping[str, Any]
    days: int = 60
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __iter__(self) -> Iterator[Day]:
        self._random = random.Random(self.seed)
        plan = sorted(self._plan(), key=lambda said: said.day)
        corrections = self._when_corrected()
        heard: Counter[str] = Counter()
        now: dict[tuple[str, str], str] = {}
        gone: dict[tuple[str, str], tuple[str, ...]] = {}
        for day, more in enumerate(beside(self.seed, self.phrases, self.days), start=1):
            due = [said for said in plan if said.day == day]
            talks = self._talks(due, corrections.get(day, []))
            heard.update(fact["keep"] for fact in corrections.get(day, []))
            changed = [(said.key, said.value, said.old) for said in due]
            changed += [((PROJECTS[0], saved.about), saved.value, saved.old) for saved in more.saves]
            for key, value, old in changed:
                gone |= {key: (*gone.get(key, ()), old)} if old is not None else {}
                now[key] = value
            moments = [(fact["at"], fact["keep"]) for fact in self._corrected() if heard[fact["keep"]] >= LEARNED]
            truth = Truth(now=dict(now), gone=dict(gone))
            yield Day(talks=talks, truth=truth, beside=more, moments=tuple(moments))

    def _corrected(self) -> Sequence[Mapping[str, Any]]:
        return self.phrases.get("corrected", ())  # type: ignore[no-any-return]

    def _when_corrected(self) -> dict[int, list[Mapping[str, Any]]]:
        days: dict[int, list[Mapping[str, Any]]] = {}
        for fact in self._corrected():
            for day in self._random.sample(range(1, self.days + 1), min(CORRECTED, self.days)):
                days.setdefault(day, []).append(fact)
        return days

    def _plan(self) -> Iterator[Said]:
        """When what is said first, and when it changes."""
        pick = self._random
        for subject in self.phrases["subjects"]:
            for project in ("",) if subject["scope"] == "user" else PROJECTS[:1]:
                yield from self._course(subject, project)
        for fact in self.phrases["lasting"]:
            project = "" if fact["scope"] == "user" else PROJECTS[0]
            yield Said(day=pick.randint(1, TOLD_BY_DAY), project=project, words=pick.choice(fact["say"]),
                       key=(project, fact["keep"]), value=fact["keep"])  # fmt: skip

    def _course(self, subject: Mapping[str, Any], project: str) -> Iterator[Said]:
        pick = self._random
        values = pick.sample(subject["values"], len(subject["values"]))
        changes = min(pick.randint(*CHANGES), len(values) - 1)
        last = min(LAST_CHANGE, self.days - 1)
        later = sorted(pick.sample(range(TOLD_BY_DAY + 1, last + 1), changes))
        for n, day in enumerate([pick.randint(1, TOLD_BY_DAY), *later]):
            old = values[n - 1] if n else None
            words = pick.choice(subject["change" if n else "say"]).format(new=values[n], old=old)
            yield Said(day=day, project=project, words=words, key=(project, subject["about"]), value=values[n], old=old)

    def _talks(self, due: Sequence[Said], corrections: Sequence[Mapping[str, Any]]) -> tuple[Talk, ...]:
        pick = self._random
        talks: list[Talk] = []
        count = pick.randint(*SESSIONS_A_DAY)
        wanted: list[list[Said]] = [[] for _ in range(max(count, 1))]
        for said in due:
            pick.choice(wanted).append(said)
        for told in wanted:
            project = next((said.project for said in told if said.project), None) or pick.choice(PROJECTS)
            facts = [said for said in told if said.project in ("", project)]
            turns = [Turn(prompt=said.words) for said in facts]
            turns += [self._noise() for _ in range(pick.randint(1, 3))]
            pick.shuffle(turns)
            if told is wanted[0]:
                turns += [Turn(prompt=pick.choice(fact["say"])) for fact in corrections]
            talks.append(Talk(project=project, turns=tuple(turns)))
        return tuple(talks)

    def _noise(self) -> Turn:
        pick = self._random
        prompt = pick.choice(self.phrases["noise"]).format(file=pick.choice(FILES))
        heard = pick.choice(self.phrases["heard"]).format(other=pick.choice(self.phrases["others"]))
        return Turn(prompt=prompt, steps=pick.choice(STEPS), heard=heard)


def read(path: Path) -> Mapping[str, Any]:
    """The phrases of a file.

    :raises ValueError: a part is missing
    """
    phrases = json.loads(path.read_text("utf-8"))
    if missing := {"subjects", "lasting", "noise", "heard", "others"} - set(phrases):
        raise ValueError(f"{path} has no {', '.join(sorted(missing))}; bench/days/life.py says what a file holds")
    return phrases  # type: ignore[no-any-return]

"""The course of a soak: a life, a time of kills, a long life, a rest; then everything is looked at."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from support.faults_oracle import Oracle, directories, settle
from support.faults_publish import projects
from support.installation import Installation, reading, rows, until

from bench.ground import Ground
from bench.process import wakes
from bench.served import serving
from bench.soak.gauge import Gauge
from bench.soak.hosts import Crowd, crowd
from bench.soak.people import Person, Searcher
from bench.soak.times import Taken
from memoryd.daemon.observing import PAUSE_MS, QUIET_SECONDS
from memoryd.ipc import hookscript

LIVES = (0.2, 0.28)  #: shares of the time: where the first life ends, where the long one begins
WARM = 0.4  #: of a life: caches, pools and the first index fill
SAMPLES = 600  #: over the whole time
PROJECTS = 4


@dataclass(slots=True)
class Soak:
    """What a soak has seen."""

    seconds: float
    taken: Taken
    gauge: Gauge
    lives: list[tuple[float, float]] = field(
        default_factory=list
    )  #: the first and the long one: from when to when, warm
    kills: int = 0
    stops: int = 0
    events: int = 0  #: that hosts told
    acts: dict[str, int] = field(default_factory=dict)
    wake_ups: float = 0.0  #: a minute, at rest: sleeps that ended, not turns that others took away
    problems: list[str] = field(default_factory=list)  #: what is not as was promised, in sentences


def soak(ground: Ground, minutes: float, seed: int) -> Soak:
    """Run it; `minutes` without the rest at the end."""
    roots = projects(ground.room("people"), PROJECTS)
    with serving(ground, "soak", CONSOLIDATION__IDLE_SECONDS="300") as served:
        script = ground.folder / "hook"
        hookscript.write(script, hookscript.generate(served.places, Path(ground.python)))
        found = Soak(minutes * 60, Taken(), Gauge(served))
        talking = crowd(served, ground, script, roots, found.taken)
        with _people(served, ground, roots[0], found) as person:
            talking.start()
            try:
                _live(found, served, Random(seed))
            finally:
                talking.end()
        found.events = talking.events
        served.idle(seconds=120)
        _rest(found, served, ground.pick(quick=10.0, full=60.0))
        found.problems = list(_problems(served, talking, person))
    return found


@contextmanager
def _people(served: Installation, ground: Ground, root: str, found: Soak) -> Iterator[Person]:
    person, searcher = Person(served, root), Searcher(served, root, ground.folder, found.taken)
    acting = (person.acting, searcher.acting)
    for one in acting:
        one.start()
    try:
        yield person
    finally:
        for one in acting:
            one.end()
            found.acts[one.name] = one.done - sum(one.refused.values())
            found.acts |= {f"{one.name} was told {code}": count for code, count in one.refused.items()}


def _live(found: Soak, served: Installation, dice: Random) -> None:
    first, second = (share * found.seconds for share in LIVES)
    _watch(found, first)
    found.lives.append((first * WARM, first))
    while found.taken.now() < second:
        _cut(found, served, dice)
        _watch(found, min(second, found.taken.now() + found.seconds / 60 + dice.uniform(0, 3)))
    began = found.taken.now()
    _watch(found, found.seconds)
    found.lives.append((began + (found.seconds - began) * WARM, found.seconds))


def _watch(found: Soak, until_second: float) -> None:
    """Take samples until then."""
    pause, step = threading.Event(), found.seconds / SAMPLES
    while (now := found.taken.now()) < until_second:
        found.gauge.look(now)
        pause.wait(min(step, until_second - now))


def _cut(found: Soak, served: Installation, dice: Random) -> None:
    """Every third time an orderly restart, else SIGKILL; the daemon is away for a moment."""
    orderly = (found.kills + found.stops) % 3 == 2
    served.signal(signal.SIGTERM if orderly else signal.SIGKILL)
    served.wait()
    found.stops, found.kills = found.stops + orderly, found.kills + (not orderly)
    threading.Event().wait(dice.uniform(0, 2))
    served.start()
    found.gauge.life += 1


def _rest(found: Soak, served: Installation, seconds: float) -> None:
    """Wake-ups while nothing is asked of the daemon."""
    pause = threading.Event()
    pause.wait(QUIET_SECONDS + PAUSE_MS / 1000 + 1)  # the watcher has ended
    before = wakes(served.pid)
    pause.wait(seconds)
    after = wakes(served.pid)
    found.wake_ups = sum(count - before.get(thread, 0) for thread, count in after.items()) * 60 / seconds


def _problems(served: Installation, talking: Crowd, person: Person) -> Iterator[str]:
    """Everything told is in the journal once, the person's words stand, every directory is what was committed."""
    until(lambda: not any(served.places.spool.glob("[0-9]*")), seconds=120, what=served.tail)
    settle(served)
    if not person.stands():
        yield f"the person's last edit is gone: {person.line}"
    with reading(served.database) as connection:
        yield from Oracle().look(connection, talking.program.ledgers)
        yield from directories(connection)
        for host in talking.hooking:
            kept = dict(rows(connection, _PROMPTS, host.name))
            yield from (
                f"{session}: {told} prompts told, {kept.get(session, 0)} in the journal"
                for session, told in host.prompts.items()
                if kept.get(session, 0) != told
            )
    yield from (f"the log says: {line}" for line in served.complaints())


_PROMPTS = (
    "select session_id, count(*) from events join sessions on sessions.id = session"
    " where kind = 'user_prompt' and host = ? group by session_id"
)

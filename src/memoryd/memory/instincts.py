"""Instincts: what follows from what, as the user's repeated corrections and the order of steps show it. Pure.

A *correction* that came twice: its trigger is what it names as wrong, else the steps of the turns that it corrected. A
*sequence* that came three times, in two sessions: a kind of edit, and what ran after it. Both are candidates like any
other (`maturing.py`): each sighting makes them surer, what speaks against them less sure.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime

from memoryd.memory.catalogue import Known
from memoryd.memory.corrected import Correction
from memoryd.memory.maturing import GONE, Candidate, Kind
from memoryd.memory.procedures import TELL
from memoryd.memory.words import content_words
from memoryd.memory.work import MAX_PAIRS, Work

CORRECTED, FOLLOWED, SESSIONS = 2, 3, 2  #: times that a correction and a sequence came, and in how many sessions this
PLACES = 2  #: projects in which an instinct is the user's
MAX_TRIGGERS = 3
AT_ONCE = 2  #: that one prompt is told
_WHEN = re.compile(r"^when: (\S.*)$", re.MULTILINE)
_THEN = re.compile(r"^then: (\S.*)$", re.MULTILINE)
_FILE = re.compile(r"(?<![\w@])[\w./\\-]*\w\.([A-Za-z]\w{0,9})\b")


def candidates(works: Sequence[Work]) -> list[Candidate]:
    """Return what some works, the oldest first, show again and again."""
    return [one for one in (*_corrections(works), *_sequences(works)) if one.confidence >= GONE]


def shared(works: Sequence[Work]) -> list[Candidate]:
    """Return what the works of several projects show together: an instinct of the user, wherever they work."""
    return [one for one in candidates(works) if one.places >= PLACES]


def _corrections(works: Sequence[Work]) -> Iterator[Candidate]:
    found: dict[str, tuple[Candidate, Correction]] = {}
    before: dict[str, Work] = {}  #: the turn before, by session
    corrected: dict[str, list[Work]] = {}
    for work in works:
        for said in work.corrected:
            one, _ = found.setdefault(said.key, (_of_correction(said), said))
            one.seen.append(work)
            one.said = said.said
            corrected.setdefault(said.key, []).extend(filter(None, [before.get(work.session)]))
            for other, meant in found.values():
                other.failed += [work] if said.opposes(meant) else []
        before[work.session] = work
    for key, (one, said) in found.items():
        one.when = (said.instead_of,) if said.instead_of and said.use else _common(corrected.get(key, []))
        if one.count >= CORRECTED and one.when:
            yield one


def _of_correction(said: Correction) -> Candidate:
    return Candidate(kind=Kind.INSTINCT, key=f"said {said.key}", steps=(), said=said.said)


def _common(works: Sequence[Work]) -> tuple[str, ...]:
    """What most of the corrected turns share: steps, else that something was edited, else words of what was asked.

    One turn alone shows nothing, and neither does one word.
    """
    if len(works) < CORRECTED:
        return ()
    steps = _most(works, lambda work: work.acts) or _most(works, _verbs)
    words = _most(works, lambda work: content_words(work.task))
    return tuple(steps) or ((_as_written(words, works[-1].task),) if len(words) > 1 else ())


def _as_written(words: Sequence[str], task: str) -> str:
    """Stems in the form in which a task has them."""
    written = {stem: word for word in re.findall(r"[A-Za-z]+", task) for stem in content_words(word)}
    return " ".join(written.get(word, word) for word in words)


def _most(works: Sequence[Work], of: Callable[[Work], Iterable[str]]) -> list[str]:
    """What more than half of the works have, the most frequent first."""
    counts = Counter(name for work in works for name in of(work))
    shared = sorted((-count, name) for name, count in counts.items() if count > len(works) / 2)
    return [name for _, name in shared[:MAX_TRIGGERS]]


def _verbs(work: Work) -> frozenset[str]:
    return frozenset({"edit"}) if any(step.startswith("edit ") for step in work.acts) else frozenset()


def _sequences(works: Sequence[Work]) -> Iterator[Candidate]:
    """An edit and what ran after it; work that went well with the edit alone speaks against it."""
    found: dict[tuple[str, str], Candidate] = {}
    done = [work for work in works if work.ok]
    for work in done:
        for pair in work.then:
            made = Candidate(kind=Kind.INSTINCT, key=" then ".join(pair), steps=pair, when=(pair[0],))
            found.setdefault(pair, made).seen.append(work)
    told = [work for work in done if len(work.then) < MAX_PAIRS]  # of a longer turn not all is kept
    for (edit, run), one in found.items():
        one.failed += [work for work in told if edit in work.steps and (edit, run) not in work.then]
    yield from (one for one in found.values() if one.count >= FOLLOWED and one.sessions >= SESSIONS)


def body(candidate: Candidate) -> str:
    """The rows that tell its triggers and what follows; a person may change them, and they are read again."""
    then = candidate.said if candidate.told else candidate.steps[-1]
    return "\n".join([*(f"when: {trigger}" for trigger in candidate.when), f"then: {then}"])


def triggers_of(known: Known) -> tuple[str, ...]:
    return tuple(_WHEN.findall(known.entry.body))


def action_of(known: Known) -> str:
    found = _THEN.search(known.entry.body)
    return found[1] if found else ""


def matched(known: Iterable[Known], prompt: str, steps: Collection[str], now: datetime) -> list[Known]:
    """Return the instincts whose moment a prompt is, the surest first, each once.

    :param steps: what the session did lately; a file that the prompt names counts as an edit to come
    """
    words = content_words(prompt)
    moment = [words, *map(content_words, steps), *(frozenset(content_words(f"edit {kind}")) for kind in _files(prompt))]
    hits = {one.entry.slug: one for one in known if _may_tell(one, now) and _is_due(one, moment)}
    return sorted(hits.values(), key=lambda one: (-(one.entry.confidence or 1.0), one.key))[:AT_ONCE]


def _files(prompt: str) -> list[str]:
    return [suffix.casefold() for suffix in _FILE.findall(prompt)]


def _may_tell(known: Known, now: datetime) -> bool:
    entry = known.entry
    sure = entry.confidence is None or entry.confidence >= TELL
    return entry.active and not entry.expired(now) and sure and bool(action_of(known))


def _is_due(known: Known, moment: Sequence[frozenset[str]]) -> bool:
    """Whether one trigger stands whole in the prompt, or in one step."""
    wanted = [content_words(trigger) for trigger in triggers_of(known)]
    return any(trigger and any(trigger <= said for said in moment) for trigger in wanted)

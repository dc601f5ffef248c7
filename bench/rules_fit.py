"""Fit the weights of the rules memory agent: `python bench/rules_fit.py [--write]`, about a minute.

A sentence of a practice conversation is lasting when it holds what the conversation must keep; per language a ridge
logistic regression weighs its cues. Each set is then scored by the whole agent with weights that were fitted without
it: that tells what the weights do for a new author, not what the patterns do, which were written in sight of these
sets. The held sets are never read. The same data gives the same weights.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import exp
from pathlib import Path

from memoryd.memory.spans import own_words
from memoryd.memory.text import content_words, fold
from memoryd.worker.agents.rules import RulesAgent, chinese_cues, chinese_weights, english_cues, english_weights
from memoryd.worker.agents.rules.fragments import rejoined
from memoryd.worker.agents.rules.patterns import CJK
from memoryd.worker.agents.rules.sentences import Sentence, lines, sentences_of
from memoryd.worker.evaluate import Snippet, evaluate, load, scores

_ROOT = Path(__file__).resolve().parent.parent
_RULES = _ROOT / "bench" / "rules"
_PROBES = _RULES / "probes.json"  #: single Chinese sentences, lasting and passing
_OWN = _ROOT / "tests" / "unit" / "worker" / "agents" / "snippets.json"  #: of the rules' own authors
SETS = (_RULES / "dev.json", *(_RULES / "practice" / f"{author}.json" for author in "abcd"), _OWN)

# Chosen on these sets, so that the snippets, which a unit test wants all right, stay right.
ENGLISH_RIDGE = 2.5
ENGLISH_RAREST = 4  #: a cue of fewer sentences has no weight
OWN_SHARE = 0.7  #: of an English sentence by the rules' own authors, who knew the cues
CHINESE_RIDGE = 1 / 0.3
CHINESE_RAREST = 2
CHINESE_STRETCH, CHINESE_SHIFT = 2.44, -1.35  #: so that the thresholds of the English weights serve Chinese too
MISFIT_SHARE = 3.0  #: of a Chinese sentence that a first fit puts on the wrong side of the thresholds
MISFIT_BELOW, MISFIT_ABOVE = -1.8, 0.5  #: in logits: a lasting sentence, a passing one
LEAST_CHINESE = 5  #: hundredths: Chinese weights are rounded to multiples of it

_CHINESE = re.compile(f"[{CJK}]")
_TAKES_BACK = re.compile(
    r"forget (?:that|what|about|my|the|it|i )|don't (?:remember|save|store|keep|record|memor)|take that back"
    r"|delete what|scratch that|strike|un-?(?:learn|remember)|erase|wipe|scrub"
)
_SETTLED = 1e-5  #: in logits, the largest step of a last sweep: far below what rounding keeps
_MAX_SWEEPS = 2000
_LINE_CHARS = 114


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled sentence."""

    set: str
    cues: frozenset[str]
    lasting: bool


@dataclass(frozen=True, slots=True)
class Weights:
    """Whole numbers as the weight files hold them."""

    base: int
    of: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Practice:
    """The labelled sentences of both languages."""

    english: Sequence[Row]
    chinese: Sequence[Row]

    def without(self, name: str) -> "Practice":
        return Practice([r for r in self.english if r.set != name], [r for r in self.chinese if r.set != name])


def practice() -> Practice:
    """Label every sentence of the sets, in their order."""
    english: list[Row] = []
    chinese: list[Row] = []
    for path in SETS:
        for snippet in load(path):
            chinese += [Row(path.stem, frozenset(chinese_cues.cues_in(m)), y) for m, y in _chinese(snippet)]
            english += [Row(path.stem, english_cues.features(m), y) for m, y in _english(snippet)]
    probes: dict[str, list[str]] = json.loads(_PROBES.read_text(encoding="utf-8"))
    for label, texts in probes.items():
        chinese += [Row(_PROBES.stem, frozenset(chinese_cues.cues_in(text)), label == "lasting") for text in texts]
    return Practice(english, chinese)


def _english(snippet: Snippet) -> Iterator[tuple[str, bool]]:
    """Yield masked sentences and labels, pasted text too: it is passing. Facts taken back read like lasting ones."""
    if _TAKES_BACK.search(" ".join(snippet.user).lower()):
        return
    for sentence in chain.from_iterable(map(_sentences, snippet.user)):
        if not _CHINESE.search(sentence.text):
            yield sentence.masked, _lasting(snippet, sentence)


def _chinese(snippet: Snippet) -> Iterator[tuple[str, bool]]:
    """Yield masked sentences and labels, without what a later prompt takes back."""
    for n, prompt in enumerate(snippet.user, start=1):
        for sentence in _sentences(own_words(prompt)):
            lasting = _lasting(snippet, sentence)
            taken_back = n < len(snippet.user) and any(item in sentence.text for item in snippet.junk)
            if _CHINESE.search(sentence.text) and (lasting or not taken_back):
                yield sentence.masked, lasting


def _sentences(prompt: str) -> Iterator[Sentence]:
    for line in lines(prompt):
        yield from rejoined(sentences_of(line.removeprefix("- ")))


def _lasting(snippet: Snippet, sentence: Sentence) -> bool:
    return any(_holds(sentence.text, item) for item in (*snippet.keep, *snippet.stale))


def _holds(text: str, item: str) -> bool:
    words = content_words(item)
    return fold(item) in fold(text) or bool(words and words <= content_words(text))


def fit_english(rows: Sequence[Row]) -> Weights:
    """Tenths of a logit."""
    shares = [OWN_SHARE if row.set == _OWN.stem else 1.0 for row in rows]
    base, logits = fit(rows, shares, ridge=ENGLISH_RIDGE, base_ridge=1e-3, rarest=ENGLISH_RAREST)
    tenths = {cue: round(10 * logit) for cue, logit in logits.items()}
    return Weights(round(10 * base), {cue: weight for cue, weight in tenths.items() if weight})


def fit_chinese(rows: Sequence[Row]) -> Weights:
    """Hundredths of a logit, fitted twice: the second time with more of the sentences that the first one misjudges."""

    def fitted(shares: Sequence[float]) -> tuple[float, dict[str, float]]:
        base, logits = fit(rows, shares, ridge=CHINESE_RIDGE, base_ridge=CHINESE_RIDGE, rarest=CHINESE_RAREST)
        return CHINESE_STRETCH * base + CHINESE_SHIFT, {cue: CHINESE_STRETCH * logit for cue, logit in logits.items()}

    base, logits = fitted([1.0] * len(rows))
    sums = [base + sum(logits.get(cue, 0.0) for cue in row.cues) for row in rows]
    misfit = [at < MISFIT_BELOW if row.lasting else at > MISFIT_ABOVE for row, at in zip(rows, sums, strict=True)]
    base, logits = fitted([MISFIT_SHARE if wrong else 1.0 for wrong in misfit])
    hundredths = {cue: round(100 * logit) for cue, logit in logits.items()}
    kept = {cue: LEAST_CHINESE * round(w / LEAST_CHINESE) for cue, w in hundredths.items() if abs(w) >= LEAST_CHINESE}
    return Weights(round(100 * base), kept)


def fit(
    rows: Sequence[Row], shares: Sequence[float], *, ridge: float, base_ridge: float, rarest: int
) -> tuple[float, dict[str, float]]:
    """Return base rate and weights in logits: ridge logistic regression, one Newton step per cue in turn."""
    places: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(rows):
        for cue in row.cues:
            places[cue].append(n)
    columns = [(cue, at, ridge) for cue, at in sorted(places.items()) if len(at) >= rarest]
    columns.append(("", list(range(len(rows))), base_ridge))
    wanted = [float(row.lasting) for row in rows]
    logits = dict.fromkeys((cue for cue, _, _ in columns), 0.0)
    sums = [0.0] * len(rows)
    for _ in range(_MAX_SWEEPS):
        largest = 0.0
        for cue, at, penalty in columns:
            slope, bend = penalty * logits[cue], penalty
            for n in at:
                likely = 1 / (1 + exp(-sums[n]))
                slope += shares[n] * (likely - wanted[n])
                bend += shares[n] * likely * (1 - likely)
            step = -slope / bend
            logits[cue] += step
            for n in at:
                sums[n] += step
            largest = max(largest, abs(step))
        if largest < _SETTLED:
            break
    return logits.pop(""), logits


def install(english: Weights, chinese: Weights) -> None:
    """Let the agent of this process weigh with these."""
    english_weights.WEIGHTS.clear()
    english_weights.WEIGHTS.update({"": english.base, **english.of})
    vars(chinese_cues)["BASE"] = chinese.base  # imported by name there
    chinese_weights.WEIGHTS.clear()
    chinese_weights.WEIGHTS.update(_by_weight(chinese))
    chinese_cues._weights.cache_clear()


def _by_weight(weights: Weights) -> dict[int, str]:
    cues: dict[int, list[str]] = defaultdict(list)
    for cue, weight in sorted(weights.of.items()):
        cues[weight].append(cue)
    return {weight: " ".join(cues[weight]) for weight in sorted(cues, reverse=True)}


def write(english: Weights, chinese: Weights) -> None:
    """Rewrite the numbers of the two weight files."""
    groups: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for cue, weight in {"": english.base, **english.of}.items():
        groups[cue.split(":")[0]].append((-weight, cue))
    entries = ([f'"{cue}": {-minus},' for minus, cue in sorted(groups[group])] for group in sorted(groups))
    _rewrite(
        english_weights.__file__, "WEIGHTS: dict[str, int] = {\n", "".join(map(_wrapped, entries)) + "}\n# fmt: on\n"
    )
    listed = "".join(
        f"    {weight}: {json.dumps(cues, ensure_ascii=False)},\n" for weight, cues in _by_weight(chinese).items()
    )
    _rewrite(chinese_weights.__file__, "BASE = ", f"{chinese.base}\nWEIGHTS = {{\n{listed}}}\n")


def _wrapped(entries: Iterable[str]) -> str:
    made = ""
    line = ""
    for entry in entries:
        if len(line) + 1 + len(entry) > _LINE_CHARS:
            made, line = f"{made}    {line}\n", ""
        line = f"{line} {entry}".strip()
    return f"{made}    {line}\n"


def _rewrite(path: str, mark: str, numbers: str) -> None:
    head, found, _ = Path(path).read_text(encoding="utf-8").partition(mark)
    assert found, f"{path} has another layout"
    Path(path).write_text(head + mark + numbers, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights of the rules memory agent.")
    parser.add_argument("--write", action="store_true", help="rewrite the two weight files")
    options = parser.parse_args()
    known = practice()
    print(f"{len(known.english)} English sentences, {len(known.chinese)} Chinese")
    snippets = {path.stem: load(path) for path in SETS}
    present = {name: _score(found) for name, found in snippets.items()}
    unseen = {}
    for name, found in snippets.items():
        install(*fitted(known.without(name)))
        unseen[name] = _score(found)
    final = fitted(known)
    install(*final)
    print(f"{'precision/recall':18}{'present':>14}{'refitted':>14}{'without it':>14}")
    for name, found in snippets.items():
        print(f"{name:18}" + "".join(f"{shown:>14}" for shown in (present[name], _score(found), unseen[name])))
    if options.write:
        write(*final)


def fitted(known: Practice) -> tuple[Weights, Weights]:
    return fit_english(known.english), fit_chinese(known.chinese)


def _score(snippets: Iterable[Snippet]) -> str:
    score = scores(evaluate(snippets, RulesAgent()))["all"]
    return f"{score.precision:.3f} {score.recall:.3f}"


if __name__ == "__main__":
    main()

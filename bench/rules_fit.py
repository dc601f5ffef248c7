"""Fit the weights of the rules memory agent: `python bench/rules_fit.py [--write] [--unseen SET ...]`, about a minute.

Needs the extra `fit` (scikit-learn). Every sentence of the labelled sets is lasting or not, changing or not, a wish to
forget or not; per language and scale, ridge logistic regression weighs its signs; the weightiest are kept. `--unseen`
scores the whole agent on a set with weights that were fitted without it. The held sets are never read.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from memoryd.memory.spans import own_words
from memoryd.memory.text import fold
from memoryd.worker.agents.rules import RulesAgent, scales
from memoryd.worker.agents.rules.languages import language_of
from memoryd.worker.agents.rules.reading import laid_out
from memoryd.worker.agents.rules.scales import BASE, PART, Scale
from memoryd.worker.agents.rules.sentences import Sentence, clauses
from memoryd.worker.agents.rules.signs import Place, signs_around, signs_in
from memoryd.worker.evaluate import Snippet, evaluate, holds, load, scores

_ROOT = Path(__file__).resolve().parent.parent
_RULES = _ROOT / "bench" / "rules"
_OWN = _ROOT / "tests" / "unit" / "worker" / "agents" / "snippets.json"  #: of the rules' own authors
JUDGES = ("e", "f", "g", "h")  #: of four more authors; never fitted, so that they tell how it does on somebody new
SNIPPETS = {path.stem: path for path in (_RULES / "dev.json", *sorted((_RULES / "practice").glob("*.json")), _OWN)}
MARKED = {path.stem: path for path in sorted((_RULES / "marked").glob("*.txt"))}

# Chosen by leaving sets out.
RIDGE = 0.3  #: the inverse strength, in scikit-learn's sense
RAREST = {Scale.LASTING: 3, Scale.CHANGING: 2, Scale.FORGETTING: 2}  #: a sign of fewer sentences has no weight
KEPT = {Scale.LASTING: 6000, Scale.CHANGING: 1500, Scale.FORGETTING: 1500}  #: most signs of a scale
CLAUSE_SHARE = 0.3  #: of a clause beside a sentence
SHARES = {
    **dict.fromkeys(("en16", "en17", "en18"), 2.0),
    "snippets en": 3.0,
    "snippets zh": 7.0,
    "own": 2.0,
    "en14": 2.5,
    "zh14": 2.5,
    "en15": 2.0,
    "zh15": 2.0,
}  #: of a set, or of its part in one language

_MARK = re.compile(r"⟦([+!-])\s*(.*?)\s*⟧", re.DOTALL)
_TAKES_BACK = re.compile(
    r"forget|don't (?:remember|save|store|keep)|take that back|scratch that|erase|wipe|忘|别记|别存|撤回|收回|删"
)

Signs = frozenset[str]
Tables = tuple[dict[str, int], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled sentence. None: the set does not tell."""

    set: str
    code: str  #: of its language
    signs: Signs
    lasting: bool
    changing: bool | None = None
    forgetting: bool | None = None
    clauses: tuple[tuple[Signs, bool], ...] = field(default=())  #: and whether each is lasting


def _share(row: Row) -> float:
    return SHARES.get(row.set, SHARES.get(f"{row.set} {row.code}", 1.0))


def rows() -> list[Row]:
    """Return every labelled sentence that is fitted, in the order of the sets."""
    fitted = {name: path for name, path in SNIPPETS.items() if name not in JUDGES}
    found = [row for name, path in fitted.items() for snippet in load(path) for row in _of_snippet(name, snippet)]
    for name, path in MARKED.items():
        prompts = filter(None, path.read_text(encoding="utf-8").split("\n"))
        found += [row for prompt in prompts for row in _of_marked(name, prompt)]
    return found


def _sentences(prompt: str) -> Iterator[tuple[Sentence, Place]]:
    for _, found in laid_out(own_words(prompt)):
        yield from found


def _signs(sentence: Sentence, place: Place) -> Signs:
    language = language_of(sentence.text)
    return signs_in(sentence.masked, language) | frozenset(signs_around(sentence, place, language))


def _of_snippet(name: str, snippet: Snippet) -> Iterator[Row]:
    """A sentence is lasting when it holds what the conversation must keep, or what it replaces; no fact taken back."""
    tells = not ("fgt" in snippet.id or _TAKES_BACK.search(" ".join(snippet.user)))
    for n, prompt in enumerate(snippet.user):
        for sentence, place in _sentences(prompt):
            keeps = any(holds(sentence.text, item) for item in snippet.keep)
            lasting = keeps or any(fold(item) in fold(sentence.text) for item in snippet.stale)
            earlier = n < len(snippet.user) - 1
            if lasting or not (earlier and any(fold(item) in fold(sentence.text) for item in snippet.junk)):
                yield Row(
                    set=name, code=language_of(sentence.text).code, signs=_signs(sentence, place), lasting=lasting,
                    changing=bool(snippet.stale) and n > 0 and keeps if lasting else None,
                    forgetting=False if tells else None,
                )  # fmt: skip


def _of_marked(name: str, prompt: str) -> Iterator[Row]:
    """A sentence bears the marks that cover more than half of it, or that it holds more than half of."""
    text, marks = _unmarked(prompt)
    after = 0
    for sentence, place in _sentences(text):
        start = max(text.find(sentence.text[:12], after), text.find(sentence.text[:12]) if after else -1)
        if start < 0:
            continue  # the line was rewritten: a quotation taken out, two fragments joined
        end, after = start + len(sentence.text), start + 1
        kinds = {
            kind for a, b, kind in marks if 2 * (min(b, end) - max(a, start)) > min(b - a, len(sentence.text))
        }  # fmt: skip
        lasting = bool(kinds & {"+", "!"})
        yield Row(
            set=name, code=language_of(sentence.text).code, signs=_signs(sentence, place), lasting=lasting,
            changing="!" in kinds if lasting else None, forgetting="-" in kinds,
            clauses=tuple(_clauses(sentence, start, marks)),
        )  # fmt: skip


def _unmarked(prompt: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the prompt without its marks, and where they stood."""
    text, marks, at = "", [], 0
    prompt = prompt.replace("\\n", "\n")
    for mark in _MARK.finditer(prompt):
        text += prompt[at : mark.start()]
        marks.append((len(text), len(text) + len(mark[2]), mark[1]))
        text, at = text + mark[2], mark.end()
    return text + prompt[at:], marks


def _clauses(sentence: Sentence, start: int, marks: Sequence[tuple[int, int, str]]) -> Iterator[tuple[Signs, bool]]:
    language = language_of(sentence.text)
    bounds = clauses(sentence.masked, language.clause_end)
    for a, b in bounds if len(bounds) > 1 else ():
        covered = sum(max(0, min(end, start + b) - max(at, start + a)) for at, end, kind in marks if kind != "-")
        yield signs_in(sentence.masked[a:b], language), 2 * covered > b - a


def fit(known: Sequence[Row]) -> dict[str, Tables]:
    """Return the weights of each language, in hundredths of a logit."""
    return {
        code: tuple(_scale(scale, [r for r in known if r.code == code]) for scale in Scale) for code in ("en", "zh")
    }


def _scale(scale: Scale, known: Sequence[Row]) -> dict[str, int]:
    """Fit twice: with all signs, then with the weightiest alone."""
    signs, wanted, shares = _samples(scale, known)
    vectorizer = DictVectorizer()
    matrix = vectorizer.fit_transform([dict.fromkeys(one, 1) for one in signs])
    kept = np.flatnonzero(np.asarray((matrix > 0).sum(0)).ravel() >= RAREST[scale])
    matrix, names = matrix[:, kept], vectorizer.get_feature_names_out()[kept]
    telling = _telling(matrix, wanted)
    coefficients, _ = _regress(matrix, wanted, shares, telling)
    importance = np.abs(coefficients) * np.sqrt(np.asarray(matrix.sum(0)).ravel())
    kept = np.argsort(-importance)[: KEPT[scale]]
    coefficients, base = _regress(matrix[:, kept], wanted, shares, telling[kept])
    logits = {BASE: base, **dict(zip(names[kept], coefficients, strict=True))}
    return {sign: round(100 * logit) for sign, logit in logits.items() if abs(logit) >= 0.015}


def _samples(scale: Scale, known: Sequence[Row]) -> tuple[list[Signs], np.ndarray, np.ndarray]:
    if scale is not Scale.LASTING:
        told = [(row.signs, row.changing if scale is Scale.CHANGING else row.forgetting, 1.0) for row in known]
        samples = [sample for sample in told if sample[1] is not None]
    else:
        samples = [(row.signs, row.lasting, _share(row)) for row in known]
        samples += [(signs | {PART}, lasting, CLAUSE_SHARE) for row in known for signs, lasting in row.clauses]
    signs, wanted, shares = zip(*samples, strict=True)
    return list(signs), np.array(wanted, dtype=int), np.array(shares)


def _telling(matrix: sparse.csr_matrix, wanted: np.ndarray) -> np.ndarray:
    """How unevenly each sign stands in the two classes: the scale of its weight (Wang and Manning 2012, NB-SVM)."""
    for_it = 1 + np.asarray(matrix[wanted == 1].sum(0)).ravel()
    against = 1 + np.asarray(matrix[wanted == 0].sum(0)).ravel()
    scale: np.ndarray = np.abs(np.log((for_it / for_it.sum()) / (against / against.sum()))) + 0.3
    return scale


def _regress(
    matrix: sparse.csr_matrix, wanted: np.ndarray, shares: np.ndarray, telling: np.ndarray
) -> tuple[np.ndarray, float]:
    model = LogisticRegression(C=RIDGE, max_iter=3000)
    model.fit(matrix @ sparse.diags(telling), wanted, sample_weight=shares)
    return model.coef_[0] * telling, float(model.intercept_[0])


def write(fitted: dict[str, Tables]) -> None:
    for code, tables in fitted.items():
        signs = sorted(set().union(*tables))
        rows = ("\t".join([sign, *(str(table.get(sign, "")) for table in tables)]) for sign in signs)
        (scales.FOLDER / f"{code}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def install(fitted: dict[str, Tables]) -> None:
    """Let the agent of this process weigh with these."""
    vars(scales)["weights"] = lambda code: fitted[code]


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights of the rules memory agent.")
    parser.add_argument("--write", action="store_true", help="rewrite the two weight files")
    parser.add_argument(
        "--unseen", nargs="*", metavar="SET", choices=sorted(SNIPPETS), help="score without having seen"
    )
    options = parser.parse_args()
    known = rows()
    print(json.dumps({code: sum(row.code == code for row in known) for code in ("en", "zh")}), "sentences")
    if options.write:
        write(fit(known))
    for name in options.unseen or ():
        install(fit([row for row in known if row.set != name]))
        score = scores(evaluate(load(SNIPPETS[name]), RulesAgent()))["all"]
        print(f"{name:10} unseen: precision {score.precision:.3f}, recall {score.recall:.3f}", flush=True)


if __name__ == "__main__":
    main()

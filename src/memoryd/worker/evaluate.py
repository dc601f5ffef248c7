"""`memoryd-eval`: score the rules agent on labelled conversations, without network or model.

A file is a JSON array of `{id, user: [...], assistant, keep: [...], junk: [...], stale?: [...]}`; `assistant` is a
string or a list. Each prompt is one run on a fresh memory, after its answer, through the real acceptance and draft.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.memory.text import fold
from memoryd.memory.words import content_words
from memoryd.worker.agents.rules import RulesAgent
from memoryd.worker.ports import MemoryAgent
from memoryd.worker.rehearsal import Rehearsal

_SESSION = "evaluation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A labelled conversation. The agent never sees its id."""

    id: str
    user: tuple[str, ...]
    assistant: tuple[str, ...]
    keep: tuple[str, ...]
    junk: tuple[str, ...]
    stale: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        return self.id.split("-")[0]

    @property
    def kind(self) -> str:
        return self.id.split("-")[1] if "-" in self.id else ""


@dataclass(slots=True, kw_only=True)
class Score:
    """Counts over snippets. A fault is a junk or stale item found, or a memory that matches no keep item."""

    snippets: int = 0
    found: int = 0
    missed: int = 0
    faults: int = 0
    negatives: int = 0
    clean: int = 0  #: negatives that left no memory at all

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.faults) if self.found + self.faults else 1.0

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0

    def add(self, verdict: "Verdict") -> None:
        self.snippets += 1
        self.found += len(verdict.found)
        self.missed += len(verdict.missed)
        self.faults += len(verdict.faults)
        if not verdict.snippet.keep:
            self.negatives += 1
            self.clean += not verdict.memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one snippet left in memory, compared with its labels."""

    snippet: Snippet
    memory: tuple[str, ...]  #: active core lines and entries
    found: tuple[str, ...]
    missed: tuple[str, ...]
    faults: tuple[str, ...]  #: a sentence each


def load(path: Path) -> list[Snippet]:
    """Read a file of snippets. :raises ValueError: it has another shape"""
    try:
        return [_snippet(row) for row in json.loads(path.read_text(encoding="utf-8"))]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path}: each snippet needs id, user, assistant, keep and junk ({error!r})") from error


def _snippet(row: dict[str, object]) -> Snippet:
    def texts(key: str) -> tuple[str, ...]:
        value = row[key]
        return (value,) if isinstance(value, str) else tuple(map(str, value))  # type: ignore[call-overload]

    return Snippet(
        id=str(row["id"]), user=texts("user"), assistant=texts("assistant"), keep=texts("keep"), junk=texts("junk"),
        stale=texts("stale") if "stale" in row else (),
    )  # fmt: skip


def remember(snippet: Snippet, agent: MemoryAgent) -> tuple[str, ...]:
    """Return what a fresh memory holds after the conversation: active core lines and entries, no summaries."""
    rehearsal = Rehearsal()
    for n, prompt in enumerate(snippet.user):
        said = [rehearsal.say("user", prompt, session=_SESSION)]
        if n < len(snippet.assistant):
            said.append(rehearsal.say("assistant", snippet.assistant[n], session=_SESSION))
        rehearsal.consolidate(agent, said, session=_SESSION)
    return rehearsal.active()


def judge(snippet: Snippet, memory: Sequence[str]) -> Verdict:
    """Compare a memory with the labels. Keep items by substring or by words, junk and stale by substring only."""
    found = tuple(item for item in snippet.keep if any(holds(text, item) for text in memory))
    everything = fold("\n".join(memory))
    useless = [text for text in memory if not any(holds(text, item) for item in snippet.keep)]
    faults = (
        *(f"junk {item!r}" for item in snippet.junk if fold(item) in everything),
        *(f"stale {item!r}" for item in snippet.stale if fold(item) in everything),
        *(f"no keep item in {text!r}" for text in useless),
    )
    missed = tuple(item for item in snippet.keep if item not in found)
    return Verdict(snippet=snippet, memory=tuple(memory), found=found, missed=missed, faults=faults)


def holds(text: str, item: str) -> bool:
    """Whether a text holds a label: its words as they stand, or else all its content words."""
    words = content_words(item)
    return fold(item) in fold(text) or bool(words and words <= content_words(text))


def evaluate(snippets: Iterable[Snippet], agent: MemoryAgent) -> list[Verdict]:
    return [judge(snippet, remember(snippet, agent)) for snippet in snippets]


def scores(verdicts: Iterable[Verdict]) -> dict[str, Score]:
    """Return the score of all, of each language and of each kind."""
    table: dict[str, Score] = defaultdict(Score)
    for verdict in verdicts:
        for name in ("all", verdict.snippet.language, f"kind {verdict.snippet.kind}"):
            table[name].add(verdict)
    return dict(table)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0, 1 below an asked minimum, 65 for a file of another shape."""
    options = _options(argv)
    verdicts: list[Verdict] = []
    for path in options.files:
        try:
            snippets = load(path)
        except (OSError, ValueError) as error:
            print(f"cannot score {path}: {error}")
            return 65
        found = evaluate(snippets, RulesAgent())
        verdicts += found
        _print_table(str(path), scores(found))
    if options.split:
        _print_misses(verdicts)
    total = scores(verdicts).get("all", Score())
    return int(total.precision < options.min_precision or total.recall < options.min_recall)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="memoryd-eval", description="Score the rules memory agent on labelled talk.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JSON array of labelled snippets")
    parser.add_argument("--split", action="store_true", help="show what was missed and what is too much, by snippet")
    parser.add_argument("--min-precision", type=float, default=0.0, metavar="P", help="exit 1 below this")
    parser.add_argument("--min-recall", type=float, default=0.0, metavar="R", help="exit 1 below this")
    return parser.parse_args(argv)


def _print_table(title: str, table: Mapping[str, Score]) -> None:
    print(f"{title}\n{'':12} snippets  precision  recall  found  missed  faults  clean negatives")
    for name in ("all", *sorted(key for key in table if key != "all")):
        score = table[name]
        clean = f"{score.clean}/{score.negatives}" if score.negatives else "-"
        print(
            f"{name:12} {score.snippets:8}  {score.precision:9.3f}  {score.recall:6.3f}  {score.found:5}"
            f"  {score.missed:6}  {score.faults:6}  {clean:>15}"
        )


def _print_misses(verdicts: Iterable[Verdict]) -> None:
    for verdict in verdicts:
        if verdict.missed or verdict.faults:
            print(f"\n{verdict.snippet.id}")
            for line in (*(f"missed {item!r}" for item in verdict.missed), *verdict.faults):
                print(f"  {line}")

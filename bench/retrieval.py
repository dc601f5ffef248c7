"""Past turns found for questions about them: the daemon's own search beside BM25 and grep, on the same turns.

    python bench/retrieval.py [--data DIR] [--embedder use|e5]

Every conversation is a project of its own in a temporary daemon; each question is one `session.search` in it.
Recall is the share of the turns that hold the answer among the first 5 and 10.
"""

import argparse
import re
import sqlite3
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

if __name__ == "__main__":
    _HERE = Path(__file__).resolve().parent
    sys.path[:1] = [str(_HERE.parent), str(_HERE.parent / "tests")]

from support.installation import Installation, until

from bench import conversations
from bench.conversations import Question, Talk
from bench.ground import Ground, prepared
from bench.served import serving
from bench.table import Row
from memoryd.clock import rfc3339
from memoryd.memory.words import CJK, STOP_WORDS

TITLE = "Retrieval of past turns"
AIMS = {
    ("LoCoMo", "all", 5): 0.72, ("LoCoMo", "all", 10): 0.80, ("LoCoMo", "multi-hop", 10): 0.50,
    ("LoCoMo", "session", 5): 0.95, ("MemDaily", "all", 5): 0.90, ("own", "all", 5): 0.90,
}  # fmt: skip
DEPTHS = (5, 10)
CAREFUL = "BM25 (FTS5 porter, stop words, CJK characters and pairs)"

Ranking = Callable[[Talk, Question], Sequence[str]]  #: ids of turns, the best first


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Mean recall by corpus, category and depth; the category `all` over all questions."""

    name: str
    recall: dict[tuple[str, str, int], float]


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    talks = conversations.load()
    plain, careful, *_, ours = measure(ground, [conversations.own(), *talks])
    rows = [
        Row(
            what=f"{corpus}, {category}, {'hit' if category == 'session' else 'recall'}@{depth}",
            value=f"{ours.recall[key]:.3f}",
            floor=" / ".join(f"{one.recall[key]:.3f}" for one in (plain, careful) if key in one.recall),
            aim=f">= {aim}", met=ours.recall[key] >= aim, limit="words alone",
        )
        for key, aim in AIMS.items()
        for corpus, category, depth in [key]
        if key in ours.recall
    ]  # fmt: skip
    missing = [] if talks else [f"No public conversations; name their folder by ${conversations.DATA}."]
    return rows, [
        *missing,
        "Floor: BM25 of SQLite FTS5 as it is (unicode61) / with porter stems, stop words, and Chinese as characters "
        "and pairs. `python bench/retrieval.py` prints every category.",
    ]


def measure(ground: Ground, talks: Sequence[Talk], embedder: str = "none") -> list[Scored]:
    """BM25, grep, the daemon's keyword search; with an embedder also the embedding alone and both together."""
    found = [
        score("BM25 (FTS5 unicode61)", talks, bm25(talks)),
        score(CAREFUL, talks, bm25(talks, prepared_words, "porter unicode61")),
        score("grep", talks, grep),
    ]
    for name in ("none", *([embedder] if embedder != "none" else [])):
        with serving(ground, name, SEARCH__EMBEDDER=f'"{name}"') as served:
            ingest(served, talks)
            if name != "none":
                found.append(score(f"memoryd embedding ({name}) alone", talks, nearest(served, name)))
            search = Search(served)
            found.append(
                _sessions(score(f"memoryd {'keyword' if name == 'none' else 'hybrid'}", talks, search), talks, search)
            )
    return found


def nearest(served: Installation, embedder: str) -> Ranking:
    """The daemon's vectors without its words."""
    from memoryd.memory.search.embedding import EmbedderSpec, load
    from memoryd.memory.search.vectors import VectorReader

    spec = EmbedderSpec(kind="use" if embedder == "use" else "e5")
    (folder,) = (served.places.data / "index").iterdir()
    model = load(spec)
    model.floor = -1.0  # every document has a place in the order
    reader = VectorReader(folder, model)
    with closing(sqlite3.connect(f"{served.database.as_uri()}?mode=ro", uri=True)) as journal:
        ids = dict(journal.execute("select seq, id from events").fetchall())
        dirs = dict(journal.execute("select cwd, dir from sessions").fetchall())

    def rank(talk: Talk, question: Question) -> Sequence[str]:
        directory = dirs[_cwd(served, talk)]
        near = reader.search(question.text, field="turn", dirs=[directory], limit=max(DEPTHS))
        best = sorted(near, key=lambda id: -near[id])
        return [ids[int(id.partition(".")[0])].rpartition("/")[2] for id in best]

    return rank


def score(name: str, talks: Iterable[Talk], ranking: Ranking) -> Scored:
    seen: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for talk in talks:
        for question in talk.questions:
            got = list(ranking(talk, question))
            for depth in DEPTHS:
                share = len(question.gold.intersection(got[:depth])) / len(question.gold)
                seen[talk.corpus, question.category, depth].append(share)
                seen[talk.corpus, "all", depth].append(share)
    return Scored(name=name, recall={key: sum(shares) / len(shares) for key, shares in seen.items()})


def _sessions(scored: Scored, talks: Iterable[Talk], search: "Search") -> Scored:
    """Add how often one of the first five sessions holds part of the answer, where there is more than one."""
    hits: dict[tuple[str, str, int], list[bool]] = defaultdict(list)
    for talk in talks:
        for question in talk.questions if talk.corpus != "MemDaily" else ():
            held = {turn.session for turn in talk.turns if turn.id in question.gold}
            hits[talk.corpus, "session", 5].append(bool(held.intersection(search.sessions(talk, question))))
    return Scored(name=scored.name, recall=scored.recall | {key: sum(hit) / len(hit) for key, hit in hits.items()})


class Search:
    """`session.search` of a daemon that has taken the conversations in."""

    def __init__(self, served: Installation) -> None:
        self._served, self._client = served, served.client()

    def __call__(self, talk: Talk, question: Question) -> Sequence[str]:
        asked = {"query": question.text[:2000], "cwd": _cwd(self._served, talk), "limit": 10}
        items = self._client.call("session.search", asked).items
        return [turn for item in items for turn in _turn_at(talk, item.at, item.session)]

    def sessions(self, talk: Talk, question: Question) -> list[str]:
        asked = {"query": question.text[:2000], "cwd": _cwd(self._served, talk), "limit": 5, "group_by": "session"}
        return [item.session.rpartition("+")[2] for item in self._client.call("session.search", asked).items]


def _turn_at(talk: Talk, at: object, session: str) -> list[str]:
    """A turn is told by its session and its time: no two of a session have the same."""
    name, _, number = session.partition("/")[2].rpartition("+")
    return [turn.id for turn in talk.turns if (talk.name, turn.session, turn.at) == (name, number, at)]


def ingest(served: Installation, talks: Sequence[Talk]) -> float:
    """Publish every turn as a message of its session; returns events a second until the index holds all."""
    began, count = time.perf_counter(), 0
    with served.client() as client:
        for talk in talks:
            Path(_cwd(served, talk)).mkdir()
            for turn in talk.turns:
                event = {
                    "id": f"{talk.name}/{turn.id}", "kind": "message", "host": "generic", "at": rfc3339(turn.at),
                    "session_id": f"{talk.name}+{turn.session}", "cwd": _cwd(served, talk),
                    "data": {"role": turn.role, "text": turn.text},
                }  # fmt: skip
                client.call("event.publish", {"event": event}, timeout=20)
                count += 1
        until(lambda: client.call("daemon.health", timeout=20).index_behind == 0, seconds=1200, what=served.tail)
    if slow := served.log.read_text().count("project.slow"):
        raise RuntimeError(f"{slow} look-ups of a project took over 0.1 s: the machine is too busy to measure")
    return count / (time.perf_counter() - began)


def _cwd(served: Installation, talk: Talk) -> str:
    return str(served.home / talk.name)


Terms = Callable[[str], Sequence[str]]  #: what a text is taken apart into


def bm25(talks: Iterable[Talk], terms: Terms | None = None, tokenize: str = "unicode61") -> Ranking:
    """SQLite's own, as a tool would use it: one word of the question is enough."""
    taken = terms or _words
    databases = {talk.name: _fts5(talk, terms, tokenize) for talk in talks}

    def rank(talk: Talk, question: Question) -> Sequence[str]:
        asked = " OR ".join(f'"{term}"' for term in taken(question.text))
        if not asked:
            return []
        rows = databases[talk.name].execute(
            "select id from turns where turns match ? order by bm25(turns) limit ?", (asked, max(DEPTHS))
        )
        return [row[0] for row in rows]

    return rank


def _words(text: str) -> Sequence[str]:
    return re.findall(r"\w+", text)


def prepared_words(text: str) -> Sequence[str]:
    """What a careful tool hands to FTS5: words without stop words; characters and pairs of a Chinese run."""
    found: list[str] = []
    for run in re.findall(rf"[{CJK}]+|[^\W{CJK}]+", text.casefold()):
        if re.match(rf"[{CJK}]", run):
            found += [*run, *map("".join, pairwise(run))]
        elif run not in STOP_WORDS:
            found.append(run)
    return found


def _fts5(talk: Talk, terms: Terms | None, tokenize: str) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute(f"create virtual table turns using fts5 (id unindexed, text, tokenize = '{tokenize}')")
    texts = ((turn.id, " ".join(terms(turn.text)) if terms else turn.text) for turn in talk.turns)
    database.executemany("insert into turns values (?, ?)", texts)
    return database


def grep(talk: Talk, question: Question) -> Sequence[str]:
    """Turns by how many of the question's words they contain, the newest first among equals."""
    words = {word.casefold() for word in re.findall(r"\w+", question.text)}
    counts = Counter({turn.id: sum(word in turn.text.casefold() for word in words) for turn in reversed(talk.turns)})
    return [id for id, count in counts.most_common(max(DEPTHS)) if count]


def table(scored: Sequence[Scored]) -> Iterator[str]:
    """Methods beside each other, a row each; R@5 / R@10."""
    columns = list(dict.fromkeys((corpus, category) for one in scored for corpus, category, _ in one.recall))
    yield "| method | " + " | ".join(f"{corpus} {category}" for corpus, category in columns) + " |"
    yield "|" + "---|" * (len(columns) + 1)
    for one in scored:
        cells = (
            " / ".join(f"{one.recall[*column, depth]:.3f}" for depth in DEPTHS if (*column, depth) in one.recall)
            for column in columns
        )
        yield f"| {one.name} | " + " | ".join(cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help=f"folder of the conversations (default ${conversations.DATA})")
    parser.add_argument("--embedder", choices=("none", "use", "e5"), default="none", help="also by meaning")
    options = parser.parse_args()
    talks = [conversations.own(), *conversations.load(options.data)]
    if len(talks) == 1:
        print("no public conversations there, only our own is asked; name their folder: --data DIR", file=sys.stderr)
    with prepared(quick=False) as ground:
        for line in table(measure(ground, talks, options.embedder)):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The index on disk (tantivy): written by one process, read by another, never by the daemon itself (`process.py`)."""

import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from tantivy import Document as Row
from tantivy import Index, Occur, Query, Schema, SchemaBuilder, Searcher
from tantivy import IndexWriter as IndexEngineWriter

from memoryd.clock import mono
from memoryd.memory.search.kinds import members
from memoryd.memory.search.port import Damaged, Unavailable
from memoryd.memory.search.stemming import asked, words_of
from memoryd.memory.words import MIN_START_CHARS, Word, single

WRITER_BYTES = 15_000_000  #: the least that tantivy takes
MAX_ASKED = 128  #: tokens of a query that are looked up: the rarest; a prompt may be as long as it likes
LOOK_SECONDS = 1.0
COMMON_WEIGHT = 0.3  #: of a single CJK character beside the pairs
MANY_TEXTS = (
    20_000  #: a character in more texts is not looked for beside a pair: a list as long as the index, for little
)
BEGUN_WEIGHT = 0.5  #: of a token that begins with what was asked for
MAX_BEGUN = 20  #: such tokens, the commonest
KIND_WEIGHT = 0.6  #: of the best member of a kind of thing that is asked for
MAX_KINDS = 4  #: of a query, the first ones; who asks for more asks for something else
SPEAKER_WEIGHT = 0.8  #: of who speaks, where the query names them

FIELDS = ("memory", "turn")  #: a field of words each, so that one is searched without a filter for the other

_STATE = "state"  #: the document that says what the index holds, committed with it


def schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("dir", "session", "twin", "root"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("state", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


@dataclass(slots=True)
class IndexWriter:
    """Changes the index; each `apply` is one commit, durable, with the state that belongs to it."""

    path: Path
    _schema: Schema = field(default_factory=schema)

    def apply(
        self, *, add: Sequence[Mapping[str, Any]], remove: Iterable[tuple[str, str]], state: Mapping[str, Any]
    ) -> None:
        """Remove what matches a `(field, value)` pair, add documents, and keep the state.

        A document takes the place of one with its id and of its twin.
        """
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        writer = self._open()
        try:
            for name, value in remove:
                writer.delete_documents_by_term(name, value)
            for document in add:
                writer.delete_documents_by_term("id", document["id"])
                if document["twin"]:
                    writer.delete_documents_by_term("twin", document["twin"])
                writer.add_document(_row(document))
            writer.delete_documents_by_term("id", _STATE)
            writer.add_document(Row(id=[_STATE], state=[json.dumps(state)]))
            writer.commit()
        finally:
            writer.wait_merging_threads()

    def _open(self) -> IndexEngineWriter:
        """:raises Unavailable: a process of a daemon that died has not ended yet"""
        try:
            return Index(self._schema, path=str(self.path)).writer(WRITER_BYTES, 1)
        except ValueError as error:
            if "lock" in str(error).lower():
                raise Unavailable("another process writes the index; it is tried again") from error
            raise


def _row(document: Mapping[str, Any]) -> Row:
    words = [word for text, weight in document["texts"] for word in _words_of(text) * weight]
    words += map(speaks, _words_of(document["speaker"]))
    fields = {name: [document[name]] for name in ("id", "dir", "session", "twin") if document[name]}
    field = "turn" if document["session"] else "memory"
    fields[field] = [" ".join(words)]
    if field == "memory":
        fields["root"] = [document["dir"]]  # what the memories of one directory are removed by
    return Row(**fields)


def speaks(token: str) -> str:
    """Return the token of a text whose speaker has this word in their name."""
    return f"{token}:"


@lru_cache(maxsize=64)  # a text comes once for itself and again for each neighbour
def _words_of(text: str) -> list[str]:
    return words_of(text)


class IndexReader:
    """Answers queries from the newest commit."""

    def __init__(self, path: Path) -> None:
        self._path, self._meta = path, str(path / "meta.json")
        self._schema = schema()
        self._stamp: tuple[int, int] | None = None
        self._sizes: dict[str, int] = {}  #: of the files of that commit
        self._looked_mono = 0.0
        self._searcher: Searcher | None = None

    def state(self) -> dict[str, Any]:
        """Return the state of the newest commit.

        :raises Damaged: the files are not what was written
        """
        searcher = self._fresh(seconds=0.0)
        found = searcher.search(self._term("id", _STATE), 1, count=False).hits
        if not found:
            raise Damaged("the index has no state")
        state: dict[str, Any] = json.loads(searcher.doc(found[0][1])["state"][0])
        return state

    def search(
        self, query: str, *, field: str, dirs: Sequence[str] = (), every: bool = False, limit: int = 50
    ) -> list[tuple[str, float]]:
        """Return ids and BM25 scores, the best first.

        :param field: memory or turn
        :param dirs: only of these memory directories; empty: of all
        :param every: every word of the query must occur, else one is enough
        """
        searcher = self._fresh()
        words = asked(query)
        if not words:
            return []
        among = sum(searcher.doc_freq("dir", one) for one in dirs) if dirs else searcher.num_docs
        terms = self._ranking(field, query, words, searcher, among)
        ranking = Query.boolean_query([(Occur.Should, term) for term in terms])
        needed = [self._word(field, word, searcher) for word in words] if every else []
        needed += [self._one_of("dir", dirs)] if dirs else []
        clauses = [(Occur.Must, ranking), *((Occur.Must, Query.const_score_query(one, 0.0)) for one in needed)]
        hits = searcher.search(Query.boolean_query(clauses) if needed else ranking, limit, count=False).hits
        return [(str(searcher.doc(address)["id"][0]), float(score or 0.0)) for score, address in hits]

    def count(self) -> int:
        return max(0, self._fresh().num_docs - 1)

    def _word(self, field: str, word: Word, searcher: Searcher) -> Query:
        ways = [self._all_of(field, word.parts)] if word.parts else []
        if word.whole is not None:
            whole, last = self._begun(field, word, searcher)
            ways += [self._term(field, word.whole), *(self._term(field, term) for term in whole)]
            ways += [self._all_of(field, (*word.lead, term)) for term in last]
        return ways[0] if len(ways) == 1 else Query.boolean_query([(Occur.Should, way) for way in ways])

    def _begun(self, field: str, word: Word, searcher: Searcher) -> tuple[list[str], list[str]]:
        """The commonest tokens that begin with a symbol, and those that begin with its last piece after the others."""
        if word.whole is None:
            return [], []
        whole, last = (
            [term for term, _ in searcher.terms_with_prefix(field, start, limit=MAX_BEGUN)]
            if len(start) >= MIN_START_CHARS
            else []
            for start in (word.whole, word.last if word.lead else "")
        )
        return whole, last

    def _all_of(self, field: str, tokens: Iterable[str]) -> Query:
        return Query.boolean_query([(Occur.Must, self._term(field, token)) for token in tokens])

    def _ranking(self, field: str, query: str, words: Sequence[Word], searcher: Searcher, among: int) -> list[Query]:
        """:param among: so many texts are asked"""
        weights = dict.fromkeys(single(query), COMMON_WEIGHT)
        begun = (term for word in words for terms in self._begun(field, word, searcher) for term in terms)
        weights |= dict.fromkeys(begun, BEGUN_WEIGHT)
        weights |= {token: 1.0 for word in words for token in (word.whole, *word.parts) if token}
        weights |= {speaks(part): SPEAKER_WEIGHT for word in words for part in word.parts}
        counts = {token: count for token in weights if (count := searcher.doc_freq(field, token))}
        if among > MANY_TEXTS and any(weights[token] > COMMON_WEIGHT for token in counts):
            counts = {t: n for t, n in counts.items() if weights[t] > COMMON_WEIGHT or n <= MANY_TEXTS}
        rarest = sorted(counts, key=lambda token: counts[token])[:MAX_ASKED]
        asked_for = [self._boosted(self._term(field, token), weights[token]) for token in rarest]
        return asked_for + list(islice(self._kinds(field, words, weights, searcher), MAX_KINDS))

    def _kinds(self, field: str, words: Sequence[Word], known: Container[str], searcher: Searcher) -> Iterator[Query]:
        """For each kind of thing that is asked for, its members that the query does not name itself."""
        for part in dict.fromkeys(part for word in words for part in word.parts):
            held = [of for of in members(part) if of not in known and searcher.doc_freq(field, of)]
            if held:
                best = Query.disjunction_max_query([self._term(field, of) for of in held])
                yield Query.boost_query(best, KIND_WEIGHT)

    @staticmethod
    def _boosted(term: Query, weight: float) -> Query:
        return term if weight == 1.0 else Query.boost_query(term, weight)

    def _term(self, name: str, value: str) -> Query:
        return Query.term_query(self._schema, name, value, "freq" if name in FIELDS else "basic")

    def _one_of(self, name: str, values: Sequence[str]) -> Query:
        return Query.boolean_query([(Occur.Should, self._term(name, value)) for value in values])

    def _fresh(self, *, seconds: float = LOOK_SECONDS) -> Searcher:
        """The newest commit; files that were cut off or taken away are seen before they are touched.

        Their sizes are looked at no more than once in `seconds`: a file that is cut off in between ends this process,
        and whoever asked it knows what that means.

        :raises Damaged: they were, or they cannot be opened
        """
        try:
            status = os.stat(self._meta)
            stamp = (status.st_mtime_ns, status.st_ino)
            if self._searcher is None or stamp != self._stamp:
                index = Index(self._schema, path=str(self._path), reuse=True)
                index.config_reader("manual", 0)
                self._searcher, self._stamp, self._sizes = index.searcher(), stamp, self._files()
            elif mono() - self._looked_mono >= seconds:
                self._look()
        except (OSError, ValueError) as error:
            raise Damaged(str(error)) from error
        return self._searcher

    def _look(self) -> None:
        if any(os.stat(path).st_size != size for path, size in self._sizes.items()):
            raise Damaged("a file of the index has another size")
        self._looked_mono = mono()

    def _files(self) -> dict[str, int]:
        with open(self._meta, "rb") as file:
            meta = json.load(file)
        segments = {segment["segment_id"].replace("-", "") for segment in meta["segments"]}
        return {entry.path: entry.stat().st_size for entry in os.scandir(self._path) if entry.name[:32] in segments}

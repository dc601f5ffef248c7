"""The memory as a model is shown it: one line each, with a short id, the best first, within a cap."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from memoryd.memory.entries import path_of
from memoryd.memory.model import CoreLine, Entry, FileKey, Root
from memoryd.memory.ranking import standing
from memoryd.memory.text import tokens
from memoryd.memory.words import content_words
from memoryd.worker.agents.asking.quoting import one_line, shortened
from memoryd.worker.agents.brief import Brief

LINE_CHARS = 240  #: of each memory
ID_TOKENS = 4  #: of `[m12] `
MAX_QUERY_CHARS = 20_000  #: of the conversation are compared with memory

_KIND_OF = {"identity.md": "identity", "user.md": "user", "preferences.md": "preference", "constraints.md": "rule"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One memory that is active: a line of a core file or an entry."""

    key: FileKey
    text: str
    entry: Entry | None = None

    @property
    def kind(self) -> str:
        return str(self.entry.type) if self.entry else _KIND_OF.get(self.key.path, "rule")

    @property
    def words(self) -> frozenset[str]:
        return content_words(f"{self.entry.name} {self.text}" if self.entry else self.text)

    def line(self) -> str:
        name = f'"{one_line(self.entry.name)}": ' if self.entry else ""
        return f"{self.kind}: {name}{one_line(shortened(self.text, LINE_CHARS))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What is shown, by its short id, and how many had no room."""

    shown: Mapping[str, Held]
    left_out: Mapping[str, Held] = field(default_factory=dict)  #: a model with tools can still look at them

    @property
    def everything(self) -> dict[str, Held]:
        return {**self.shown, **self.left_out}

    def text(self) -> str:
        rows = [f"[{key}] {held.line()}" for key, held in self.shown.items()]
        if self.left_out:
            rows.append(f"({len(self.left_out)} more are not shown.)")
        return "\n".join(rows) or "(nothing yet)"


def build(brief: Brief, said: Sequence[str], cap_tokens: int) -> Manifest:
    """Show core lines, then active entries by what they share with the conversation, age and importance; where not
    all have room, those that share no word with the conversation give way first."""
    words = content_words("\n".join(said)[:MAX_QUERY_CHARS])
    held = {f"m{n}": one for n, one in enumerate([*_core(brief.core), *_entries(brief, words)], start=1)}
    best = sorted(held, key=lambda key: not words & held[key].words)
    used = accumulate(tokens(held[key].line()) + ID_TOKENS for key in best)
    chosen = {key for key, total in zip(best, used, strict=True) if total <= cap_tokens}
    return Manifest(
        shown={key: one for key, one in held.items() if key in chosen},
        left_out={key: one for key, one in held.items() if key not in chosen},
    )


def plain_id(written: str) -> str:
    """A short id as a model writes it back, with its brackets or without."""
    return written.strip("[] ")


def _core(lines: Sequence[CoreLine]) -> Iterator[Held]:
    yield from (Held(key=line.key, text=line.text) for line in lines)


def _entries(brief: Brief, words: frozenset[str]) -> list[Held]:
    def rank(pair: tuple[Root, Entry]) -> tuple[float, str]:
        held = content_words(f"{pair[1].name} {pair[1].description} {pair[1].body}")
        return -(len(words & held) / (1 + len(held)) + standing(pair[1], brief.now)), pair[1].slug

    active = [pair for pair in brief.entries if pair[1].active and not pair[1].expired(brief.now)]
    return [
        Held(key=FileKey(root, path_of(entry.slug)), text=entry.body or entry.description, entry=entry)
        for root, entry in sorted(active, key=rank)
    ]

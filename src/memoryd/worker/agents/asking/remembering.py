"""What a model is asked about memory that is there already, and what it answers. Pure; what is malformed is dropped.

A page of instructions each (`prompts/`), a schema, and how the request is written.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BeforeValidator, Field, WrapValidator

from memoryd.memory.text import tokens
from memoryd.worker.agents.asking.answer import Ids, Lenient, Text, json_in, or_none
from memoryd.worker.agents.asking.manifest import plain_id
from memoryd.worker.agents.asking.quoting import one_line, quoted, shortened
from memoryd.worker.agents.question import MAX_QUERIES, MAX_QUERY_CHARS, Question, Row, Sentence, Sought

ASKED_CHARS = 1500  #: of each text of the user
ROW_CHARS = 400
MAX_SENTENCES, SENTENCE_CHARS = 8, 400
SURE = 0.7  #: confidence from which nothing more is looked for


def _share(value: Any) -> Any:
    """0.8, "0.8", "80%"; anything else is no confidence."""
    try:
        number = float(str(value).strip().removesuffix("%"))
    except ValueError:
        return 0.0
    if not math.isfinite(number):
        return 0.0
    return min(max(number / 100 if "%" in str(value) else number, 0.0), 1.0)


class Query(Lenient):
    query: Text
    scope: Literal["memories", "sessions"] = "memories"


class Choice(Lenient):
    """What the agent should be told next; choosing none is a good answer."""

    chosen: Ids = Field(default=(), description="ids of the memories, the best first, like m3")
    confidence: Annotated[float, BeforeValidator(_share)] = Field(
        default=0.0, description="0 to 1: how sure you are that nothing else would be better"
    )
    queries: tuple[Annotated[Query, WrapValidator(or_none)], ...] = Field(
        default=(), description="searches for what is missing, when you are not sure"
    )

    @property
    def sought(self) -> tuple[Sought, ...]:
        """The searches that are to be made; none when it is sure."""
        wanted = [one for one in self.queries if one is not None and one.query.strip()]
        if self.confidence >= SURE:
            return ()
        return tuple(Sought(query=one.query.strip()[:MAX_QUERY_CHARS], scope=one.scope) for one in wanted[:MAX_QUERIES])


class Order(Lenient):
    """Hits, the best first."""

    order: Ids = Field(description="ids of the hits, the best first, like h2")


class Said(Lenient):
    text: Text
    cites: Ids = Field(description="ids of the hits that say it, like h2")


class Summary(Lenient):
    """What the hits tell; no sentences when they tell nothing."""

    sentences: tuple[Annotated[Said, WrapValidator(or_none)], ...]


F = TypeVar("F", bound=Lenient)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Generic[F]):
    """How a question is asked and its answer read."""

    page: str  #: of instructions
    type: type[F]
    field: str  #: that a bare list stands for

    @property
    def schema(self) -> dict[str, Any]:
        return self.type.model_json_schema()

    def read(self, text: str) -> F:
        """Read what a model wrote. :raises ValueError: no JSON of an answer is in it"""
        told = json_in(text)
        return self.type.model_validate({self.field: told} if isinstance(told, list) else told)

    def read_output(self, text: str) -> F:
        """Read what a program printed, whose own words may hold brackets. :raises ValueError: no answer in full"""
        told = json_in(text)
        if not isinstance(told, Mapping) or self.field not in told:
            raise ValueError("no answer in it")
        return self.type.model_validate(told)


CHOICE = Form(page="choosing", type=Choice, field="chosen")
ORDER = Form(page="ordering", type=Order, field="order")
SUMMARY = Form(page="summarising", type=Summary, field="sentences")


def request(question: Question, rows: Iterable[Row], found: Iterable[Row] = ()) -> str:
    """What was said, what there is to name, and what looks have found beside it."""
    said = "\n".join(quoted(shortened(text, ASKED_CHARS)) for text in question.asked)
    blocks = [f"# What the user {'said lately' if question.task == 'choose' else 'searches for'}\n{said}"]
    shown = {"choose": "Memories", "order": "Hits", "summarise": "Hits"}[question.task]
    blocks.append(f"# {shown}\n" + ("\n".join(map(_row, rows)) or "(none)"))
    if clues := "\n".join(map(_row, found)):
        blocks.append(f"# What your searches found\n{clues}")
    return "\n\n".join(blocks)


def fitting(rows: Sequence[Row], cap_tokens: int) -> list[Row]:
    """The best rows that have room; the first always."""
    used = accumulate(tokens(_row(row)) for row in rows)
    return [row for n, (row, total) in enumerate(zip(rows, used, strict=True)) if n == 0 or total <= cap_tokens]


def named(ids: Iterable[str], rows: Mapping[str, Row]) -> list[str]:
    """The ids that there are, each once; `[m3]` and `3` for m3 too."""
    letter = next(iter(rows), "m1")[:1]
    plain = (f"{letter}{key}" if key.isdecimal() else key for key in map(plain_id, ids))
    return list(dict.fromkeys(key for key in plain if key in rows))


def sentences(summary: Summary, rows: Mapping[str, Row]) -> tuple[Sentence, ...]:
    """Those that say something and name a hit that there is."""
    told = [one for one in summary.sentences if one is not None and one.text.strip()]
    cited = [(one_line(shortened(one.text, SENTENCE_CHARS)), named(one.cites, rows)) for one in told]
    return tuple(Sentence(text=text, cites=tuple(keys)) for text, keys in cited if keys)[:MAX_SENTENCES]


def _row(row: Row) -> str:
    mark = f"[{row.id}] " if row.id else "- "
    return f"{mark}{one_line(shortened(row.text, ROW_CHARS))}"

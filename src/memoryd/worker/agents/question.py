"""What a child is asked about memory that is there already: which of it matters, in which order, what it says.

A `Question` stands in the place of a `Brief` and a `Told` in that of a `Done`; a `Look` asks the daemon for what a
search finds, and is answered with a `Seen`. Ids are short and hold for one question alone.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from memoryd.worker.agents.brief import Brief, Compare, Done, Fault, Line, Purse, Reserve, Settings, Spent

Task = Literal["choose", "order", "summarise"]
MAX_QUERIES = 4  #: of one look
MAX_QUERY_CHARS = 300


class Row(Line):
    """What a model may name by its id; one without an id is there to be read."""

    id: str = ""
    text: str


class Question(Line):
    task: Task
    settings: Settings
    asked: tuple[str, ...]  #: what the user said lately, the newest last; else the query of a search
    rows: tuple[Row, ...]  #: the best first
    wanted: int = 0  #: of `choose`: ids at most


class Sought(Line):
    query: str = Field(min_length=1, max_length=MAX_QUERY_CHARS)
    scope: Literal["memories", "sessions"] = "memories"


class Look(Line):
    """Searches, which are made at the same time."""

    kind: Literal["look"] = "look"
    sought: tuple[Sought, ...] = Field(min_length=1, max_length=MAX_QUERIES)


class Seen(Line):
    """What a look has found: memories with their ids, texts of past sessions without."""

    rows: tuple[Row, ...] = ()


class Sentence(Line):
    text: str
    cites: tuple[str, ...]  #: ids of the rows that say it


class Told(Line):
    """The answer: ids of `choose` and `order`, sentences of `summarise`."""

    kind: Literal["told"] = "told"
    ids: tuple[str, ...] = ()
    sentences: tuple[Sentence, ...] = ()


async def nothing(look: Look) -> Seen:
    """What is seen where there is nothing to look at."""
    return Seen()


Looking = Callable[[Look], Awaitable[Seen]]
Answering = Callable[[Question, Purse, Looking], Coroutine[Any, Any, Told]]
"""What the module of an agent that can be asked offers as `answer`. It raises `AgentFault` as its `work` does."""

Given = Annotated[Brief | Question, Field(discriminator="task")]
GIVEN: TypeAdapter[Given] = TypeAdapter(Given)
Said = Annotated[Reserve | Spent | Compare | Look | Done | Told | Fault, Field(discriminator="kind")]
SAID: TypeAdapter[Said] = TypeAdapter(Said)

"""What reaches the terminal: tables that fit it, JSON, plain text without control characters."""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

NARROW = 60  #: columns of a terminal that is called narrow
_PIPED_COLUMNS = 200  #: where no terminal says its width
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def console(*, stderr: bool = False) -> Console:
    """No colour and no style when NO_COLOR is set or nobody looks."""
    stream = sys.stderr if stderr else sys.stdout
    plain = bool(os.environ.get("NO_COLOR")) or not stream.isatty()
    width = None if stream.isatty() else int(os.environ.get("COLUMNS") or _PIPED_COLUMNS)
    return Console(
        file=stream, color_system=None if plain else "auto", highlight=False, markup=False, emoji=False, width=width
    )


def harmless(text: str) -> str:
    """Text that cannot steer a terminal: control and direction characters are escaped as in a Python string."""
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def say(text: str) -> None:
    """One line or more, wrapped at words where a terminal is narrow."""
    console().print(harmless(text), soft_wrap=not sys.stdout.isatty())


def warn(text: str) -> None:
    """The same on stderr, for what is not the result."""
    console(stderr=True).print(harmless(text), soft_wrap=True)


def notes(warnings: Iterable[str]) -> None:
    """What the person should know beside the result."""
    for warning in warnings:
        warn(f"note: {warning}")


def numbered(text: str) -> None:
    """Print a text with its line numbers."""
    for number, row in enumerate(text.splitlines(), start=1):
        raw(f"{number:>4}  {row}")


def raw(text: str) -> None:
    """Text in its own lines, for reading on or piping; a pipe may end in a terminal as well."""
    exact(harmless(text))


def exact(text: str) -> None:
    """JSON, whose strings keep every character."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def as_json(result: BaseModel) -> None:
    """Exactly the result of the method, on one line."""
    sys.stdout.write(result.model_dump_json() + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    title: str
    right: bool = False
    style: str = ""
    columns: int = 0  #: the least width of the terminal that shows it
    fold: bool = False  #: long text goes on in the next line; others are cut with an ellipsis
    ratio: int | None = None


_EIGHTHS = " ▏▎▍▌▋▊▉"


def bars(amounts: Sequence[float], length: int) -> list[str]:
    """Bars of at most so many characters, the longest for the largest amount; what is not zero is seen."""
    largest = max(amounts, default=0) or 1
    eighths = [max(round(amount / largest * length * 8), 1 if amount else 0) for amount in amounts]
    return [f"{'█' * (n // 8)}{_EIGHTHS[n % 8]}".rstrip() for n in eighths]


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Table:
    """A table without lines; what a narrow terminal has no room for is left out."""
    width = console().width
    shown = [index for index, column in enumerate(columns) if column.columns <= width]
    found = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", collapse_padding=True)
    for index in shown:
        column = columns[index]
        justify: Literal["left", "right"] = "right" if column.right else "left"
        overflow: Literal["fold", "ellipsis"] = "fold" if column.fold else "ellipsis"
        found.add_column(
            column.title, justify=justify, style=column.style, overflow=overflow, no_wrap=not column.fold,
            ratio=column.ratio,
        )  # fmt: skip
    for row in rows:
        found.add_row(*(Text(harmless(row[index])) for index in shown))
    return found


def show(renderable: Table | Text) -> None:
    console().print(renderable)


def more(next_cursor: str | None) -> None:
    """Say on stderr how to see the page after this one, if there is one."""
    if next_cursor:
        warn(f"more: --cursor {next_cursor}")


def diff(text: str) -> None:
    """A unified diff, coloured where colours are wanted."""
    colours = {"+": "green", "-": "red", "@": "cyan"}
    found = Text()
    for row in harmless(text).splitlines():
        head = row.startswith(("+++", "---"))
        found.append(f"{row}\n", style="bold" if head else colours.get(row[:1], ""))
    console().print(found, end="", soft_wrap=True)

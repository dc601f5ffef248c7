"""The result: rows beside their floors, as a Markdown table."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A bound of a ratio."""

    bound: float
    at_least: bool = False

    def met(self, ratio: float) -> bool:
        return ratio >= self.bound if self.at_least else ratio <= self.bound

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.bound:g}x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One number beside its floor, both measured in the same run. `met` is None where nothing was promised."""

    what: str
    value: str
    floor: str = ""
    ratio: str = ""
    aim: str = ""
    met: bool | None = None
    limit: str = ""

    @property
    def verdict(self) -> str:
        return {None: "", True: "met", False: "**missed**"}[self.met]

    @property
    def cells(self) -> tuple[str, ...]:
        return (self.what, self.value, self.floor, self.ratio, self.aim, self.verdict, self.limit)


def compared(what: str, value: str, floor: str, ratio: float, aim: Aim | None = None, limit: str = "") -> Row:
    """A row whose verdict follows from the ratio."""
    met = None if aim is None else aim.met(ratio)
    shown = f"{ratio:.2f}x" if ratio >= 0.1 else f"{ratio:.2g}x"
    return Row(what=what, value=value, floor=floor, ratio=shown, aim=str(aim or ""), met=met, limit=limit)


def markdown(title: str, rows: Iterable[Row], notes: Iterable[str] = (), beside: str = "floor") -> str:
    """`beside` names what the rows' `floor` is."""
    head = ("what", "memoryd", beside, "ratio", "aim", "", "what limits it")
    lines = [f"## {title}", "", _line(head), _line(["---"] * len(head)), *(_line(row.cells) for row in rows), ""]
    return "\n".join([*lines, *(f"* {note}" for note in notes), ""])


def summary(parts: Iterable[tuple[str, Iterable[Row]]]) -> str:
    """Every row with an aim, by section, and how many meet theirs."""
    aimed = [(title, row) for title, rows in parts for row in rows if row.met is not None]
    lines = [
        _line((title, row.what, row.value, row.floor, row.ratio, row.aim, row.verdict)) for title, row in aimed
    ]  # fmt: skip
    head = ("section", "what", "measured", "beside it", "ratio", "aim", "")
    met = sum(bool(row.met) for _, row in aimed)
    top = [f"## Summary: {met} of {len(aimed)} aims met", "", _line(head), _line(["---"] * len(head))]
    return "\n".join([*top, *lines, ""])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

"""The table at the end of `make faults`: what was injected how often, and what it cost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from support.faults_oracle import Verdict

_HEAD = ("kind", "injections", "events", "lost", "duplicated", "unexpected", "seconds", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of fault. Events are counted where a verdict was given, else None."""

    kind: str
    injections: int
    events: int | None = None
    lost: int | None = None
    duplicated: int | None = None
    unexpected: int | None = None
    seconds: float = 0.0
    said: str = ""  #: failed, or why it was skipped

    def as_property(self) -> dict[str, Any]:
        """What a test's report can carry from one process to another."""
        return asdict(self)

    def and_also(self, other: "Row") -> "Row":
        """The same kind, injected by another test."""
        counts: dict[str, Any] = {
            name: _sum(getattr(self, name), getattr(other, name))
            for name in ("injections", "events", "lost", "duplicated", "unexpected", "seconds")
        }
        return replace(self, **counts, said=self.said or other.said)


class Judge(Protocol):
    """The fixture of every fault test. Called as often as there is something to judge."""

    def __call__(self, kind: str, injections: int, verdict: Verdict | None = None) -> None:
        """Note a row of the table; the test fails when the verdict has problems."""
        ...


def row(kind: str, injections: int, verdict: Verdict | None) -> Row:
    if verdict is None:
        return Row(kind=kind, injections=injections)
    return Row(
        kind=kind, injections=injections, events=verdict.events, lost=verdict.lost, duplicated=verdict.duplicated,
        unexpected=verdict.unexpected,
    )  # fmt: skip


def merged(rows: Iterable[Row]) -> list[Row]:
    """One row for each kind, in alphabetical order."""
    found: dict[str, Row] = {}
    for one in rows:
        found[one.kind] = found[one.kind].and_also(one) if one.kind in found else one
    return [found[kind] for kind in sorted(found)]


def of_property(found: Mapping[str, Any], seconds: float, said: str) -> Row:
    return replace(Row(**found), seconds=seconds, said=said)


def markdown(rows: Sequence[Row]) -> str:
    total = Row(kind="**all**", injections=0)
    for one in rows:
        total = total.and_also(one)
    lines = [
        _line(_HEAD),
        _line(["---"] * len(_HEAD)),
        *(_line(_cells(one)) for one in (*rows, replace(total, said=""))),
    ]
    return "\n".join(lines) + "\n"


def _cells(one: Row) -> list[str]:
    counts = (one.events, one.lost, one.duplicated, one.unexpected)
    return [
        one.kind, f"{one.injections:,}", *("–" if count is None else f"{count:,}" for count in counts),
        f"{one.seconds:.0f}", one.said,
    ]  # fmt: skip


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _sum(a: float | None, b: float | None) -> float | None:
    return None if a is None and b is None else (a or 0) + (b or 0)

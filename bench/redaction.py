"""Redaction: 64 KiB of text on its way into the journal, beside looking for each literal of the rules once."""

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from bench.ground import Ground
from bench.table import Row
from bench.timing import in_turn
from memoryd.ipc.redaction.engine import RULES
from memoryd.ipc.sanitise import sanitise

TITLE = "Redaction"
PAYLOAD_BYTES = 64 * 1024
_ROOT = Path(__file__).resolve().parents[1]
_CHINESE = "我们决定把数据库迁移到 PostgreSQL，因为需要 JSONB。请在提交之前运行 make lint，然后再看结果。"
_LITERALS = sorted({literal for rule in RULES for literal in rule.literals})


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    """One row a kind of text; the Chinese one has fewer characters in the same bytes."""
    rows = [_row(what, text, rounds=10 if ground.quick else 40) for what, text in _payloads().items()]
    notes = [
        f"{len(RULES)} rules, {len(_LITERALS)} literals; floor: `literal in text` for each of them, no rule tried."
    ]
    return rows, notes


def _row(what: str, text: str, rounds: int) -> Row:
    times = in_turn({"ours": _timed(lambda: sanitise(text)), "floor": _timed(lambda: _look(text))}, rounds)
    ours, floor = times["ours"], times["floor"]
    speed = PAYLOAD_BYTES / ours.median / 1e6
    return Row(
        what=f"64 KiB of {what}", value=f"{ours.ms()}, {speed:.0f} MB/s", floor=floor.ms(),
        ratio=f"{ours.over(floor):.2f}x", limit="the searches for literals",
    )  # fmt: skip


def _timed(work: Callable[[], object]) -> Callable[[], float]:
    def once() -> float:
        began = perf_counter()
        work()
        return perf_counter() - began

    return once


def _look(text: str) -> int:
    return sum(literal in text for literal in _LITERALS)


def _payloads() -> dict[str, str]:
    code = "\n".join(path.read_text("utf-8") for path in sorted((_ROOT / "src").rglob("*.py"))[:60])
    pages = "\n".join(path.read_text("utf-8") for path in sorted((_ROOT / "docs").glob("*.md")))
    pages = pages.replace("<private>", "(private)").replace("</private>", "")  # it would run to the end
    return {
        "English pages": _filled(pages), "code": _filled(code), "JSON-escaped code": _filled(json.dumps(code)),
        "Chinese": _filled(_CHINESE),
    }  # fmt: skip


def _filled(text: str) -> str:
    return (text * (PAYLOAD_BYTES // len(text) + 1)).encode()[:PAYLOAD_BYTES].decode(errors="ignore")

"""The pages say what the code does: names, tables and paths are compared."""

import ast
import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryd.daemon.cli import openmetrics
from memoryd.daemon.config import Config
from memoryd.errors import MemorydError
from memoryd.ipc.events import KINDS
from memoryd.ipc.methods import METHODS
from memoryd.ipc.methods.worker import WorkerStats

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / n for n in ("README.md", "README.zh-CN.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
]
SOURCE = ROOT / "src" / "memoryd"


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_every_path_that_a_page_names_exists(path: Path) -> None:
    text = path.read_text("utf-8")
    named = re.findall(r"`((?:src|tests|docs|bench|daemon|worker|memory|ipc|seeds|systemd|launchd)/[\w./-]+)`", text)
    named += re.findall(r"`((?:errors|clock|fsio)\.py)`", text)
    missing = [
        n for n in named if not (ROOT / n).exists() and not (SOURCE / n).exists() and not n.endswith("held.json")
    ]
    assert not [n for n in missing if n not in ("bench/results",)]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_every_link_between_pages_leads_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#([\w-]+))?\)", path.read_text("utf-8"))
    for target, anchor in links:
        found = path.parent / target
        assert found.exists(), f"{path.name}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", found.read_text("utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}, (
                f"{target}#{anchor}"
            )


def test_every_setting_is_in_the_table_and_no_other() -> None:
    table = page("operations.md").split("## Configuration")[1].split("## Service")[0]
    rows = dict(re.findall(r"^\| `\[(\w+)\]` \| (.+) \|$", table, re.MULTILINE))
    settings = {name: set(info.default.__class__.model_fields) for name, info in Config.model_fields.items()}
    assert set(rows) == set(settings)
    for section, text in rows.items():
        assert set(re.findall(r"`(\w+)`", text)) == settings[section], section


def test_the_versions_of_hosts_that_are_proven_are_those_that_are_run() -> None:
    pins = re.findall(r"^npm-([\w-]+)\s*:= \S+@([\d.]+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    rows = re.findall(r"^\| `([\w-]+)` \| (\d[\d.]+) \|", (ROOT / "docs/hosts.md").read_text("utf-8"), re.MULTILINE)
    assert len(pins) == 6
    assert rows == pins


def test_every_method_is_in_the_table() -> None:
    table = page("protocol.md").split("## Methods")[1].split("## Events")[0]
    told = [
        name for cell in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for name in re.findall(r"`([a-z.]+)`", cell)
    ]
    assert sorted(told) == sorted(METHODS)


def test_every_kind_of_event_is_in_the_table() -> None:
    table = page("protocol.md").split("## Events")[1]
    first_cells = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    assert {kind for cell in first_cells for kind in re.findall(r"`(\w+)`", cell)} == set(KINDS)


def test_every_error_is_in_the_table_with_its_exit_status_and_retry() -> None:
    rows = re.findall(r"^\| (`[^|]+`) \| (\d+) \| ([a-z-]+) \|$", page("protocol.md"), re.MULTILINE)
    told = {code: (int(status), retry) for cell, status, retry in rows for code in re.findall(r"`([a-z-]+)`", cell)}
    assert told == {kind.code: (kind.exit_status, str(kind.retry)) for kind in MemorydError.__subclasses__()}


def test_every_log_event_has_a_row_with_its_remedy() -> None:
    table = page("operations.md").split("## Log events")[1]
    told = {
        name for cell in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for name in re.findall(r"`([\w.]+)`", cell)
    }
    logged = set()
    for path in SOURCE.rglob("*.py"):
        logged |= set(re.findall(r"\blog\.\w+\(\s*\"([a-z]+\.[a-z_]+)\"", path.read_text("utf-8")))
    assert logged - told == set()
    assert told - logged == {"journal.failed"}  # written by hand, as the process ends


def test_every_metric_has_a_row_under_both_its_names() -> None:
    table = page("operations.md").split("## Metrics")[1].split("## Log events")[0]
    rows = re.findall(r"^\| `(\w+)` \| (?:`(\w+)`)? *\|", table, re.MULTILINE)
    assert {name for name, _ in rows} == set(WorkerStats.model_fields) - {"directories"}
    now = datetime.now(UTC)
    stats = WorkerStats(last_completed_at=now, last_duration_ms=1, paused_until=now)
    exported = re.findall(r"^(\w+)\{", openmetrics.text(stats, "/memory"), re.MULTILINE)
    assert sorted(exported) == sorted(name for _, name in rows if name)


_TEST = r"`(tests/[\w/]+\.py)::(test_\w+)`"


def test_every_mechanism_has_its_place_and_a_test_that_exists_or_says_that_it_has_none() -> None:
    table, _, not_for_us = page("sources.md").partition("## Not for us")
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in re.findall(r"^\|.*$", table, re.MULTILINE)]
    rows = [row for row in rows if row[0] != "mechanism" and set(row[0]) != {"-"}]
    assert rows
    assert re.search(r"^- ", not_for_us, re.MULTILINE)
    for row in rows:
        assert len(row) == 3, row
        what, where, shown = row
        assert what, row
        place = re.fullmatch(r"`([\w./]+)`", where)
        assert place, row
        assert (SOURCE / place[1]).exists(), row
        assert re.fullmatch(rf"`next`|{_TEST}(?:, {_TEST})*", shown), row
        for file, name in re.findall(_TEST, shown):
            assert name in _tests_of(file), f"{file} defines no {name}"


def _tests_of(file: str) -> set[str]:
    """The functions that a file of tests defines, those inside classes too."""
    nodes = ast.walk(ast.parse((ROOT / file).read_text("utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


README = ROOT / "README.md"
CHINESE = ROOT / "README.zh-CN.md"
_MADE_FROM = r"\n<!-- made from README\.md ([0-9a-f]{16}) -->\n\Z"


def test_the_chinese_readme_was_made_from_the_readme_that_is_here() -> None:
    now = hashlib.sha256(README.read_bytes()).hexdigest()[:16]
    assert re.findall(_MADE_FROM, CHINESE.read_text("utf-8")) == [now], (
        "README.md has changed: bring the same lines of README.zh-CN.md up to date, then end that file with "
        f"<!-- made from README.md {now} --> (the hash is `sha256sum README.md | cut -c1-16`)"
    )


def test_each_line_of_the_chinese_readme_keeps_what_is_not_language() -> None:
    english = README.read_text("utf-8").splitlines()
    chinese = re.sub(_MADE_FROM, "", CHINESE.read_text("utf-8")).splitlines()
    assert english[2] == "English · [简体中文](README.zh-CN.md)"
    assert chinese[2] == "[English](README.md) · 简体中文"
    del english[2], chinese[2]
    for ours, theirs in zip(english, chinese, strict=False):
        assert _kept(theirs) == _kept(ours), f"README.md says {ours!r}, README.zh-CN.md has {theirs!r} in its place"
    assert len(chinese) == len(english)


def _kept(line: str) -> dict[str, object]:
    """What a translation keeps of a line: its kind, cells and command, and what is not words."""
    return {
        "blank": not line,
        "kind": re.findall(r"^ *(?:#+ |- |\||)", line),
        "cells": line.count("|"),
        "command": line.partition("#")[0] if line.startswith("    ") else "",
        "code": sorted(re.findall(r"`[^`]+`", line)),
        "numbers": sorted(re.findall(r"\d+(?:\.\d+)*", line)),
        "links": re.findall(r"\]\(([^)]+)\)", line),
    }


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_row_of_a_table_stands_twice(path: Path) -> None:
    for block in path.read_text("utf-8").split("\n\n"):
        cells = [row.split(" | ")[0] for row in block.split("\n") if row.startswith("| ")]
        assert sorted(cells) == sorted(set(cells))

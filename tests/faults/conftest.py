"""Every fault test says what it injected; the table of them all stands at the end and in bench/results/faults.md."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.faults_oracle import Verdict
from support.faults_profile import FULL, SEED
from support.faults_table import Judge, Row, markdown, merged, of_property, row
from support.installation import Installation, installed

RESULTS = Path(__file__).parents[2] / "bench" / "results" / "faults.md"
_PROPERTY = "fault"


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """One that consolidates after each turn; not started."""
    with installed(tmp_path / "h", CONSOLIDATION__INTERVAL_TURNS="1") as one:
        yield one


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    def judge(kind: str, injections: int, verdict: Verdict | None = None) -> None:
        request.node.user_properties.append((_PROPERTY, row(kind, injections, verdict).as_property()))
        assert verdict is None or verdict.problems == []

    return judge


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows = merged(one for report in _reports(terminalreporter) for one in _rows(report))
    if not rows:
        return
    profile = "full" if FULL else "quick"
    text = f"MEMORYD_FAULTS={profile} MEMORYD_SEED={SEED}\n\n{markdown(rows)}"
    terminalreporter.section("faults")
    terminalreporter.write_line(text)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(f"# memoryd faults\n\n{text}", encoding="utf-8")


def _reports(reporter: pytest.TerminalReporter) -> list[pytest.TestReport]:
    """Of each test the phase that decided: the call, or a setup that failed or skipped it."""
    found = [one for outcome in ("passed", "failed", "error", "skipped") for one in reporter.stats.get(outcome, [])]
    return [
        one
        for one in found
        if isinstance(one, pytest.TestReport)
        and "tests/faults/" in one.nodeid
        and (one.when == "call" or not one.passed)
    ]


def _rows(report: pytest.TestReport) -> Iterator[Row]:
    """What a test judged; its seconds stand in the first."""
    said = "" if report.passed else "skipped" if report.skipped else "**failed**"
    found = [one for name, one in report.user_properties if name == _PROPERTY and isinstance(one, dict)]
    for number, one in enumerate(found or [Row(kind=_sentence(report), injections=0).as_property()]):
        yield of_property(one, 0.0 if number else report.duration, said)


def _sentence(report: pytest.TestReport) -> str:
    return report.nodeid.partition("::")[2].partition("[")[0].removeprefix("test_").replace("_", " ")

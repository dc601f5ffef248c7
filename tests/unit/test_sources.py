"""`make sources`: what the page names must be collected, and pass."""

from pathlib import Path

import pytest
import sources

REPORT = """<testsuites><testsuite>
<testcase file="tests/a.py" name="test_one[1]"/><testcase file="tests/a.py" name="test_one[2]"><failure/></testcase>
<testcase file="tests/a.py" name="test_two[1]"><skipped/></testcase><testcase file="tests/a.py" name="test_two[2]"/>
<testcase file="tests/a.py" name="test_three"><skipped/></testcase>
</testsuite></testsuites>"""


def test_of_several_parameters_the_worst_counts_and_a_skip_passes_nothing() -> None:
    assert sources.ended(REPORT) == {
        "tests/a.py::test_one": "failed", "tests/a.py::test_two": "passed", "tests/a.py::test_three": "skipped",
    }  # fmt: skip


def test_a_renamed_test_and_one_that_fails_end_it_with_a_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here, gone = "tests/unit/test_sources.py::test_a_renamed_test_and_one_that_fails_end_it_with_a_status", (
        "tests/unit/test_sources.py::test_that_had_another_name"
    )  # fmt: skip
    page = tmp_path / "sources.md"
    page.write_text(f"| a | `b` | `{here}` |\n")
    monkeypatch.setattr(sources, "PAGE", page)
    monkeypatch.setattr(sources, "run", lambda tests: dict.fromkeys(tests, "passed"))
    assert sources.main([]) == 0
    page.write_text(f"| a | `b` | `{here}`, `{gone}` |\n")
    assert sources.main([]) == 1
    assert f"not collected: {gone}" in capsys.readouterr().out
    page.write_text(f"| a | `b` | `{here}` |\n")
    monkeypatch.setattr(sources, "run", lambda tests: dict.fromkeys(tests, "failed"))
    assert sources.main([]) == 1

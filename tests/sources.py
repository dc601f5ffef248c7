"""Every test that docs/sources.md names is collected and passes: `make sources`.

    python tests/sources.py             # all
    python tests/sources.py dreaming    # those with this in their name

What is not collected, or fails, ends it with status 1; a test that this machine cannot run is told with its reason.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from package import ROOT

PAGE = ROOT / "docs" / "sources.md"
_ID = re.compile(r"`(tests/[\w/]+\.py::test_\w+)`")
_COMMAND = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def main(wanted: Sequence[str]) -> int:
    tests = [one for one in named(PAGE.read_text("utf-8")) if not wanted or any(part in one for part in wanted)]
    gone = sorted({*tests} - collected(one.partition("::")[0] for one in tests))
    told = run([one for one in tests if one not in gone])
    wrong = [one for one in tests if one not in gone and told.get(one, "not run") not in ("passed", "skipped")]
    for one in gone:
        print(f"not collected: {one}")
    for one in wrong:
        print(f"{told.get(one, 'not run')}: {one}")
    skipped = sum(how == "skipped" for how in told.values())
    passed = len(tests) - len(gone) - len(wrong) - skipped
    print(f"{len(tests)} tests are named: {passed} pass, {skipped} skipped, {len(wrong)} fail, {len(gone)} gone")
    return 1 if gone or wrong or not tests else 0


def named(page: str) -> list[str]:
    """The tests that a page names, `FILE::NAME`, each once."""
    return list(dict.fromkeys(_ID.findall(page)))


def collected(files: Iterable[str]) -> set[str]:
    """The tests that pytest finds in these files, without their parameters."""
    there = [file for file in dict.fromkeys(files) if (ROOT / file).exists()]
    if not there:
        return set()
    done = subprocess.run([*_COMMAND, "--collect-only", *there], cwd=ROOT, capture_output=True, text=True, check=False)
    return {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}


def run(tests: Sequence[str]) -> dict[str, str]:
    """Each test with how it ended: passed, skipped or failed; with several parameters the worst of them."""
    if not tests:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        several = ("-n", "auto", "--maxprocesses", "8", "--dist", "worksteal", "--timeout", "1800")
        options = (f"--junitxml={report}", "-o", "junit_family=xunit1", "-rs")
        environment = {"MEMORYD_FAULTS": "quick", **os.environ}
        subprocess.run([*_COMMAND, *several, *options, *tests], cwd=ROOT, env=environment, check=False)
        return ended(report.read_text("utf-8")) if report.exists() else {}


def ended(report: str) -> dict[str, str]:
    """How each test of a JUnit report ended."""
    told: dict[str, str] = {}
    for case in ElementTree.fromstring(report).iter("testcase"):
        name = f"{case.get('file')}::{(case.get('name') or '').partition('[')[0]}"
        kinds = {part.tag for part in case}
        how = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        told[name] = max(how, told.get(name, how), key=("skipped", "passed", "failed").index)
    return told


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

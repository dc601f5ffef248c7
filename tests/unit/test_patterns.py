import re
import subprocess
import sys

import pytest

from memoryd.patterns import lazy


def test_a_wrong_expression_is_told_at_its_first_use_and_not_before() -> None:
    wrong = lazy("(")
    with pytest.raises(re.error):
        wrong.search("x")


def test_it_answers_as_the_compiled_one_does_with_its_flags() -> None:
    found = lazy(r"a(b)", re.IGNORECASE).search("xAB")
    assert found is not None
    assert found.groups() == ("B",)
    assert lazy(r",").split("a,b") == ["a", "b"]


def test_a_start_compiles_no_expression_about_what_people_say() -> None:
    code = (
        "import memoryd.daemon.serve;"
        "from memoryd.memory import proposal_rules, terms, wording;"
        "late = (terms._CONSTRAINT, terms._DECISION, wording._IMPERATIVE, proposal_rules._CHANGES);"
        "print([one.pattern[:20] for one in late if 'search' in vars(one)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

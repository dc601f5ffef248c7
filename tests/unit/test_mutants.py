"""The table of guards that `make mutants` takes out one by one follows the source."""

from pathlib import Path

import pytest
from mutants import guards
from mutants.guard import Guard, Moved

import memoryd

SOURCE = Path(memoryd.__file__).parent
TESTS = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("guard", guards.ALL, ids=lambda guard: guard.name)
def test_a_guard_stands_where_the_table_says_and_its_tests_exist(guard: Guard) -> None:
    assert (SOURCE / guard.file).read_text(encoding="utf-8").count(guard.old) == 1
    for test in guard.tests:
        file, _, name = test.partition("::")
        assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8") if name else (TESTS / file).is_file()


def test_there_are_many_guards_and_each_has_a_name_of_its_own() -> None:
    names = {guard.name for guard in guards.ALL}
    assert len(names) == len(guards.ALL) >= 25


def test_a_guard_that_moved_is_told(tmp_path: Path) -> None:
    (tmp_path / "fsio.py").write_text("nothing of it\n")
    with pytest.raises(Moved, match=r"sync-file: fsio\.py holds its text 0 times"):
        guards.ALL[0].remove(tmp_path)
    assert (tmp_path / "fsio.py").read_text() == "nothing of it\n"

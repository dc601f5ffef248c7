"""What `make release` looks at before it builds."""

from pathlib import Path

import pytest
import release


def test_the_package_says_of_itself_what_was_tested() -> None:
    assert list(release._declared()) == []


def test_version_changelog_tag_and_tree_must_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "_git", lambda word, *_: {"status": "", "tag": "v1.2.0"}[word])
    (tmp_path / "src/memoryd").mkdir(parents=True)
    (tmp_path / "src/memoryd/__init__.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 1.2.0\n\nWhat is new:\n\n- This.\n")
    assert list(release._state("1.2.0")) == []
    assert len(list(release._state("1.2.1"))) == 3
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n- That.\n\n## 1.2.0\n")
    assert [fault.partition(" has ")[2] for fault in release._state("1.2.0")] == [
        "nothing under `## 1.2.0`",
        "lines under `## Unreleased`",
    ]


@pytest.mark.parametrize("path", ["src/memoryd/__pycache__/x.pyc", "state.db", ".env", "tests/key.pem", "a/x.swp"])
def test_what_no_release_may_hold_is_found(path: str) -> None:
    assert release._STRAY.search(path)


@pytest.mark.parametrize("path", ["docs/environment.md", "src/memoryd/daemon/journal/dump.py", "tests/golden/v1.sql"])
def test_what_belongs_to_it_is_not(path: str) -> None:
    assert not release._STRAY.search(path)

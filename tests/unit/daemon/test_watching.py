from pathlib import Path

from memoryd.daemon.watching import ConfigFile


def test_a_file_that_is_written_or_removed_is_another_one_once(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    file = ConfigFile(path)
    assert [file.changed(), file.changed()] == [True, False]
    path.write_text("[agent]\n")
    assert [file.changed(), file.changed()] == [True, False]
    path.unlink()
    assert [file.changed(), file.changed()] == [True, False]


def test_a_file_that_was_removed_before_it_is_looked_at_afresh_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[agent]\n")
    file = ConfigFile(path)
    assert file.changed()
    path.unlink()
    file.look_afresh()
    assert file.changed(), "the settings of the removed file would stay in force"

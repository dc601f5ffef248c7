from pathlib import Path

from memoryd.daemon.journal.writer import connect


def test_a_commit_is_synced_before_it_is_told_and_what_is_removed_is_overwritten(tmp_path: Path) -> None:
    connection = connect(tmp_path / "state.db")
    pragmas = ("journal_mode", "synchronous", "fullfsync", "checkpoint_fullfsync", "foreign_keys", "secure_delete")
    found = [connection.execute(f"pragma {name}").fetchone()[0] for name in pragmas]
    connection.close()
    assert found == ["wal", 2, 1, 1, 1, 2]

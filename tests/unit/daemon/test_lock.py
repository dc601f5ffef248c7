import os
from pathlib import Path

import pytest

from memoryd.daemon import mounts
from memoryd.daemon.lock import DataLock, holder
from memoryd.errors import Busy, ConfigError


def test_a_second_daemon_is_told_who_holds_the_directory_until_that_one_ends(tmp_path: Path) -> None:
    first = DataLock.take(tmp_path / "data")
    with pytest.raises(Busy, match=f"pid {os.getpid()}"):
        DataLock.take(tmp_path / "data")
    first.release()
    DataLock.take(tmp_path / "data").release()
    assert holder(tmp_path / "data") is None


def test_a_lock_file_that_a_dead_daemon_left_blocks_nothing_and_the_directory_becomes_private(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("1\n")
    tmp_path.chmod(0o755)
    DataLock.take(tmp_path).release()
    assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "network_kind", lambda path: "nfs4")
    with pytest.raises(ConfigError, match="nfs4"):
        DataLock.take(tmp_path / "data")

"""What a data directory lies on."""

from pathlib import Path

import pytest

from memoryd.daemon import mounts, on_disk
from memoryd.daemon.checks import Mark
from memoryd.ipc.places import Places


@pytest.mark.parametrize(
    ("folder", "service"),
    [
        ("Dropbox/data", "Dropbox"), ("Dropbox (Personal)/data", "Dropbox"), ("OneDrive - Example/data", "OneDrive"),
        ("Library/Mobile Documents/data", "iCloud"), ("Google Drive/data", "Google Drive"),
        ("GoogleDrive-x/data", "Google Drive"), ("Nextcloud/data", "Nextcloud"), ("Dropboxes/data", None),
        ("notes/data", None),
    ],
)  # fmt: skip
def test_a_synchronised_folder_is_known_by_its_name(tmp_path: Path, folder: str, service: str | None) -> None:
    assert mounts.sync_service(tmp_path / folder) == service


@pytest.mark.parametrize(("mark", "service"), [(".stfolder", "Syncthing"), (".dropbox", "Dropbox")])
def test_or_by_what_its_program_leaves_in_it(tmp_path: Path, mark: str, service: str) -> None:
    (tmp_path / "share" / mark).mkdir(parents=True)
    assert mounts.sync_service(tmp_path / "share" / "deep" / "data") == service


def test_doctor_tells_where_to_put_the_data_instead(tmp_path: Path) -> None:
    data = tmp_path / "Dropbox" / "data"
    data.mkdir(parents=True, mode=0o700)
    check = on_disk.data(Places(data=data, socket=tmp_path / "s", config=tmp_path / "c"))
    assert (check.mark, "Dropbox" in check.found, "data_dir" in check.mend) == (Mark.WRONG, True, True)

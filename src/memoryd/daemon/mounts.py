"""What a path is on: SQLite's WAL and flock do not hold on network file systems, and a program that synchronises a
folder copies a database while it is written."""

import os
import re
import subprocess
import sys
from pathlib import Path

_NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "afs", "ncpfs", "ceph", "glusterfs", "lustre", "9p", "webdav")
)


def network_kind(path: Path, *, mount_table: str | None = None) -> str | None:
    """Return the kind of the network file system that holds `path`, None when it is local or unknown."""
    kind = _kind_of(Path(os.path.realpath(path)), _table() if mount_table is None else mount_table)
    return (
        kind if kind in _NETWORK or kind.startswith(("fuse.sshfs", "fuse.rclone", "fuse.s3", "fuse.gluster")) else None
    )


_SYNC_MARKS = {
    ".dropbox": "Dropbox",
    ".stfolder": "Syncthing",
    ".sync": "Resilio Sync",
    ".owncloudsync.log": "ownCloud",
}
_SYNC_NAMES = re.compile(
    r"(?P<Dropbox>Dropbox(?: \(.*\))?)|(?P<OneDrive>OneDrive(?: - .*)?)|(?P<iCloud>Mobile Documents|iCloud ?Drive)"
    r"|(?P<Google_Drive>Google ?Drive|GoogleDrive-.*)|(?P<Nextcloud>Nextcloud)|(?P<Box>Box Sync|Box-Box)"
)


def sync_service(path: Path) -> str | None:
    """Return the program that synchronises the folder, by its marks or the name of a folder above; None: none known."""
    for folder in (path, *path.parents):
        mark = next((name for mark, name in _SYNC_MARKS.items() if (folder / mark).exists()), None)
        named = _SYNC_NAMES.fullmatch(folder.name)
        if mark or (named and named.lastgroup):
            return mark or str(named and named.lastgroup).replace("_", " ")
    return None


def _table() -> str:
    """The mounts, one a line: Linux's mountinfo, or what `mount` prints on macOS."""
    try:
        if sys.platform == "darwin":
            return subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=5, check=False).stdout
        return Path("/proc/self/mountinfo").read_text("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired):
        return ""


_MOUNTINFO = re.compile(r"^\d+ \d+ \d+:\d+ \S+ (?P<point>\S+) .*? - (?P<kind>\S+) ", re.MULTILINE)
_DARWIN = re.compile(r"^.+ on (?P<point>/.*?) \((?P<kind>\w+)[,)]", re.MULTILINE)


def _kind_of(path: Path, table: str) -> str:
    """The last mount whose point is the longest that leads to the path."""
    best, kind = -1, ""
    for match in (_MOUNTINFO if " - " in table else _DARWIN).finditer(table):
        point = Path(match["point"].replace("\\040", " "))
        if len(point.parts) >= best and path.is_relative_to(point):
            best, kind = len(point.parts), match["kind"]
    return kind

"""What `memoryd doctor` finds on the disk: the data directory, the journal, the spool, the memory files."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memoryd.clock import utc_now
from memoryd.daemon import mounts
from memoryd.daemon.checks import Check, off, ok, wrong
from memoryd.daemon.journal.damage import damage_of
from memoryd.ipc.places import Places
from memoryd.ipc.spool import Spool
from memoryd.memory.directory import unread

_MOVE = "set [daemon] data_dir to a folder that is not (`memoryd backup` makes copies that are whole)"
MIN_FREE_BYTES = 16 * 1024 * 1024  #: for the journal and its log
MAX_AHEAD = timedelta(minutes=5)  #: clocks of machines that share a home differ by less
MAX_WAIT = timedelta(minutes=5)  #: the daemon looks into the spool once a minute
MAX_NAMED = 5  #: files that are named


def data(places: Places) -> Check:
    folder = places.data
    kind = mounts.network_kind(folder)
    if kind:
        return wrong("data", f"{folder} is on {kind}", "set [daemon] data_dir to a local disk")
    if not folder.exists():
        return off("data", f"{folder} is not there yet", "`memoryd start` makes it")
    status = folder.stat()
    if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
        return wrong("data", f"{folder} is not a folder of yours", "set [daemon] data_dir to one that is")
    if status.st_mode & 0o077:
        return wrong("data", f"others can look into {folder}", f"`chmod 700 {folder}`")
    if not os.access(folder, os.W_OK):
        return wrong("data", f"{folder} cannot be written", "correct its mode or its file system")
    if service := mounts.sync_service(folder):
        return wrong("data", f"{folder} is synchronised by {service}", f"{_MOVE}; {service} may copy half a journal")
    return ok("data", f"{folder}, local, for you alone")


def journal(places: Places) -> Check:
    path = places.data / "state.db"
    if not path.exists():
        return off("journal", f"{path} is not there yet")
    if not path.stat().st_mode & stat.S_IWUSR or not os.access(path, os.W_OK):
        return wrong("journal", f"{path} is read-only", f"`chmod 600 {path}`, then `memoryd restart`")
    if (free := shutil.disk_usage(places.data).free) < MIN_FREE_BYTES:
        found = f"{free} bytes are free on the disk of {places.data}; events are refused when none are"
        return wrong("journal", found, "free space; hooks and daemon go on by themselves")
    damage = damage_of(path)
    if damage is None:
        return ok("journal", f"{path}, whole")
    mend = (
        f"`memoryd stop`, then restore a backup (docs/operations.md), or move {path.name} and its -wal and -shm away:"
        " the memory files stay, what was recorded and the history begin anew"
    )
    return wrong("journal", f"{path} is damaged: {damage}", mend)


def clock(places: Places, newest_at: datetime | None) -> Check:
    """Whether it is later than what happened already.

    :param newest_at: of the newest event, by its host's word
    """
    files = [path for name in ("state.db", "state.db-wal") if (path := places.data / name).exists()]
    known = [datetime.fromtimestamp(path.stat().st_mtime, UTC) for path in files] + ([newest_at] if newest_at else [])
    now, last = utc_now(), max(known, default=utc_now())
    if last - now <= MAX_AHEAD:
        return ok("clock", f"{now:%Y-%m-%d %H:%M} UTC")
    found = f"it is {now:%Y-%m-%d %H:%M} UTC here, and something was recorded at {last:%Y-%m-%d %H:%M} already"
    return wrong("clock", found, "set the clock (`timedatectl set-ntp true`); if it was wrong then: purge that session")


def spool(places: Places, *, running: bool) -> Iterator[Check]:
    held = Spool(places.spool)
    waiting, bad, oldest = held.count(), held.bad(), held.oldest()
    if running and oldest and utc_now() - oldest > MAX_WAIT:
        found = f"{waiting} events wait, since {oldest:%Y-%m-%d %H:%M} UTC, and the daemon does not take them in"
        yield wrong("spool", found, "`memoryd restart`; if it goes on, `memoryd logs --level warning` says why")
    elif waiting:
        mend = "`memoryd start` takes them in" if not running else "the daemon takes them in within a minute"
        yield off("spool", f"{waiting} events wait, {held.bytes()} bytes", mend)
    else:
        yield ok("spool", "empty")
    if held.marked("full"):
        mark = places.spool / ".full"
        yield wrong("spool", "it was full and events were dropped", f"start the daemon, then `rm {mark}`")
    if bad:
        folder = places.spool / "bad"
        yield wrong("spool", f"{bad} events could not be read", f"look into {folder}; delete what you do not need")


def memory_files(roots: Sequence[Path]) -> Check:
    """Files of memory that are left out, in every directory that is known."""
    skipped = [(root, one) for root in roots for one in unread(root)]
    if not skipped:
        return ok("memory files", "each is read")
    told = [f"{root / one.path} ({one.reason})" for root, one in skipped[:MAX_NAMED]]
    found = f"{len(skipped)} not read: {'; '.join(told)}" + ("; …" if len(skipped) > MAX_NAMED else "")
    return wrong("memory files", found, "make each a plain file of at most 1 MiB, or move it away")

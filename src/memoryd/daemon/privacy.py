"""What is stored where, what is kept out, what leaves the machine: the answer to `memoryd privacy`. No values."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.clock import parse_rfc3339
from memoryd.daemon.config import Config
from memoryd.daemon.journal import holdings, redactions
from memoryd.daemon.journal.store import Store
from memoryd.daemon.journal.upkeep import QUARANTINE_DAYS, Pause
from memoryd.ipc.methods.daemon import Outgoing, PauseInfo, Privacy, Redacted, StoredPlace
from memoryd.ipc.places import Places
from memoryd.worker import second_net

#: what the files of a data directory are, by the beginning of their path below it; the first that fits
_KINDS = (
    ("state.db", "journal: events, sessions, versions"),
    ("user/", "memory of all projects"),
    ("projects/", "memory of one project each"),
    ("spool/", "events that wait, as the hooks received them: not redacted"),
    ("index/", "search index"),
    ("provider/", "what the external memory provider wrote where it works"),
    ("logs.db", "logs"),
    ("daemon.log", "log of `memoryd start`"),
    ("", "locks, keys, hook script and what `install` changed"),
)


def report(
    places: Places, config: Config, journal: Store, *,
    pauses: Sequence[Pause], passed_over: Mapping[str, int], now: datetime,
) -> Privacy:  # fmt: skip
    """Look at the files, the journal and the settings. Blocking."""
    return Privacy(
        data_dir=str(places.data),
        stored=tuple(_stored(places, config)),
        rows=holdings.rows(journal),
        redacted=tuple(_redacted(journal)),
        pii=config.privacy.pii,
        scanner="off" if not config.privacy.scanner else "on" if second_net.is_installed() else "not installed",
        retention_days=config.retention.days,
        retention_max_bytes=config.retention.max_bytes,
        quarantine_days=QUARANTINE_DAYS,
        exclude=config.privacy.exclude,
        record_headless=config.privacy.record_headless,
        pauses=tuple(PauseInfo(memory_dir=p.dir or None, since=p.since, until=p.until) for p in pauses if p.is_on(now)),
        passed_over=dict(passed_over),
        outgoing=tuple(outgoing(config.model_dump(mode="json"))),
    )


def outgoing(settings: Mapping[str, Mapping[str, Any]]) -> Iterator[Outgoing]:
    """What sends text away from this machine; nothing does by default.

    :param settings: the effective ones, by section; one that names an endpoint, a model or a command and is on, sends
    """
    for section, table in settings.items():
        off = table.get("kind") == "rules" or table.get("embedder") in ("none", "use", "e5")  # they run here
        named = {key: table[key] for key in ("model", "base_url", "command") if table.get(key)}
        if section == "provider":
            named |= {
                kind: call["tool"] for kind, call in table.items() if isinstance(call, Mapping) and call.get("tool")
            }
            off = not table.get("command")
        if named and not off:
            where = ", ".join(f"{key} {_shown(value)}" for key, value in named.items())
            yield Outgoing(what=section, where=where)


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _redacted(journal: Store) -> Iterator[Redacted]:
    for row in redactions.counted(journal):
        yield Redacted(label=row["label"], count=row["count"], last_at=parse_rfc3339(row["last_at"]))


def _stored(places: Places, config: Config) -> Iterator[StoredPlace]:
    sizes: dict[tuple[str, str], list[int]] = {kind: [] for kind in _KINDS}
    for path, size in _files(places.data):
        sizes[next(kind for kind in _KINDS if path.startswith(kind[0]))].append(size)
    for (start, what), found in sizes.items():
        if found:
            yield StoredPlace(what=what, path=str(places.data / start), files=len(found), bytes=sum(found))
    if config.logs.file:
        log = Path(config.logs.file).expanduser()
        rotated = [p.stat().st_size for p in log.parent.glob(f"{log.name}*") if p.is_file()]
        yield StoredPlace(what="log", path=str(log), files=len(rotated), bytes=sum(rotated))


def _files(data: Path) -> Iterator[tuple[str, int]]:
    """Regular files below the data directory: path and bytes. What goes away meanwhile is left out."""
    for folder, _, names in os.walk(data):
        for name in names:
            path = os.path.join(folder, name)
            try:
                status = os.lstat(path)
            except OSError:
                continue
            yield os.path.relpath(path, data), status.st_size

"""In which way each endpoint has answered: one small file, so that none is tried twice. Deleting it costs a call."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from memoryd import fsio
from memoryd.worker.agents.brief import Way

NAME = "cache/ways.json"  #: below the data directory
MAX_ENDPOINTS = 50  #: the oldest go first

_WAYS: TypeAdapter[dict[str, Way]] = TypeAdapter(dict[str, Way])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """Blocking."""

    data: Path

    def all(self) -> dict[str, Way]:
        """By `Endpoint.id`; a file that is none counts as empty."""
        try:
            return _WAYS.validate_json((self.data / NAME).read_bytes())
        except (OSError, ValidationError):
            return {}

    def keep(self, endpoint: str, way: Way | None) -> None:
        """Remember what worked; None: nothing does any more. :raises CannotWrite: it is tried again next time"""
        known = self.all()
        if known.get(endpoint) == way:
            return
        known.pop(endpoint, None)
        newest = {**known, endpoint: way} if way else known
        kept = dict(list(newest.items())[-MAX_ENDPOINTS:])
        fsio.make_dirs((self.data / NAME).parent)
        fsio.write_durable(self.data / NAME, _WAYS.dump_json(kept, indent=1))

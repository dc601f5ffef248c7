"""One host for one user or one project: what it shall hold, and what it still asks of the person."""

from dataclasses import dataclass
from pathlib import Path

from memoryd.ipc.hosts.plans.base import HostPlan

SKILL = Path("skill-memory/SKILL.md")  #: below a host's folder of skills


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    host: str
    project: Path | None  #: None: all projects of this user
    wants: HostPlan
    declined: bool = False  #: a person wanted it without our MCP server

    @property
    def main(self) -> Path:
        """The file that connects the host to us."""
        files = [file.path for file in self.wants.files]
        return next(iter([*files, *(one.path for one in self.wants.settings if one.entries)]), self.wants.folder)

    @property
    def skill(self) -> Path | None:
        return self.wants.skills / SKILL if self.wants.skills else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """A command line of ours as it stands in a host's settings."""

    file: Path
    event: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the person still has to do before the host runs our hooks."""

    found: str
    how: str
    certain: bool  #: the host's files say so

    def __str__(self) -> str:
        return f"{self.found}: {self.how}"


def asks_for(target: Target) -> Request | None:
    consent = target.wants.consent
    given = consent is None or consent.given()
    if consent is None or given:
        return None
    found = "does not trust our hooks yet" if given is False else "may not trust our hooks as they are now"
    return Request(found=f"{target.host} {found}", how=consent.how, certain=given is False)

"""What a memory agent may ask for: five typed changes, each citing the seqs that it rests on.

A proposal is a wish. `memory.acceptance` decides, `memory.draft` turns the accepted ones into files.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from memoryd.ipc.events import Tier
from memoryd.memory.model import EntryType, Root


class _Proposal(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, hide_input_in_errors=True)

    cites: tuple[int, ...] = ()  #: seqs of the journal; at least one, unless a person is the author
    root: Root | None = None  #: None: routed by file and type (memory.routing)


class Save(_Proposal):
    """Write an entry. An active entry with this slug is archived as `<slug>_vN.md` and superseded."""

    kind: Literal["save"] = "save"
    slug: str
    name: str = Field(max_length=200)
    description: str = Field(default="", max_length=500)
    type: EntryType
    content: str = Field(max_length=20_000)
    importance: float = Field(default=0.4, ge=0, le=1)
    tags: tuple[str, ...] = ()


class Dated(Save):
    """A fact that no user said. No agent can ask for one: acceptance makes it of a save that rests on lower text."""

    tier: Tier


class Supersede(Save):
    """Write an entry that replaces another active one, `old`, which becomes historical."""

    kind: Literal["supersede"] = "supersede"  # type: ignore[assignment]
    old: str


class Lines(_Proposal):
    """Change list items of a core file or of an entry's body. Texts are without the `- ` marker, one line each."""

    kind: Literal["lines"] = "lines"
    file: str  #: path inside the root, e.g. `preferences.md`
    add: tuple[str, ...] = ()
    replace: tuple[tuple[str, str], ...] = ()  #: (line as it stands, new line)
    remove: tuple[str, ...] = ()


class Archive(_Proposal):
    """Make an entry historical: it stays on disk as `<slug>_vN.md` and leaves recall."""

    kind: Literal["archive"] = "archive"
    slug: str
    reason: str = ""


class Summary(_Proposal):
    """Replace the summary of one session, `sessions/<date>-<id>.md`."""

    kind: Literal["summary"] = "summary"
    host: str
    session_id: str
    date: str  #: YYYY-MM-DD, UTC date of the session's first event
    content: str = Field(max_length=20_000)
    rests: tuple[tuple[str, tuple[int, ...]], ...] = ()  #: (line, those of `cites` that it rests on); others on all


Proposal = Annotated[Save | Supersede | Lines | Archive | Summary, Field(discriminator="kind")]

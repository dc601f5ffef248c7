"""Procedures: ways of working that came of work, or that the user told."""

from typing import Literal

from pydantic import AwareDatetime

from memoryd.ipc.methods.base import Method, Result, ScopeName, Where


class ProcedureInfo(Result):
    slug: str
    scope: ScopeName
    path: str
    name: str
    description: str
    steps: tuple[str, ...]
    source: Literal["work", "user"]  #: whose words the steps are: memoryd's, of work that succeeded, or the user's
    confidence: float | None  #: 0 to 1; None: a person wrote it by hand
    uses: int  #: how often it was seen and handed out
    sources: tuple[str, ...] = ()  #: `host/session#seq` of the newest turns
    updated_at: AwareDatetime | None = None


class ProcedureList(Result):
    """The surest first."""

    items: tuple[ProcedureInfo, ...]


METHODS: dict[str, Method] = {"procedure.list": Method(Where, ProcedureList)}

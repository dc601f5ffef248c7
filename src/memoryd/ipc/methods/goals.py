"""Goals: what a person works towards, each with a status."""

from typing import Literal

from pydantic import AwareDatetime, Field

from memoryd.ipc.methods.base import AbsolutePath, Method, Page, PageParams, Params, Result

GoalStatus = Literal["open", "done", "dropped"]


class GoalInfo(Result):
    id: int
    text: str
    status: GoalStatus
    host: str | None = None
    session_id: str | None = None  #: the session that it came up in
    created_at: AwareDatetime
    updated_at: AwareDatetime
    warnings: tuple[str, ...] = ()  #: what was replaced in what was given


class GoalAddParams(Params):
    cwd: AbsolutePath | None = None
    text: str = Field(min_length=1, max_length=500)
    host: str | None = Field(default=None, max_length=64)
    session_id: str | None = Field(default=None, max_length=256)


class GoalListParams(PageParams):
    """`status` None: all."""

    cwd: AbsolutePath | None = None
    status: GoalStatus | None = None


class GoalList(Page):
    items: tuple[GoalInfo, ...] = ()


class GoalUpdateParams(Params):
    id: int = Field(ge=1, le=2**62)
    status: GoalStatus | None = None
    text: str | None = Field(default=None, min_length=1, max_length=500)


METHODS: dict[str, Method] = {
    "goal.add": Method(GoalAddParams, GoalInfo),
    "goal.list": Method(GoalListParams, GoalList),
    "goal.update": Method(GoalUpdateParams, GoalInfo),
}

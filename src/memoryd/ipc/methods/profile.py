"""The user model: what is believed of the user, and a person's word on it."""

from typing import Literal

from pydantic import Field

from memoryd.ipc.methods.base import Method, Result, ScopeName, Where


class BeliefInfo(Result):
    id: str  #: for `profile.correct`; it stays while the belief says the same
    area: Literal["who you are", "preferences", "rules", "ways of working", "languages", "tools", "when you work"]
    text: str
    when: str = ""  #: its trigger; '' where it always holds
    confidence: float  #: 0 to 1; of a counted one its share of the turns
    turns: int  #: that it rests on; 0: a person wrote it
    source: Literal["memory", "counted"]
    scope: ScopeName = "user"
    place: str = ""  #: `<scope>/<path>[:line]`, what `memory.why` explains; '' for a counted one


class Believed(Result):
    """Area by area, the surest first."""

    items: tuple[BeliefInfo, ...]


class ProfileCorrectParams(Where):
    id: str = Field(max_length=20)
    text: str | None = Field(default=None, min_length=1, max_length=500)  #: what holds instead; None: nothing


class ProfileCorrected(Result):
    was: str
    run: str | None  #: None: nothing had to change
    warnings: tuple[str, ...] = ()  #: what was replaced in what was given


METHODS: dict[str, Method] = {
    "profile.get": Method(Where, Believed),
    "profile.correct": Method(ProfileCorrectParams, ProfileCorrected),
}

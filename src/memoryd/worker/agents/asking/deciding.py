"""What a model is asked about related candidates, and what it answers: once for all groups of a run.

A decision that is malformed is dropped by itself: what no decision names stays as it was proposed.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, WrapValidator, model_validator

from memoryd.worker.agents.asking.answer import Ids, Lenient, Text, json_in, or_none

MAX_DECISIONS = 100


class Decision(Lenient):
    """What becomes of candidates of one group."""

    of: Ids = Field(description="ids of the facts, like c1")
    action: Literal["keep", "merge", "supersede", "drop"]
    text: Text = Field(default="", description="merge, supersede: the one sentence that stays, in their words")
    replaces: Ids = Field(default=(), description="supersede, merge: ids of what is remembered and now untrue, like m3")


class Decisions(Lenient):
    """What is to change; none is a good answer."""

    decisions: tuple[Annotated[Decision, WrapValidator(or_none)], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        """A bare list stands for the object around it."""
        value = {"decisions": value} if isinstance(value, list) else value
        if not isinstance(value, Mapping) or not isinstance(value.get("decisions"), list):
            raise ValueError("an object with `decisions` is wanted")
        return {"decisions": value["decisions"][:MAX_DECISIONS]}


def schema() -> dict[str, Any]:
    """The JSON schema of the answer."""
    return Decisions.model_json_schema()


def read(text: str) -> tuple[Decision, ...]:
    """Read the answer. :raises ValueError: no JSON of decisions is in it"""
    return tuple(one for one in Decisions.model_validate(json_in(text)).decisions if one is not None)

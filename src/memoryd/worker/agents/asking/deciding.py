"""What a model is asked about related candidates, and what it answers: once for all groups of a run.

A decision that is malformed is dropped by itself: what no decision names stays as it was proposed.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from memoryd.worker.agents.asking.answer import Lenient, Text, ids, json_in

MAX_DECISIONS = 100
Ids = Annotated[tuple[str, ...], BeforeValidator(ids)]


class Decision(Lenient):
    """What becomes of candidates of one group."""

    of: Ids = Field(description="ids of the facts, like c1")
    action: Literal["keep", "merge", "supersede", "drop"]
    text: Text = Field(default="", description="merge, supersede: the one sentence that stays, in their words")
    replaces: Ids = Field(default=(), description="supersede, merge: ids of what is remembered and now untrue, like m3")


def _or_none(value: Any, read: Any) -> Decision | None:
    try:
        decision: Decision = read(value)
    except ValidationError:
        return None
    return decision


class Decisions(Lenient):
    """What is to change; none is a good answer."""

    decisions: tuple[Annotated[Decision, WrapValidator(_or_none)], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        """A bare list stands for the object around it."""
        value = {"decisions": value} if isinstance(value, list) else value
        if not isinstance(value, Mapping) or not isinstance(value.get("decisions"), list):
            raise ValueError("an object with `decisions` is wanted")
        return {"decisions": value["decisions"][:MAX_DECISIONS]}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        told = handler(core_schema)
        rows = handler.resolve_ref_schema(told)["properties"]["decisions"]
        rows["items"] = handler.resolve_ref_schema(rows["items"])
        return told


def schema() -> dict[str, Any]:
    """The JSON schema of the answer."""
    return Decisions.model_json_schema()


def read(text: str) -> tuple[Decision, ...]:
    """Read the answer. :raises ValueError: no JSON of decisions is in it"""
    return tuple(one for one in Decisions.model_validate(json_in(text)).decisions if one is not None)

"""What a model is asked to answer: a flat list of items, made so that small models can fill it in.

An item that is malformed is dropped by itself; the others count. What comes as text is read leniently.
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, from_json

Kind = Literal["user", "preference", "rule", "identity", "project", "reference", "forget"]
KINDS: tuple[str, ...] = get_args(Kind)
MAX_ITEMS = 40

T = TypeVar("T")

_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


def _every_field(schema: dict[str, Any]) -> None:
    """A model that must fill in every field forgets none; what it leaves out is read as empty all the same."""
    schema["required"] = list(schema["properties"])
    for field in schema["properties"].values():
        field.pop("default", None)


class Lenient(BaseModel):
    """What a model fills in: all fields are wanted of it, none is insisted on."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", hide_input_in_errors=True, coerce_numbers_to_str=True,
        json_schema_extra=_every_field,
    )  # fmt: skip

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """One schema without references: not every server follows them."""
        told = handler(core_schema)
        for field in handler.resolve_ref_schema(told)["properties"].values():
            if "items" in field:
                field["items"] = handler.resolve_ref_schema(field["items"])
        return told


def _plain(value: Any) -> Any:
    return "" if value is None else value


def _ids(value: Any) -> Any:
    """`"u1, u2"`, `"[u1]"` or one id for a list of ids."""
    found = re.findall(r"\w+", value) if isinstance(value, str) else value
    return () if found is None else found


def or_none(value: Any, read: Callable[[Any], T]) -> T | None:
    """What is malformed is dropped by itself."""
    try:
        return read(value)
    except ValidationError:
        return None


Text = Annotated[str, BeforeValidator(_plain)]
Ids = Annotated[tuple[str, ...], BeforeValidator(_ids)]


class Item(Lenient):
    """One fact worth keeping."""

    kind: Kind = Field(description="what it is about; forget: the user took back what `replaces` names")
    text: Text = Field(default="", description="the fact, one sentence, in the user's own words")
    why: Text = Field(default="", description="the reason the user gave, else empty")
    how_to_apply: Text = Field(default="", description="when it matters, if the user said so")
    name: Text = Field(default="", description="a short title for project and reference, else empty")
    replaces: Text = Field(default="", description="id of the memory that this makes untrue, like m3")
    cites: Ids = Field(default=(), description="ids of what the user said, like u2")


class Answer(Lenient):
    """The items worth keeping; an empty list is a good answer."""

    items: tuple[Annotated[Item, WrapValidator(or_none)], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        """A bare list, or one item, stands for the object around it; what is too much is left out."""
        if isinstance(value, list):
            value = {"items": value}
        elif isinstance(value, Mapping) and not _names_items(value) and "kind" in value:
            value = {"items": [value]}
        if not _names_items(value):
            raise ValueError("an object with `items` is wanted")
        items = value["items"]
        items = [items] if isinstance(items, Mapping) else items or []
        return {"items": items[:MAX_ITEMS] if isinstance(items, list) else items}

    @property
    def well_formed(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item is not None)


def schema() -> dict[str, Any]:
    """The JSON schema of an answer, for models that are told it."""
    return Answer.model_json_schema()


def read_text(text: str) -> Answer:
    """Read an answer that came as text. :raises ValueError: no JSON of an answer is in it"""
    return Answer.model_validate(json_in(text))


def read_output(text: str) -> Answer:
    """Read what a program printed, whose own words may hold brackets: that nothing is kept must be said in full.

    :raises ValueError: no JSON of an answer is in it, or none of its items is well-formed
    """
    told = json_in(text)
    answer = Answer.model_validate(told)
    if not answer.well_formed and (answer.items or not _names_items(told)):
        raise ValueError("no answer in it")
    return answer


def _names_items(value: Any) -> bool:
    return isinstance(value, Mapping) and "items" in value


def json_in(text: str) -> Any:
    """Return the JSON value in a text: in a fence, among words, cut off, with a comma too many.

    :raises ValueError: there is none
    """
    text = _THOUGHTS.sub("", text)
    fenced = _FENCE.search(text)
    body = fenced[1] if fenced else text
    starts = [at for at in (body.find("{"), body.find("[")) if at >= 0]
    if not starts:
        raise ValueError("there is no JSON in the answer")
    return _loose(body[min(starts) :])


def _loose(text: str) -> Any:
    """Parse the JSON value that a text begins with: whatever follows it, and if it is cut off what there is of it."""
    mended = _TRAILING_COMMA.sub(r"\1", text)
    last = max(mended.rfind("}"), mended.rfind("]")) + 1
    for candidate in (mended, mended[:last]):
        try:
            return from_json(candidate)
        except ValueError:
            continue
    return from_json(mended, allow_partial=True)

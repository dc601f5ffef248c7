"""What is wrong with something that was given, in words for people: which part, what it must be, what it was.

The one place that knows the validator's own words, so that nobody else reads them: the socket, the command line, the
tools of MCP, the configuration, and whoever reads an event or a document.
"""

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from memoryd.ipc.events import ABSOLUTE, DELIVERY_ID, HOST_NAME, KINDS, PRINTABLE, SESSION_NAME

MAX_SHOWN_CHARS = 40  #: of a value; of the name of a part 64

_PATTERNS = {
    ABSOLUTE: "an absolute path",
    DELIVERY_ID: "32 hexadecimal digits",
    HOST_NAME: "lower-case letters, digits and dashes, at most 32",
    PRINTABLE: "text without control characters",
    SESSION_NAME: "a host and a session, such as claude-code/1b2c",
}
_TIME = "a time with its zone, such as 2026-11-30T08:00:00Z"
_DATE = "a date such as 2026-11-30"
_WANTED: Mapping[str, str] = {
    "string_type": "text", "string_sub_type": "text", "string_unicode": "valid Unicode text",
    "int_type": "a whole number", "int_parsing": "a whole number", "int_from_float": "a whole number",
    "int_parsing_size": "a smaller number", "float_type": "a number", "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false", "bool_parsing": "true or false",
    "list_type": "a list", "tuple_type": "a list",
    "dict_type": "an object", "mapping_type": "an object", "model_type": "an object",
    "model_attributes_type": "an object",
    "literal_error": "{expected}", "enum": "{expected}", "union_tag_invalid": "one of {expected_tags}",
    "greater_than_equal": "at least {ge}", "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}", "less_than": "less than {lt}",
    "string_too_short": "at least {min_length} characters long",
    "string_too_long": "at most {max_length} characters long",
    "too_short": "at least {min_length} long", "too_long": "at most {max_length} long",
    "datetime_type": _TIME, "datetime_parsing": _TIME, "datetime_from_date_parsing": _TIME,
    "datetime_object_invalid": _TIME,
    "date_type": _DATE, "date_parsing": _DATE, "date_from_datetime_parsing": _DATE, "date_from_datetime_inexact": _DATE,
    "timezone_aware": _TIME, "timezone_offset": _TIME,
}  # fmt: skip


def explain(error: ValidationError, *, known: Collection[str] = (), name: str = "") -> str:
    """One sentence about the first fault, and how many more there are.

    :param known: the keys that exist, so that the nearest of them is named for an unknown one
    :param name: what was given, when it is no part of something
    """
    faults = error.errors(include_url=False)
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return sentence(faults[0], known=known, name=name) + more


def sentence(fault: Mapping[str, Any], *, known: Collection[str] = (), name: str = "") -> str:
    """The same about one of `ValidationError.errors()`."""
    context = fault.get("ctx", {})
    part = place(fault["loc"]) or name or "it"
    match fault["type"]:
        case "missing":
            return f"{part} is missing"
        case "extra_forbidden":
            near = difflib.get_close_matches(part, known, n=1)
            return f"{part} is unknown" + (f"; the nearest is {near[0]}" if near else "")
        case "json_invalid":
            return f"it is no JSON: {context['error']}"
        case "value_error" | "assertion_error":
            return f"{part}: {context['error']}" if fault["loc"] or name else str(context["error"])
        case "union_tag_not_found":
            part = ".".join((place(fault["loc"]), str(context["discriminator"]).strip("'"))).strip(".")
            return f"{part} is missing"
        case "string_too_short" if not fault["input"]:
            return f"{part} must not be empty"
    return f"{part} must be {_wanted(fault, context)}, not {_got(fault, context)}"


def place(loc: Sequence[object]) -> str:
    """Where a fault is, `data.files.0.path`: without the kind of the event, which no path of the sender's has."""
    parts = [str(part)[:64] for part in loc]
    at = 1 if parts[:1] == ["event"] else 0
    if parts[at : at + 1] and parts[at] in KINDS:
        del parts[at]
    return _one_line(".".join(parts[at:] or parts))


def _wanted(fault: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    if fault["type"] == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], "of another form")
    wanted = _WANTED.get(fault["type"], "something else")
    return re.sub(r"\b1 characters\b", "1 character", wanted.format_map(context))


def _got(fault: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    """What was given, short and without secrets; of something too long how long it is."""
    match fault["type"], fault["input"]:
        case "string_too_long", str(text):
            return str(len(text))
        case "union_tag_invalid", _:
            return _quoted(str(context["tag"]))
        case "too_short" | "too_long", _:
            return str(context["actual_length"])
        case _, None:
            return "null"
        case _, bool(flag):
            return str(flag).lower()
        case _, int() | float() as number:
            return str(number)[:MAX_SHOWN_CHARS]
        case _, str(text):
            return _quoted(text)
        case _, dict():
            return "an object"
        case _, list() | tuple():
            return "a list"
    return "what it is"


def _quoted(text: str) -> str:
    from memoryd.ipc.redaction import redact  # only when something is wrong: its rules are many
    from memoryd.ipc.sanitise import strip_invisible

    shown = _one_line(redact(strip_invisible(text)))
    return f"'{shown[:MAX_SHOWN_CHARS]}…'" if len(shown) > MAX_SHOWN_CHARS else f"'{shown}'"


def _one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\s]+", " ", text)

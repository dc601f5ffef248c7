"""What a peer of another release relies on: each path of a model, what may stand there, and one example."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memoryd.ipc import events

Schema = Mapping[str, Any]
Shape = dict[str, str]  #: path -> kinds, with ` | ` between; of what has a default also `OPTIONAL`

OPTIONAL = ", optional"
_TEXTS = {
    events.ABSOLUTE: "/repository",
    events.DELIVERY_ID: "0123456789abcdef0123456789abcdef",
    events.HOST_NAME: "generic",
    events.SESSION_NAME: "generic/s1",
    "date-time": "2026-11-30T08:00:00Z",
    "date": "2026-11-30",
}


def shape(schema: Schema) -> Shape:
    """Paths are as in `items[].slug`, `counts{}`; a union that names its kind is told by its names alone."""
    found: Shape = {}
    _look(schema, schema, "", "", found, ())
    del found[""]
    return found


def _look(schema: Schema, root: Schema, path: str, suffix: str, found: Shape, above: tuple[str, ...]) -> None:
    reference = schema.get("$ref", "")
    if reference in above:
        return
    node, above = _resolved(schema, root), (*above, reference) if reference else above
    kinds: set[str] = set()
    for choice in node.get("anyOf", [node]):
        one = _resolved(choice, root)
        kinds |= set(_kinds(one))
        if "items" in one:
            _look(one["items"], root, f"{path}[]", "", found, above)
        if isinstance(one.get("additionalProperties"), dict):
            _look(one["additionalProperties"], root, f"{path}{{}}", "", found, above)
        for name, inner in one.get("properties", {}).items():
            default = "" if name in one.get("required", ()) else OPTIONAL
            _look(inner, root, f"{path}.{name}".lstrip("."), default, found, above)
    found[path] = " | ".join(sorted(kinds)) + suffix


def _kinds(node: Schema) -> Iterator[str]:
    if "discriminator" in node:
        yield from node["discriminator"]["mapping"]
    elif "enum" in node:
        yield from (json.dumps(value) for value in node["enum"])
    elif "const" in node:
        yield json.dumps(node["const"])
    else:
        yield node.get("format") or node.get("type", "anything")


def _resolved(schema: Schema, root: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    found: Schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return found


def example(schema: Schema, root: Schema | None = None, depth: int = 0) -> Any:
    """A value with every field, the first of the kinds that may stand there."""
    root = schema if root is None else root
    node = _resolved(schema, root)
    if "anyOf" in node:
        return example(node["anyOf"][0], root, depth)
    if "discriminator" in node:
        return example({"$ref": node["discriminator"]["mapping"]["turn"]}, root, depth)
    if "const" in node or "enum" in node:
        return node.get("const", node.get("enum", [None])[0])
    match node.get("type"):
        case "object":
            fields = {name: example(inner, root, depth + 1) for name, inner in node.get("properties", {}).items()}
            rest = node.get("additionalProperties")
            return fields | ({"name": example(rest, root, depth + 1)} if isinstance(rest, dict) and depth < 8 else {})
        case "array":
            return [example(node["items"], root, depth + 1)] if "items" in node and depth < 8 else []
        case "string":
            return _TEXTS.get(node.get("pattern") or node.get("format", ""), "some text")
        case "integer":
            return max(1, node.get("minimum", 1))
        case "number":
            return 0.5
        case "boolean":
            return True
    return None


def broken(golden: Shape, now: Shape, *, both_ways: bool) -> Iterator[str]:
    """What a peer that knows the golden shape cannot do any more, a sentence each.

    :param both_ways: what stands there is also read by it: nothing new may stand where it looks
    """
    for path, told in golden.items():
        if path not in now:
            yield f"{path} is gone"
            continue
        before, after = _parsed(told), _parsed(now[path])
        if gone := before[0] - after[0]:
            yield f"{path} can no longer be {' or '.join(sorted(gone))}"
        if both_ways and (more := after[0] - before[0]):
            yield f"{path} can also be {' or '.join(sorted(more))}"
        if before[1] and not after[1]:
            yield f"{path} must be given"
    for path in now.keys() - golden.keys():
        if not _parsed(now[path])[1] and _above(path) in golden | {"": ""}:
            yield f"{path} is new and must be given"


def _parsed(told: str) -> tuple[set[str], bool]:
    return set(told.removesuffix(OPTIONAL).split(" | ")), told.endswith(OPTIONAL)


def _above(path: str) -> str:
    for end in ("[]", "{}"):
        if path.endswith(end):
            return path.removesuffix(end)
    return path.rpartition(".")[0]

"""One file a method and one a kind of event: a request and its answer in full, and the shape that peers rely on."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from golden.shapes import broken, example, shape

from memoryd.ipc.events import KINDS, EventAdapter
from memoryd.ipc.methods import METHODS

HERE = Path(__file__).parent
#: where not every field may be given together
PARAMS: dict[str, dict[str, Any]] = {
    "import.run": {"paths": ["/repository"], "host": "generic", "dry_run": True, "mine": True, "consolidate": True},
    "note.add": {"cwd": "/repository", "text": "some text", "kind": "daily"},
    "note.remove": {"cwd": "/repository", "date": "2026-11-30", "index": 1},
}


def file_of(name: str) -> Path:
    """The golden file of a method or of a kind of event."""
    return HERE / ("events" if name in KINDS else "methods") / f"{name}.json"


def names() -> list[str]:
    """What there is in this release."""
    return [*METHODS, *KINDS]


def now(name: str) -> dict[str, Any]:
    """What the golden file of a name would hold if it were written now."""
    if name in KINDS:
        schema = _of_kind(name)
        return {"event": example(schema), "shape": _sorted(schema)}
    method = METHODS[name]
    params, result = method.params.model_json_schema(), method.result.model_json_schema()
    return {
        "request": {"jsonrpc": "2.0", "id": 1, "method": name, "params": PARAMS.get(name, example(params))},
        "reply": {"jsonrpc": "2.0", "id": 1, "result": example(result)},
        "params": _sorted(params),
        "result": _sorted(result),
    }


def told(name: str) -> dict[str, Any]:
    """The golden file."""
    found: dict[str, Any] = json.loads(file_of(name).read_text("utf-8"))
    return found


def text(held: dict[str, Any]) -> str:
    return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


def faults(name: str) -> Iterator[str]:
    """What peers that know the golden file of a name cannot do any more."""
    golden = told(name)
    if name not in names():
        yield f"{name} is gone"
        return
    here = now(name)
    for part in ("params", "result", "shape"):
        if part in golden:
            yield from (
                f"{name}, {part}: {why}" for why in broken(golden[part], here[part], both_ways=part == "result")
            )


def _of_kind(kind: str) -> dict[str, Any]:
    schema = EventAdapter.json_schema()
    return {**schema["$defs"][schema["discriminator"]["mapping"][kind].rpartition("/")[2]], "$defs": schema["$defs"]}


def _sorted(schema: dict[str, Any]) -> dict[str, str]:
    return dict(sorted(shape(schema).items()))

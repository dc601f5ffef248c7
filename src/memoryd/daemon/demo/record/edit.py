"""Turn a raw recording into the two files of the demo: `edit.py WORK OUT`.

Nothing of the machine that recorded stays: paths and the secret become placeholders, long texts of the vendor are cut.
Records keep their types, their order and their keys. What would not be fit to publish stops the edit.
"""

import hashlib
import json
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

Json = dict[str, Any]

#: Record type -> the keys below which the vendor's own texts stand (system prompt, tools, reminders).
VENDOR_KEYS = {
    "attachment": ("attachment", "rendered"),
    "api-request-shape": ("shape",),
    "api-request-blob": ("message",),
}
LEFT_ALONE_CHARS = 20
UNFIT = re.compile(r"/(home|root|tmp|work|usr|opt)/|@[\w-]+\.(com|org|net|io|dev)\b|ghp_\w{20}|sk-ant|Bearer |_TOKEN")


def cut(value: Any, own: set[str]) -> Any:
    """Return the value with the vendor's texts cut and schemas emptied; names and the talk's own texts stay."""
    match value:
        case dict():
            return {key: {} if key.endswith("schema") else cut(item, own) for key, item in value.items()}
        case list():
            return [cut(item, own) for item in value]
        case str() if len(value) > LEFT_ALONE_CHARS and re.search(r"\s", value) and value not in own:
            return f"<vendor text of {len(value)} characters left out>"
        case _:
            return value


def edited(record: Json, own: set[str]) -> Json:
    """Return one transcript record as it may be published."""
    if snapshot := record.get("attachment", {}).get("snapshot"):
        snapshot["osVersion"] = "Linux"
    keys = VENDOR_KEYS.get(record["type"], ())
    return {key: cut(value, own) if key in keys else value for key, value in record.items()}


def compact_json(value: Json) -> str:
    """Return the JSON text in the form in which the host writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def lines_then(firing: Json, transcript: bytes) -> int:
    """Return how many transcript lines existed at a firing; the file must have been only appended to since."""
    then = transcript[: firing["transcript_bytes"]]
    if hashlib.sha256(then).hexdigest() != firing["transcript_sha256"] or (then and not then.endswith(b"\n")):
        raise SystemExit(f"the transcript at {firing['event']} {firing['at']} is no row of whole lines of the last one")
    return then.count(b"\n")


def check(script: Json, firings: list[Json], published: str) -> None:
    """Stop if the recording is not the talk of the script or holds what must not be published."""
    prompts = [firing["stdin"]["prompt"] for firing in firings if firing["event"] == "UserPromptSubmit"]
    answers = [firing["stdin"]["last_assistant_message"] for firing in firings if firing["event"] == "Stop"]
    for told, key in ((prompts, "prompt"), (answers, "answer")):
        if told != [turn[key] for turn in script["turn"]]:
            raise SystemExit(f"the {key}s differ from the script's")
    if found := UNFIT.search(published):
        raise SystemExit(f"not fit to publish: {published[found.start() - 60 : found.end() + 20]!r}")


def main(work: Path, out: Path) -> None:
    """Write transcript.jsonl and hooks.jsonl."""
    script = tomllib.loads((work / "script.toml").read_text(encoding="utf-8"))
    own = {turn[key] for turn in script["turn"] for key in ("prompt", "answer")}
    secret = (work / "secret").read_text()
    firings = [json.loads(line) for line in (work / "home/dev/hooks.jsonl").open(encoding="utf-8")]
    path = json.loads(firings[0]["stdin"])["transcript_path"]
    transcript = (work / path.lstrip("/")).read_bytes()

    def publish(values: list[Json]) -> str:
        text = "".join(compact_json(value) + "\n" for value in values)
        for real, placeholder in (("/home/dev/lantern", "project"), ("/home/dev", "home"), (secret, "secret")):
            text = text.replace(real, "{{" + placeholder + "}}")
        return text

    records = publish([edited(json.loads(line), own) for line in transcript.splitlines()])
    for firing in firings:
        firing["transcript_lines"] = lines_then(firing, transcript)
        firing["stdin"] = json.loads(firing["stdin"])
        del firing["transcript_bytes"], firing["transcript_sha256"]
    hooks = publish(firings)
    check(script, firings, records + hooks)
    (out / "transcript.jsonl").write_text(records, encoding="utf-8")
    (out / "hooks.jsonl").write_text(hooks, encoding="utf-8")
    print(f"{len(firings)} firings:", dict(Counter(firing["event"] for firing in firings)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

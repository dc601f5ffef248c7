"""A hook that writes down one firing and says nothing: event, stdin, some environment names, the transcript then."""

import fcntl
import hashlib
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

#: All other names stay unwritten: hosts hand their hooks tokens and the user's API key.
KEPT_NAMES = (
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDECODE",
)


def transcript_now(payload: dict[str, object]) -> bytes:
    """Return what the transcript holds at this moment; nothing where there is no file yet."""
    try:
        return Path(str(payload.get("transcript_path", ""))).read_bytes()
    except OSError:
        return b""


def main(out: str) -> None:
    """Append one line to `out`; the lock keeps firings that run side by side in one order."""
    at = datetime.now(UTC)
    raw = sys.stdin.buffer.read()
    payload = json.loads(raw)
    transcript = transcript_now(payload)
    firing = {
        "event": payload["hook_event_name"],
        "stdin": raw.decode(),
        "env": {name: os.environ[name] for name in KEPT_NAMES if name in os.environ},
        "at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "transcript_bytes": len(transcript),
        "transcript_sha256": hashlib.sha256(transcript).hexdigest(),
    }
    with open(out, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(json.dumps(firing, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])

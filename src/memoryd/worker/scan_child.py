"""The scanner's process: a JSON list of texts on stdin, a list of `[start, end]` in characters for each on stdout."""

import json
import sys


def main() -> int:
    from kingfisher_sdk import Scanner

    scanner = Scanner()
    found = []
    for text in json.load(sys.stdin):
        scanner.reset_dedup()  # the same secret in two texts is two secrets
        content = text.encode(errors="replace")
        places = [(f.location["start_offset"], f.location["end_offset"]) for f in scanner.scan(content) if f.secret]
        found.append([[_chars(content, start), _chars(content, end)] for start, end in places])
    json.dump(found, sys.stdout)
    return 0


def _chars(content: bytes, offset: int) -> int:
    return len(content[:offset].decode(errors="ignore"))


if __name__ == "__main__":
    sys.exit(main())

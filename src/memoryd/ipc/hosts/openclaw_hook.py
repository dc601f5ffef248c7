"""The hook that speaks for OpenClaw: a folder with two files, with the hook script of this machine in them."""

import json
from collections.abc import Mapping
from pathlib import Path

NAME = "memoryd"  #: of the folder, below `hooks/` of OpenClaw's own, and of its entry in `hooks.internal.entries`

_SOURCE = Path(__file__)


def generate(script: Path) -> Mapping[str, str]:
    """Return the files by name; the same script gives the same texts.

    :param script: the absolute path of the hook script
    """
    handler = _SOURCE.with_suffix(".js").read_text(encoding="utf-8")
    return {
        "HOOK.md": _SOURCE.with_suffix(".md").read_text(encoding="utf-8"),
        "handler.js": handler.replace('"@SCRIPT@"', json.dumps(str(script))),
    }

"""Stand-ins for `systemctl` and `loginctl`: what is enabled is a file, and the daemon that runs is the service's."""

import os
from pathlib import Path

_SYSTEMCTL = """#!/bin/sh
shift  # --user
case "$1" in
    show) case "$2" in --property=MainPID) cat '{data}/lock';; esac;;
    is-enabled) test -e '{folder}/enabled';;
    enable) : >'{folder}/enabled';;
    disable) rm -f '{folder}/enabled';;
esac
"""
_LOGINCTL = """#!/bin/sh
case "$1" in
    show-user) test -e '{folder}/lingers' && echo yes || echo no;;
    enable-linger) : >'{folder}/lingers';;
esac
"""


def put_into(folder: Path, data: Path) -> str:
    """Write both programs into a folder and return a PATH on which they come first."""
    folder.mkdir()
    for name, text in (("systemctl", _SYSTEMCTL), ("loginctl", _LOGINCTL)):
        (folder / name).write_text(text.format(folder=folder, data=data))
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"

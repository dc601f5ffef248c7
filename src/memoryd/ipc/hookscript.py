"""The hook as a script of its own: absolute interpreter, socket and spool baked in, at the interpreter's floor.

A console script would load the site packages first, and a wheel cannot carry `-IS`; so `install` and `doctor` write it.
The script holds the hook twice: compiled, because compiling it at each start costs a sixth of the whole, and as source
for the day the interpreter behind the same path is another one.
"""

import ast
import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memoryd import fsio
from memoryd.errors import ConfigError
from memoryd.ipc import hook
from memoryd.ipc.places import Places

_MAX_SHEBANG_BYTES = 255  #: the kernel cuts longer ones
_COMPILE = (
    "import marshal, sys; print([sys.version, marshal.dumps(compile(sys.stdin.read(), 'hook', 'exec', 0, 1, 2))])"
)


def generate(places: Places, python: Path) -> str:
    """Return the script; the same arguments give the same text. Usage of the result: `memoryd-hook HOST [EVENT]`.

    :param python: the interpreter; its resolved path is used, so that no shim on PATH runs first
    :raises ConfigError: this interpreter cannot run the hook
    """
    interpreter = os.path.realpath(python)
    source = Path(hook.__file__).read_text(encoding="utf-8")
    return f"""{_start(interpreter)}
# Written by `memoryd install`; a later install renews it. Changes are lost.
import sys

SOURCE = r'''{source}'''
VERSION, COMPILED = {_compiled(interpreter, source)}

hook = SOURCE
if sys.version == VERSION:
    import marshal
    hook = marshal.loads(COMPILED)
exec(hook)
if len(sys.argv) > 1:
    run(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, {str(places.socket)!r}, {str(places.spool)!r})
posix._exit(0)
"""


def generate_mcp(places: Places, python: Path) -> str:
    """Return the script that serves MCP to one agent: this interpreter, asking the daemon at this socket.

    A host names it in its settings, so its path stays over releases while the interpreter may move.

    :param python: the interpreter with memoryd's packages; its path is not resolved, a virtual environment is a link
    """
    return f"""#!/bin/sh
# Written by `memoryd install`; a later install renews it. Changes are lost.
[ -n "$MEMORYD_SOCKET" ] || MEMORYD_SOCKET={shlex.quote(str(places.socket))}
export MEMORYD_SOCKET
exec {shlex.quote(str(python.absolute()))} -P -m memoryd mcp "$@"
"""


@cache
def _compiled(interpreter: str, source: str) -> str:
    command = [interpreter, "-IS", "-c", _COMPILE]
    try:
        done = subprocess.run(command, input=source, capture_output=True, text=True, timeout=60, check=True, env={})
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError(f"cannot run the hook with {interpreter}: {error}; name a Python of 3.11 or later") from error
    return done.stdout.strip()


def _start(interpreter: str) -> str:
    shebang = f"#!{interpreter} -IS"
    if len(os.fsencode(shebang)) < _MAX_SHEBANG_BYTES and not any(c.isspace() for c in interpreter):
        return shebang
    # One file for two readers: sh runs the exec and never returns, Python sees a string.
    return f"#!/bin/sh\n''':'\nexec {shlex.quote(interpreter)} -IS \"$0\" \"$@\"\n'''"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a script was written for, as its text says."""

    interpreter: str
    socket: str
    spool: str
    this_release: bool  #: it holds the hook of this release


_START = re.compile(r"""\A#!(?P<plain>/\S+) -IS\n|\A#!/bin/sh\n''':'\nexec (?P<quoted>.+) -IS """)
_CALL = re.compile(r"^    run\(sys\.argv\[1\], .*? else None, (?P<places>['\"].*['\"])\)$", re.MULTILINE)


def read_back(text: str) -> Written | None:
    """Return what a script was written for, None when it is none of ours."""
    start, calls = _START.match(text), list(_CALL.finditer(text))
    if start is None or not calls:
        return None
    socket, spool = ast.literal_eval(calls[-1]["places"])
    source = Path(hook.__file__).read_text(encoding="utf-8")
    interpreter = start["plain"] or shlex.split(start["quoted"])[0]
    return Written(interpreter=interpreter, socket=socket, spool=spool, this_release=source in text)


def write(path: Path, text: str) -> None:
    """Put the script at `path`, mode 0755, in one step: a host that starts it meanwhile runs the old or the new one.

    :raises CannotWrite: the folder or the file cannot be written
    """
    fsio.make_dirs(path.parent)
    fsio.write_durable(path, text.encode(), mode=0o755)


def is_current(path: Path, text: str) -> bool:
    """Whether `path` is an executable script with exactly this text."""
    try:
        return path.read_text(encoding="utf-8") == text and os.access(path, os.X_OK)
    except (OSError, UnicodeDecodeError):
        return False

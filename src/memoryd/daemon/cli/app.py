"""The command line: runs a command and turns what goes wrong into one sentence and an exit status."""

import os
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

INTERNAL, INTERRUPTED = 70, 130


def run() -> NoReturn:
    """Run `sys.argv`; never returns, never shows a traceback."""
    if sys.argv[1:2] == ["statusline"] and len(sys.argv) == 2:
        from memoryd.daemon.cli.statusline import print_line

        sys.exit(print_line())
    sys.exit(_run())


def _run() -> int:
    import typer

    from memoryd.daemon.cli.commands import app
    from memoryd.errors import MemorydError

    try:
        status = app(standalone_mode=False, prog_name="memoryd")
        sys.stdout.flush()
    except MemorydError as error:
        return _tell(str(error), error.exit_status)
    except typer.Abort:
        return _tell("stopped; nothing was changed", 1)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the flush at exit fails no more
        return 0
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's usage errors; their class moved between its releases
            return _tell(f"{_usage(error)} {_help_of(error)}", int(getattr(error, "exit_code", 2)))
        return _tell(_bug(error), INTERNAL)
    return status if isinstance(status, int) else 0


def _tell(sentence: str, status: int) -> int:
    from memoryd.daemon.cli import screen

    screen.warn(f"memoryd: {sentence}")
    return status


def _usage(error: Any) -> str:
    """What a usage error says; typer checks values with a validator whose words are not for people."""
    from pydantic import ValidationError

    from memoryd.ipc.faults import explain

    if not isinstance(error.__cause__, ValidationError):
        return str(error.format_message())
    option = next(iter(error.param.opts), "")
    name = option if option.startswith("-") else (error.param.metavar or error.param.name)
    return explain(error.__cause__, name=name).rstrip(".") + "."


def _help_of(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"See `{context.command_path if context else 'memoryd'} --help`."


def _bug(error: Exception) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "memoryd" in f.filename]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"
    said = " ".join(str(error).split())[:200]
    return (
        f"unexpected {type(error).__name__} at {where}: {said or 'no more is known'}. This is a bug: report this line"
        " with what you did and what `memoryd --version` and `memoryd doctor` print"
    )

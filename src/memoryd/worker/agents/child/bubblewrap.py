"""bubblewrap, where the kernel has no Landlock: the same places in a name space of their own.

It can keep a child from all of the network or from none of it, so the ports of an order do not hold here.
"""

import shutil
import subprocess
from collections.abc import Iterable, Sequence

PROBE_SECONDS = 5.0


def argv(program: str, *, reads: Iterable[str], writes: Iterable[str], work: str, inner: Sequence[str]) -> list[str]:
    """The command line that runs `inner` in `work`. Places that are not there are left out."""
    shown = [word for path in reads for word in ("--ro-bind-try", path, path)]
    given = [word for path in (*writes, work) for word in ("--bind-try", path, path)]
    return [
        program, "--die-with-parent", "--unshare-all", "--share-net", "--cap-drop", "ALL",
        *shown, "--proc", "/proc", "--dev", "/dev", *given, "--remount-ro", "/", "--chdir", work, "--", *inner,
    ]  # fmt: skip


def usable() -> str | None:
    """The path of a bubblewrap that works here. Blocking."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    try:
        subprocess.run(
            argv(program, reads=["/usr", "/bin", "/lib", "/lib64"], writes=(), work="/usr", inner=["true"]),
            capture_output=True, check=True, timeout=PROBE_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return program

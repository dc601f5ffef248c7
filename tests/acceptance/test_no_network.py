"""With defaults nothing leaves the machine: no process of a session opens a socket that is no Unix socket."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FAMILY = re.compile(r"\bsocket(?:pair)?\((\w+)")


def _traced(log: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """Follow every process; the kernel filters, so that what is not asked for costs next to nothing."""
    strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=socket,socketpair", "-e", "signal=none"]
    strace += ["-o", str(log)]
    return subprocess.run([*strace, *command], capture_output=True, text=True, timeout=110, check=False)


def _families(log: Path) -> set[str]:
    return set(FAMILY.findall(log.read_text()))


@pytest.fixture
def strace(tmp_path: Path) -> Path:
    """Where strace writes; skips where it is missing, older than 5.3, or may not trace."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    if _traced(tmp_path / "probe", "true").returncode:
        pytest.skip("strace is older than 5.3 or may not trace here")
    return tmp_path / "strace.log"


def test_no_process_of_a_session_opens_a_socket_that_is_no_unix_socket(strace: Path) -> None:
    """The demo is such a session: a daemon, the hook at each event, runs, recall. How it does is told elsewhere."""
    done = _traced(strace, sys.executable, "-m", "memoryd", "demo")
    assert "turn 12" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    processes = {row.split()[0] for row in strace.read_text().splitlines() if "AF_UNIX" in row}
    assert len(processes) > 12, "the daemon and a hook for each turn"
    assert _families(strace) == {"AF_UNIX"}


def test_the_trace_would_show_one(strace: Path) -> None:
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
    assert _traced(strace, sys.executable, "-c", code).returncode == 0
    assert "AF_INET" in _families(strace)

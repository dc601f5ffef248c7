"""`make demo` is the main job: what it asserts must hold here too."""

import subprocess
import sys


def test_the_demo_passes_and_leaves_nothing_running() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memoryd", "demo"], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert "0 failed" in done.stdout

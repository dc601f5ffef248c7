import os
import subprocess
import sys
import uuid

import pytest

from memoryd.worker.agents.child import tree


@pytest.mark.parametrize("platform", ["linux", "darwin"])  # /proc, and `ps`, which Linux has too
def test_all_below_a_process_are_found_with_what_they_use(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux" and platform == "linux":
        pytest.skip("no /proc here")
    monkeypatch.setattr(sys, "platform", platform)
    code = "import subprocess, sys; subprocess.run(['sleep', '60'])"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        try:
            found: list[tree.Process] = []
            while len(found) < 2:  # bounded by the test's time limit
                found = [one for one in tree.below(os.getpid()) if child.pid in (one.pid, one.parent)]
            by_pid = {one.pid: one for one in found}
            assert by_pid[child.pid].parent == os.getpid()
            assert by_pid[child.pid].rss_bytes > 1024 * 1024
            assert not any(one.ended for one in found)
        finally:
            for one in tree.below(child.pid):
                os.kill(one.pid, 9)
            child.kill()


def test_the_processes_of_a_run_are_known_by_its_mark_alone() -> None:
    if sys.platform != "linux":
        pytest.skip("no /proc here")
    mine = uuid.uuid4().hex
    children = [subprocess.Popen(["sleep", "60"], env={tree.MARK: mark}) for mark in (mine, f"{mine}-2")]
    try:
        assert list(tree.marked(mine)) == [children[0].pid]
    finally:
        for child in children:
            child.kill()
            child.wait()

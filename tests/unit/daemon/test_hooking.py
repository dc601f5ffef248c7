"""`memoryd hook` and the script, as hosts and containers call them: exit 0 and silence, whatever is missing."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from memoryd.daemon.hooking import hook
from memoryd.errors import ConfigError
from memoryd.ipc import hookscript
from memoryd.ipc import places as placing

STDIN = b'{"session_id":"s1","hook_event_name":"Stop","last_assistant_message":"done"}\n'


@dataclass(frozen=True)
class Ways:
    """The two ways to deliver, in a home without a daemon."""

    home: Path
    script: Path

    def __call__(self, way: str, shell: str, env: Mapping[str, str]) -> tuple[int, bytes]:
        command = [str(self.script)] if way == "script" else [sys.executable, "-P", "-m", "memoryd", "hook"]
        line = shell.replace("HOOK", f"{shlex.join(command)} claude-code Stop")
        given = {name: value for name, value in env.items() if value}
        done = subprocess.run(
            ["/bin/sh", "-c", line], input=STDIN, env=given, capture_output=True, timeout=60, check=False
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Ways:
    home = tmp_path_factory.mktemp("home")
    script = home / "memoryd-hook"
    hookscript.write(script, hookscript.generate(placing.find({"HOME": str(home)}), Path(sys.executable)))
    return Ways(home, script)


@pytest.mark.parametrize("way", ["script", "memoryd hook"])
@pytest.mark.parametrize(
    ("shell", "home", "spools"),
    [
        ("cd / && HOOK", "HOME", True),
        ('mkdir "$HOME/gone" && cd "$HOME/gone" && rmdir "$HOME/gone" && HOOK', "HOME", True),
        ("HOOK >&-", "HOME", True),
        ("HOOK >/dev/full", "HOME", True),
        ("HOOK <&- >&- 2>&-", "HOME", False),
        ("HOOK", "/proc/nobody", False),  # nothing can be written there, not by root either
        ('cd "$HOME" && echo "raise SystemExit(9)" >json.py && HOOK', "HOME", True),
    ],
    ids=["/", "a deleted directory", "closed stdout", "full stdout", "all closed", "home read-only", "a trap"],
)
def test_it_delivers_what_it_can_and_never_complains(ways: Ways, way: str, shell: str, home: str, spools: bool) -> None:
    spool = placing.find({"HOME": str(ways.home)}).spool
    before = set(spool.glob("*-*"))
    env = {"HOME": str(ways.home) if home == "HOME" else home, "PATH": os.environ["PATH"]}
    assert ways(way, shell, env) == (0, b"")
    left = len(set(spool.glob("*-*")) - before)
    assert left == (spools or (way == "script" and home != "HOME"))  # its places stand in it


def test_a_user_without_a_home_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose user id stands in no passwd file, where HOME is not set."""

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(Path, "home", unknown)
    with pytest.raises(ConfigError, match="set HOME"):
        placing.find()
    with pytest.raises(SystemExit) as ended:
        hook(["claude-code", "Stop"])
    assert ended.value.code == 0

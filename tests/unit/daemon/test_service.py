"""The unit files and the launchd agent, as written; the service manager's own checkers judge them."""

import json
import os
import plistlib
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from memoryd.daemon.service import LABEL, Service, run_steps
from memoryd.daemon.service import Step as ManagerStep
from memoryd.errors import CannotWrite
from memoryd.ipc import places as placing

TOP = Path(__file__).parents[3]
needs_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


@pytest.fixture
def service(home: Path) -> Service:
    return Service(places=placing.find())


def _unit(service: Service, name: str) -> str:
    return service.files()[service.folder / name].decode()


def _lines(unit: str) -> list[str]:
    return [line for line in unit.splitlines() if line and not line.startswith("#")]


def test_the_folders_at_the_top_show_the_packaged_files() -> None:
    packaged = files("memoryd.daemon") / "units"
    for name in ("systemd/memoryd.service", "systemd/memoryd.socket", f"launchd/{LABEL}.plist"):
        assert (TOP / name).read_bytes() == (packaged / name).read_bytes()


@needs_analyze
def test_systemd_finds_nothing_to_say(service: Service, tmp_path: Path) -> None:
    service.write()
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", "--recursive-errors=yes", *map(str, service.files())],
        capture_output=True, text=True, timeout=60, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@needs_analyze
def test_the_exposure_does_not_grow(service: Service, tmp_path: Path) -> None:
    service.write()
    done = _security(service, tmp_path, "--threshold=75")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Overall exposure level for memoryd.service: 7.5" in done.stdout


@needs_analyze
def test_what_is_left_open_stands_in_the_manual_with_its_reason(service: Service, tmp_path: Path) -> None:
    service.write()
    found = json.loads(_security(service, tmp_path, "--json=short").stdout)
    left_open = {row["name"].partition("=")[0] for row in found if row["set"] is False}
    page = (TOP / "docs" / "operations.md").read_text("utf-8").split("### Exposure")[1].split("## Metrics")[0]
    named = set(re.findall(r"`([A-Z]\w+)`", "".join(row.split("|")[1] for row in page.splitlines() if row[:1] == "|")))
    assert left_open | {"User"} == named  # root runs as root, others as themselves


def _security(service: Service, tmp_path: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["systemd-analyze", "--user", "security", "--offline=yes", "--no-pager", *options,
         str(service.folder / "memoryd.service")],
        capture_output=True, text=True, timeout=60, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip


def test_no_placeholder_is_left_and_paths_are_absolute(service: Service) -> None:
    unit = _unit(service, "memoryd.service")
    assert "@" not in "".join(line for line in _lines(unit) if not line.startswith("SystemCallFilter"))
    [command] = [line.removeprefix("ExecStart=") for line in _lines(unit) if line.startswith("ExecStart=")]
    assert command.startswith("/")
    assert command.endswith(" -P -m memoryd serve")


def test_a_node_program_and_a_cage_may_run_under_it(service: Service) -> None:
    lines = _lines(_unit(service, "memoryd.service"))
    keys = {line.partition("=")[0] for line in lines}
    assert not keys & {"MemoryDenyWriteExecute", "RestrictNamespaces", "ProtectHome", "PrivateUsers"}
    [allowed] = [line for line in lines if line.startswith("SystemCallFilter=")]
    assert "@mount" in allowed
    assert "Type=notify" in lines


def test_the_socket_is_the_one_that_hooks_use(service: Service, home: Path) -> None:
    assert "ListenStream=%t/memoryd/memoryd.sock" in _lines(_unit(service, "memoryd.socket"))
    assert "SocketMode=0600" in _lines(_unit(service, "memoryd.socket"))
    odd = Service(places=placing.find(socket=str(home / "100% mine" / "s")))
    assert f"ListenStream={home}/100%% mine/s" in _lines(_unit(odd, "memoryd.socket"))
    assert f'Environment="MEMORYD_SOCKET={home}/100%% mine/s"' in _lines(_unit(odd, "memoryd.service"))


def test_what_the_service_manager_does_not_know_is_written_into_the_unit(home: Path) -> None:
    env = {"HOME": str(home), "XDG_RUNTIME_DIR": "/run/user/1", "XDG_DATA_HOME": str(home / "d")}
    service = Service(places=placing.find(env), env=env)
    assert f"Environment=XDG_DATA_HOME={home}/d" in _lines(_unit(service, "memoryd.service"))
    assert not [line for line in _lines(_unit(service, "memoryd.service")) if "MEMORYD_SOCKET" in line]


def test_files_are_current_outdated_or_absent(service: Service) -> None:
    assert service.written() == "absent"
    service.write()
    assert service.written() == "current"
    (service.folder / "memoryd.socket").write_text("[Socket]\n")
    assert service.written() == "outdated"
    assert len(service.erase()) == 2
    assert service.written() == "absent"


def test_the_launchd_agent_reads_back_as_meant(home: Path) -> None:
    env = {"HOME": str(home / "a b"), "XDG_DATA_HOME": "/x"}
    service = Service(places=placing.find(env), env=env, platform="darwin")
    [(path, content)] = service.files().items()
    assert path == home / "a b" / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    agent = plistlib.loads(content)
    assert plistlib.loads(plistlib.dumps(agent)) == agent
    assert agent["Label"] == LABEL
    assert agent["ProgramArguments"][1:] == ["-P", "-m", "memoryd", "serve"]
    assert Path(agent["ProgramArguments"][0]).is_absolute()
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["EnvironmentVariables"] == {"XDG_DATA_HOME": "/x"}
    assert agent["Umask"] == 0o077
    assert "Sockets" not in agent
    service.write()
    assert service.written() == "current"
    assert [str(step).split()[:2] for step in service.enable_steps()] == [["launchctl", "bootstrap"]]


def test_a_step_that_fails_says_what_the_manager_said() -> None:
    done = run_steps((ManagerStep(argv=("true",)), ManagerStep(argv=("sh", "-c", "echo no bus >&2; exit 1"))))
    assert str(next(done)) == "true"
    with pytest.raises(CannotWrite, match="no bus"):
        next(done)

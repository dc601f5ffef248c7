import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memoryd.errors import ConfigError
from memoryd.ipc import hookscript
from memoryd.ipc.places import Places


@pytest.fixture
def places(short_dir: Path) -> Places:
    return Places(data=short_dir / "data", socket=short_dir / "it's a 'socket'", config=short_dir / "c")


def spooled_by(script: Path, places: Places) -> int:
    done = subprocess.run([script, "claude-code", "Stop"], input=b"{}", env={}, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return sum(not name.startswith(".") for name in os.listdir(places.spool))


def test_it_names_the_resolved_interpreter_and_is_the_same_each_time(places: Places) -> None:
    text = hookscript.generate(places, Path(sys.executable))
    assert text.splitlines()[0] == f"#!{os.path.realpath(sys.executable)} -IS"
    assert text == hookscript.generate(places, Path(sys.executable))


def test_writing_makes_it_current_and_a_change_makes_it_old(places: Places, short_dir: Path) -> None:
    script = short_dir / "bin" / "memoryd-hook"
    text = hookscript.generate(places, Path(sys.executable))
    assert not hookscript.is_current(script, text)
    hookscript.write(script, text)
    assert hookscript.is_current(script, text)
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    assert os.listdir(script.parent) == ["memoryd-hook"]
    script.chmod(0o600)
    script.write_bytes(b"\xff")
    assert not hookscript.is_current(script, text)


def test_an_interpreter_behind_a_path_with_spaces_is_started_by_a_shell(places: Places, short_dir: Path) -> None:
    base = Path(os.path.realpath(sys.executable)).parents[1]
    odd = short_dir / "my 'python'"
    odd.symlink_to(base)
    interpreter = f"{odd}/bin/{Path(os.path.realpath(sys.executable)).name}"
    start = hookscript._start(interpreter)
    assert start.startswith("#!/bin/sh\n")
    text = hookscript.generate(places, Path(sys.executable)).split("\n", 1)[1]
    script = short_dir / "memoryd-hook"
    hookscript.write(script, f"{start}\n{text}")
    assert spooled_by(script, places) == 1
    written = hookscript.read_back(script.read_text())
    assert written is not None
    assert written.interpreter == interpreter


def test_a_script_tells_what_it_was_written_for(places: Places) -> None:
    text = hookscript.generate(places, Path(sys.executable))
    assert hookscript.read_back(text) == hookscript.Written(
        interpreter=os.path.realpath(sys.executable), socket=str(places.socket), spool=str(places.spool),
        this_release=True,
    )  # fmt: skip
    older = hookscript.read_back(text.replace("SLOW_SECONDS = 10", "SLOW_SECONDS = 9"))
    assert older is not None
    assert not older.this_release
    assert hookscript.read_back("#!/bin/sh\nexit 0\n") is None


def test_a_path_too_long_for_the_kernel_is_started_by_a_shell() -> None:
    assert hookscript._start("/" + "x" * 300).startswith("#!/bin/sh\n")


def test_after_an_upgrade_of_the_interpreter_the_source_runs(places: Places, short_dir: Path) -> None:
    script = short_dir / "memoryd-hook"
    text = hookscript.generate(places, Path(sys.executable)).replace(f"= ['{sys.version[:4]}", "= ['2.7.")
    hookscript.write(script, text)
    assert spooled_by(script, places) == 1


@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_it_runs_under_other_interpreters(places: Places, short_dir: Path, version: str) -> None:
    beside = sorted(Path(sys.base_prefix).parent.glob(f"{version}*/bin/python{version}"))
    found = beside[-1] if beside else shutil.which(f"python{version}")
    if found is None or subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip(f"no working python{version} beside {sys.base_prefix} or on PATH")
    real = subprocess.run(
        [found, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True, check=True
    )
    script = short_dir / "memoryd-hook"
    hookscript.write(script, hookscript.generate(places, Path(real.stdout.strip())))
    assert spooled_by(script, places) == 1


def test_a_program_that_is_no_python_is_refused(places: Places) -> None:
    with pytest.raises(ConfigError, match="cannot run the hook"):
        hookscript.generate(places, Path("/bin/false"))

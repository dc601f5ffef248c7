"""What an agent tries from its cage, with a real child in each kind of cage; without one it would succeed."""

import asyncio
import contextlib
import os
import resource
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from support.agent_child import SEPARATOR, tried
from support.agents import ARGV, child_agent, fault_of, propose

from memoryd.worker.agents.child import bubblewrap, cage
from memoryd.worker.agents.child.order import Order

linux = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and bubblewrap are of Linux")

TESTS = str(Path(__file__).parents[4])
REFUSED = {"EACCES", "EPERM", "EROFS", "ENOENT", "EAFNOSUPPORT", "ESRCH", "ENOSYS", "EXDEV"}


@dataclass
class Kind:
    """A kind of cage, and how a child comes into it."""

    name: str
    argv: tuple[str, ...] = ARGV
    path: str | None = None  #: PATH of the child
    allow_uncaged: bool = False

    async def attempt(self, home: Path, *ways_out: str, **changes: object) -> list[str]:
        """How each way out went."""

        def change(order: Order) -> Order:
            return replace(order, allow_uncaged=self.allow_uncaged, **changes)  # type: ignore[arg-type]

        agent = child_agent(home, f"tries {SEPARATOR.join(ways_out)}", argv=self.argv, change=change, path=self.path)
        return (await propose(agent)).notes["generic", "s1"].split(SEPARATOR)


WITHOUT_LANDLOCK = (*ARGV, "--landlock=0")


@pytest.fixture
def uncaged() -> Kind:
    return Kind("none", argv=WITHOUT_LANDLOCK, path="", allow_uncaged=True)


@pytest.fixture(params=["landlock", "bubblewrap"])
def kind(request: pytest.FixtureRequest) -> Kind:
    if request.param == "landlock":
        there, told = cage.describe()
        if not (there and told.startswith("Landlock")):
            pytest.skip(f"this kernel has no Landlock: {told}")
        return Kind("landlock")
    if bubblewrap.usable() is None:
        pytest.skip("bwrap is not installed, or may not make name spaces here")
    return Kind("bubblewrap", argv=WITHOUT_LANDLOCK)


@pytest.fixture
def secret(home: Path) -> Path:
    """A file of the person's, in their home directory."""
    folder = home / ".ssh"
    folder.mkdir()
    (folder / "id_ed25519").write_text("not for agents")
    return folder / "id_ed25519"


@contextlib.contextmanager
def listening(family: socket.AddressFamily, address: str | tuple[str, int]) -> Iterator[socket.socket]:
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.bind(address)
        one.listen()
        yield one


@linux
async def test_files_of_the_person_and_of_memoryd_are_out_of_reach(
    tmp_path: Path, home: Path, secret: Path, kind: Kind, uncaged: Kind
) -> None:
    state = tmp_path / "state.db"  # of the folder in which its own lies
    state.write_bytes(b"events")
    ways_out = [f"{way} {path}" for path in (secret, state) for way in ("append", "truncate", "write", "read", "link")]
    ways_out += [f"list {home}", f"write {home / 'new'}", f"remove {secret}"]
    before = secret.read_text()
    assert set(await kind.attempt(tmp_path, *ways_out)) <= REFUSED
    assert (secret.read_text(), state.read_bytes(), list(home.iterdir())) == (before, b"events", [secret.parent])
    assert set(await uncaged.attempt(tmp_path, *ways_out)) == {"done"}


@linux
async def test_its_own_folder_and_what_its_order_names_are_open(tmp_path: Path, secret: Path, kind: Kind) -> None:
    other = tmp_path / "other"
    other.mkdir()
    told = await kind.attempt(
        tmp_path, "write new", f"read {secret}", f"append {secret}", f"write {other / 'new'}",
        reads=(str(secret.parent), TESTS), writes=(str(other),),
    )  # fmt: skip
    assert told[:2] == ["done", "done"]
    assert told[2] in REFUSED
    assert told[3] == "done"


@linux
async def test_processes_and_sockets_of_others_are_out_of_reach(tmp_path: Path, kind: Kind, uncaged: Kind) -> None:
    path, name = tmp_path / "s", f"{tmp_path.name}-{os.getpid()}"  # an abstract name is the whole machine's
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(60)")
    with listening(socket.AF_UNIX, str(path)), listening(socket.AF_UNIX, f"\0{name}"):
        # the ring would open sockets past the filter; an environment may hold keys
        ways_out = [f"unix {path}", f"abstract {name}", "ring", "privileges", f"read /proc/{os.getpid()}/environ"]
        ways_out += [f"trace {other.pid}", f"signal {other.pid}"]
        assert set(await kind.attempt(tmp_path, *ways_out)) <= REFUSED
    assert other.returncode is None
    assert await uncaged.attempt(tmp_path, f"signal {other.pid}") == ["done"]
    assert await other.wait() == -signal.SIGUSR1


def state_of(pid: int) -> tuple[object, ...]:
    """What an agent might change of a process."""
    limit, nice = resource.prlimit(pid, resource.RLIMIT_NOFILE), os.getpriority(os.PRIO_PROCESS, pid)
    return limit, nice, os.sched_getscheduler(pid), os.sched_getaffinity(pid)


@linux
async def test_limits_and_priorities_of_others_are_out_of_reach(tmp_path: Path, kind: Kind) -> None:
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(60)")
    pid, before = other.pid, state_of(other.pid)
    ways_out = ("limit", "nice", "processors", "scheduler", "parameters", "io")
    told = await kind.attempt(tmp_path, *(f"{way} {pid}" for way in ways_out), "nice_user 0", "io_user 0")
    assert set(told) <= REFUSED
    assert state_of(pid) == before
    assert {tried(way, str(pid)) for way in ways_out} == {"done"}
    changed = state_of(pid)
    assert (changed[0], changed[1], changed[2]) == ((5, 5), 10, os.SCHED_BATCH)
    other.kill()
    await other.wait()


@linux
async def test_a_process_may_still_set_its_own_priority(tmp_path: Path, kind: Kind) -> None:
    assert await kind.attempt(tmp_path, "nice 0", "processors 0", "scheduler 0", "io 0") == ["done"] * 4


@linux
async def test_owners_modes_and_times_of_files_are_out_of_reach(tmp_path: Path, secret: Path, kind: Kind) -> None:
    ways_out = [f"{way} {secret}" for way in ("mode", "times", "owner", "attribute", "open_mode")]
    before = secret.stat()
    told = await kind.attempt(tmp_path, *ways_out, "write own", "mode own", reads=(str(secret.parent), TESTS))
    assert set(told[:5]) <= REFUSED
    assert told[5:] == ["done", "EPERM"]
    assert (secret.stat(), os.listxattr(secret)) == (before, [])
    assert {tried(*way.split(" ", 1)) for way in ways_out} <= {"done", "EOPNOTSUPP", "ENOTSUP"}
    assert (secret.stat().st_mode & 0o777, secret.stat().st_mtime) == (0o777, 0)


@linux
async def test_a_program_that_writes_a_login_may_set_modes_but_no_owners(tmp_path: Path, kind: Kind) -> None:
    own = ("write own", "mode own", "open_mode own", "times own", "owner own", "attribute own")
    assert await kind.attempt(tmp_path, *own, modes=True) == ["done"] * 4 + ["EPERM"] * 2


@linux
async def test_with_landlock_it_connects_to_the_ports_of_its_order_alone(tmp_path: Path, uncaged: Kind) -> None:
    with listening(socket.AF_INET, ("127.0.0.1", 0)) as allowed, listening(socket.AF_INET, ("127.0.0.1", 0)) as other:
        port, closed = allowed.getsockname()[1], other.getsockname()[1]
        ways_out = (f"connect {port}", f"connect {closed}", "bind 0")
        told = await Kind("landlock").attempt(tmp_path, *ways_out, ports=(port,))
        assert told[0] == "done"
        assert set(told[1:]) <= REFUSED
        assert await Kind("landlock").attempt(tmp_path, *ways_out, ports=None) == ["done"] * 3
        assert await uncaged.attempt(tmp_path, *ways_out, ports=(port,)) == ["done"] * 3


@linux
@pytest.mark.parametrize("version", [1, 3, 4, 5])
async def test_an_older_kernel_keeps_in_what_it_can(tmp_path: Path, secret: Path, version: int) -> None:
    if int(cage.describe()[1].partition("version ")[2].partition(";")[0] or 0) < version:
        pytest.skip("this kernel is older")
    older = Kind("landlock", argv=(*ARGV, f"--landlock={version}"))
    with listening(socket.AF_INET, ("127.0.0.1", 0)) as other:
        closed = f"connect {other.getsockname()[1]}"
        told = await older.attempt(tmp_path, "write new", f"read {secret}", f"append {secret}", closed, ports=(1,))
    assert told[0] == "done"
    assert set(told[1:3]) <= REFUSED
    assert (told[3] in REFUSED) == (version >= 4)


@linux
async def test_without_any_cage_nothing_is_run_unless_a_person_allows_it(tmp_path: Path) -> None:
    found = await fault_of(child_agent(tmp_path, "each_prompt", argv=WITHOUT_LANDLOCK, path=""))
    assert found.code == "cage"
    assert "allow_uncaged" in found.reason


def test_the_command_line_of_bubblewrap_shows_the_places_of_an_order_and_no_more() -> None:
    words = bubblewrap.argv("bwrap", reads=["/usr", "/r"], writes=["/w"], work="/work", inner=["python", "-P"])
    assert words[-3:] == ["--", "python", "-P"]
    places = [words[n : n + 3] for n, word in enumerate(words) if word.startswith(("--ro-bind", "--bind"))]
    assert places == [
        ["--ro-bind-try", "/usr", "/usr"],
        ["--ro-bind-try", "/r", "/r"],
        ["--bind-try", "/w", "/w"],
        ["--bind-try", "/work", "/work"],
    ]
    assert {"--die-with-parent", "--unshare-all", "--cap-drop"} < set(words)


def test_the_home_directory_is_never_among_the_places_to_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = home / "bin"
    program.mkdir()
    monkeypatch.setattr(sys, "path", [str(home), str(home.parent), "/", str(program), ""])
    found = cage.readable(Order(work="/w", reads=(str(home),)))
    assert str(program) in found
    assert {str(home), str(home.parent), "/", ""} & set(found) == set()


def test_a_cage_is_named_for_people() -> None:
    there, told = cage.describe()
    assert there == told.startswith(("Landlock", "bubblewrap"))
    assert there or not shutil.which("bwrap")

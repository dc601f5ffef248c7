"""The service under a real `systemd --user`, in namespaces and a cgroup of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CGROUPS = [Path("/sys/fs/cgroup") / name for name in ("systemd", "unified") if (Path("/sys/fs/cgroup") / name).is_dir()]
SYSTEMD = Path("/lib/systemd/systemd")

WORLD = r"""
set -u
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/user/0
chmod 700 /run/user/0
export XDG_RUNTIME_DIR=/run/user/0 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/0/bus
m() { "$PYTHON" -P -m memoryd "$@"; }
manager() { systemctl --user --no-pager "$@"; }
wait_for() { for _ in $(seq 100); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; echo "never: $*"; }
answers() { m status | grep -q ^ok; }

/lib/systemd/systemd --user --log-level=info --log-target=console > manager.log 2>&1 &
MANAGER=$!
wait_for test -S /run/user/0/systemd/private
m service install --yes; echo "install $?"
m service status
manager show --property=ActiveState,SubState,StatusText memoryd.service

m install claude-code --yes > /dev/null
HOOK="$HOME/.local/share/memoryd/bin/memoryd-hook"
PAYLOAD='{"session_id":"w1","hook_event_name":"%s","cwd":"%s","prompt_id":"%s","prompt":"%s"}'
fire() { printf "$PAYLOAD" "$1" "$HOME/p" "$2" "$3" | "$HOOK" claude-code "$1" > /dev/null; }
mkdir -p p
for n in 1 2 3; do fire UserPromptSubmit "p$n" "Always run make check before you commit."; fire Stop "p$n" ""; done
m consolidate --cwd p --wait > /dev/null; echo "remembered $(m recall --cwd p | grep -c 'make check')"

kill -9 "$(manager show --property=MainPID --value memoryd.service)"
wait_for answers
manager show --property=NRestarts memoryd.service
OLD="$(manager show --property=MainPID --value memoryd.service)"
m restart > /dev/null; echo "restart $?"
test "$OLD" != "$(manager show --property=MainPID --value memoryd.service)" && echo "another process"
m doctor; echo "doctor $?"

manager --quiet disable memoryd.socket memoryd.service
m doctor | grep -A1 'does not start at the next login'; echo "disabled ${PIPESTATUS[0]}"
m service status 2>&1
m service install --yes > /dev/null
m doctor > /dev/null; echo "enabled $?"

m stop
fire Stop p4 ""
wait_for answers
echo "turns $(m sessions show w1 --json | grep -o '"turn_count":[0-9]*')"

U="$HOME/.config/systemd/user"
NOT_MEANT='ExecStart|WatchdogSec|Requires|After|Restart|NotifyAccess|ExecReload'
OUTPUT="StandardOutput=append:$HOME/children\\nStandardError=append:$HOME/children"
sed -E -e 's/^Type=.*/Type=oneshot/' -e "/^($NOT_MEANT)/d" \
    -e "s|^\[Service\]|[Service]\n$OUTPUT\n$CHILDREN|" "$U/memoryd.service" > "$U/child.service"
manager daemon-reload
manager start child.service; echo "children $?"
cat "$HOME/children"

m service uninstall --yes; echo "uninstall $?"
m status; echo "status $?"
kill -TERM $MANAGER
wait $MANAGER
"""


def _cgroup(pid: int) -> list[Path]:
    return [folder / f"memoryd-test-{pid}" for folder in CGROUPS]


def _may() -> str:
    """Why not, else ''."""
    if os.getuid() != 0 or not SYSTEMD.exists() or not shutil.which("unshare"):
        return "needs root, unshare and /lib/systemd/systemd"
    done = subprocess.run(["unshare", "-m", "-C", "-p", "-f", "--mount-proc", "true"], capture_output=True)
    if done.returncode or not CGROUPS:
        return "namespaces or cgroups are refused here"
    return "" if os.access(CGROUPS[0], os.W_OK) else "cgroups cannot be made here"


@pytest.mark.root
@pytest.mark.skipif(bool(_may()), reason=_may())
def test_the_service_in_a_real_user_manager(home: Path) -> None:
    (home / ".claude").mkdir()
    children = [r"ExecStart=/bin/sh -c \"ls -d $HOME/.claude\""]
    expected = [str(home / ".claude")]
    if node := shutil.which("node"):
        children.append(f"ExecStart={node} -e " + r"\"console.log(6 * 7)\"")
        expected.append("42")
    if bwrap := shutil.which("bwrap"):
        children.append(f"ExecStart={bwrap} --unshare-all --ro-bind / / --proc /proc --dev /dev /bin/echo caged")
        expected.append("caged")
    env = {**os.environ, "PYTHON": sys.executable, "CHILDREN": r"\n".join(children)}
    out = _run(WORLD, home, env)
    lines = out.splitlines()
    for line in (
        "install 0", "running", "ActiveState=active", "SubState=running", "StatusText=ready", "remembered 1",
        "NRestarts=1", "restart 0", "another process", "doctor 0", "disabled 1", "  → `memoryd service install`",
        "enabled 0",
        "note: it does not start at the next login; `memoryd service install` enables it",
        'turns "turn_count":4', "children 0", *expected, "uninstall 0", "status 3",
    ):  # fmt: skip
        assert line in lines, out
    assert "never: " not in out


def _run(script: str, home: Path, env: dict[str, str]) -> str:
    """The script in namespaces and a cgroup that are gone afterwards."""
    enter = 'for g in $GROUPS_OF_TEST; do echo $$ > "$g/cgroup.procs"; done; '
    enter += 'exec unshare -m -C -p -f --mount-proc bash -c "$0"'
    groups = _cgroup(os.getpid())
    for group in groups:
        group.mkdir()
    try:
        done = subprocess.run(
            ["bash", "-c", enter, script], cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=110,
            env={**env, "GROUPS_OF_TEST": " ".join(map(str, groups))},
        )  # fmt: skip
        return done.stdout
    finally:
        for group in groups:
            for inner in sorted(group.rglob("*"), reverse=True):
                if inner.is_dir():
                    inner.rmdir()
            group.rmdir()

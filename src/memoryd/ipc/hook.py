"""The hook: stdin to the daemon, the daemon's answer to stdout; exit 0 and silence whatever happens.

C modules only (no `json`, no `socket`, no `os`): starting the interpreter is what a hook costs. `hookscript` copies
this file into a script, so it imports nothing of memoryd.
"""

import _json
import _socket
import posix
import select
import sys
import time

CHILD = "MEMORYD_CHILD"  # in the environment of what memoryd itself starts: hooks that fire there end at once
MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_SPOOL_BYTES = 256 * 1024 * 1024
MAX_SPOOL_FILES = 20_000
SLOW_SECONDS = 10  # after a missed deadline hooks spool at once for this long
START_SECONDS = 60  # between two tries to start a daemon
QUIET_MS = 100  # without a byte: look whether the document is complete, for hosts that keep stdin open
STDIN_SECONDS = 2.0
CONTEXT_EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "BeforeAgent",  # Gemini
    "sessionStart",  # Copilot, Cursor
    "userPromptSubmitted",
    "beforeSubmitPrompt",
    "on_session_start",  # Hermes
    "pre_llm_call",
    "agent:bootstrap",  # OpenClaw
)
ENV = (
    "CLAUDECODE",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "GEMINI_PROJECT_DIR",
    "GEMINI_SESSION_ID",
    "QWEN_PROJECT_DIR",
    "QWEN_CODE_SESSION_ID",
    "COPILOT_CLI",
    "COPILOT_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "CURSOR_VERSION",
)
TOOL_KEYS = (
    "session_id",
    "hook_event_name",
    "cwd",
    "prompt_id",
    "turn_id",
    "agent_id",
    "tool_name",
    "tool_use_id",
    "toolName",
    "sessionId",
    "conversation_id",
    "generation_id",
)


def run(host: str, event: "str | None", socket_path: str, spool_dir: str) -> int:
    """Deliver one firing and return 0. Reads file descriptor 0, writes file descriptor 1.

    One deadline covers connect, send and answer: 300 ms, 1 s when the host may want context back or the event is not
    named. What the daemon did not take in time waits in `spool_dir`.
    """
    try:
        if CHILD.encode() not in posix.environ:
            _deliver(host, event, socket_path, spool_dir)
    except Exception:  # a hook that fails aloud breaks the agent
        pass
    return 0


def _deliver(host: str, event: "str | None", socket_path: str, spool_dir: str) -> None:
    raw = _stdin()
    if not raw.strip():
        return
    ident, at_ns = posix.urandom(16).hex(), time.time_ns()
    reply, late, absent = None, False, False
    if not _slow(spool_dir):
        deadline = time.monotonic() + (1.0 if event is None or event in CONTEXT_EVENTS else 0.3)
        try:
            reply = _ask(socket_path, _line(ident, at_ns, host, event, raw), deadline)
        except TimeoutError:
            late = True
        except OSError as error:
            absent = isinstance(error, (FileNotFoundError, ConnectionRefusedError))
    if reply is not None and reply.startswith(ACCEPTED):
        _write(1, _json.scanstring(reply, len(ACCEPTED), True)[0].encode())
    elif reply is None or '"retry":"never"' not in reply:
        kept = _outcome_only(raw) if event is not None and "tool" in event.lower() else raw
        if kept:
            spool(spool_dir, f"{at_ns}-{posix.getpid()}-{ident}", _line(ident, at_ns, host, event, kept))
    if late:
        _touch(spool_dir, ".slow")
    if absent:
        _start(spool_dir)


ACCEPTED = '{"jsonrpc":"2.0","id":1,"result":{"stdout":"'  # the daemon writes its keys in this order


def _stdin() -> str:
    """All of stdin; also a complete document whose sender forgets to close; what came when time is up."""
    received = bytearray()
    poll, until = select.poll(), time.monotonic() + STDIN_SECONDS
    poll.register(0, select.POLLIN)
    while len(received) < MAX_LINE_BYTES and time.monotonic() < until:
        if poll.poll(QUIET_MS):
            chunk = posix.read(0, 1 << 20)
            if not chunk:
                break
            received += chunk
        elif _scan(received.decode("utf-8", "replace")) is not None:
            break
    return received.decode("utf-8", "replace")


class _Plain:
    """What the scanner of `_json` wants to know: the defaults of the json package."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int


def _scan(text: str) -> "dict[str, object] | None":
    """The JSON object that the whole text is, else None."""
    text = text.strip()
    if not text.startswith("{") or not text.endswith("}"):
        return None
    try:
        found, end = _json.make_scanner(_Plain)(text, 0)  # type: ignore[arg-type]
    except Exception:  # also SystemError: without the json package there is no exception class for bad input
        return None
    return found if end == len(text) and isinstance(found, dict) else None


def _line(ident: str, at_ns: int, host: str, event: "str | None", raw: str) -> bytes:
    """The request, cut to what the daemon takes: a longer payload reaches it broken and is shown by `doctor`."""
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_ns // 10**9)) + f".{at_ns // 10**6 % 1000:03d}Z"
    env = ",".join(
        _quote(name) + ":" + _quote(posix.environ[name.encode()].decode("utf-8", "replace")[:4096])
        for name in ENV
        if name.encode() in posix.environ
    )
    head = (
        f'{{"jsonrpc":"2.0","id":1,"method":"hook.deliver","params":{{"id":"{ident}","at":"{at}","host":{_quote(host)}'
    )
    tail = f',"event":{"null" if event is None else _quote(event)},"cwd":{_cwd()},"env":{{{env}}},"raw":'
    line = (head + tail + _quote(raw) + "}}\n").encode("utf-8", "replace")
    return line if len(line) <= MAX_LINE_BYTES else _line(ident, at_ns, host, event, raw[: len(raw) * 2 // 3])


def _quote(text: str) -> str:
    return _json.encode_basestring(text)


def _cwd() -> str:
    try:
        return _quote(posix.getcwdb().decode("utf-8", "replace"))
    except OSError:  # the directory is gone
        return "null"


def _ask(path: str, line: bytes, deadline: float) -> "str | None":
    """Return the answer line, None when the daemon hung up. :raises TimeoutError: nothing in time"""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(_left(deadline))
    connection.connect(path)
    connection.settimeout(_left(deadline))
    connection.sendall(line)
    reply = bytearray()
    while not reply.endswith(b"\n"):
        connection.settimeout(_left(deadline))
        chunk = connection.recv(65536)
        if not chunk:
            return None
        reply += chunk
    return reply.decode("utf-8", "replace")


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _outcome_only(raw: str) -> str:
    """Name and outcome of a tool event: its input and output may be large and secret; '' when it is no JSON."""
    found = _scan(raw)
    if found is None:
        return ""
    kept = ((key, found[key]) for key in TOOL_KEYS if key in found)
    parts = [_quote(key) + ":" + _quote(value) for key, value in kept if isinstance(value, str)]
    return "{" + ",".join([*parts, '"ok":' + ("false" if found.get("error") else "true")]) + "}"


def _slow(spool_dir: str) -> bool:
    return _age(spool_dir + "/.slow") < SLOW_SECONDS


def _age(path: str) -> float:
    """Seconds since a mark was touched; without end where there is none, or one from the future."""
    try:
        age = time.time() - posix.stat(path).st_mtime
    except OSError:
        return float("inf")
    return age if age >= 0 else float("inf")


def _start(spool_dir: str) -> None:
    """Start the daemon where its configuration lets a hook do so: at most once a minute, never after a stop.

    It gets a session of its own and nothing of this process, so that no host waits for it or ends it.
    """
    starter = spool_dir[: -len("spool")] + "bin/memoryd-start"
    posix.stat(starter)  # missing: not wanted
    if _age(spool_dir + "/.starting") < START_SECONDS or _age(spool_dir + "/.stopped") < float("inf"):
        return
    _touch(spool_dir, ".starting")
    if posix.fork():
        return
    try:
        posix.setsid()
        null = posix.open("/dev/null", posix.O_RDWR)
        for descriptor in range(3):
            posix.dup2(null, descriptor)
        posix.closerange(3, 1024)
        posix.chdir("/")
        posix.execve(starter, [starter], {})
    finally:
        posix._exit(127)


def _touch(spool_dir: str, name: str) -> None:
    _directory(spool_dir)
    flags = posix.O_CREAT | posix.O_WRONLY | posix.O_NOFOLLOW | posix.O_CLOEXEC
    descriptor = posix.open(spool_dir + "/" + name, flags, 0o600)
    posix.utime(descriptor)
    posix.close(descriptor)


def _directory(path: str) -> None:
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except FileNotFoundError:
        _directory(path.rpartition("/")[0])
        posix.mkdir(path, 0o700)


def spool(spool_dir: str, name: str, line: bytes) -> None:
    """Leave the line for the daemon: whole and synced under its name, or not at all."""
    _directory(spool_dir)
    if not _room(spool_dir, len(line)):
        return _touch(spool_dir, ".full")
    temporary = spool_dir + "/.tmp-" + name
    flags = posix.O_CREAT | posix.O_EXCL | posix.O_WRONLY | posix.O_NOFOLLOW | posix.O_CLOEXEC
    descriptor = posix.open(temporary, flags, 0o600)
    try:
        _write(descriptor, line)
        _sync(descriptor)
        posix.rename(temporary, spool_dir + "/" + name)
    except BaseException:
        posix.unlink(temporary)
        raise
    directory = posix.open(spool_dir, posix.O_RDONLY | posix.O_CLOEXEC)
    _sync(directory)
    return None


def _room(spool_dir: str, size: int) -> bool:
    files = 0
    for entry in posix.scandir(spool_dir):
        try:
            size += entry.stat(follow_symlinks=False).st_size
            files += 1
        except FileNotFoundError:  # the daemon took it just now
            pass
    return files < MAX_SPOOL_FILES and size <= MAX_SPOOL_BYTES


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        posix.fsync(descriptor)


def _write(descriptor: int, text: bytes) -> None:
    while text:
        text = text[posix.write(descriptor, text) :]

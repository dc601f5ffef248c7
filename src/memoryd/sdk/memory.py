"""The memory of one session, blocking: what the model is told before a call, what is recorded after it."""

import os
import uuid
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self, get_args

from memoryd.clock import mono
from memoryd.errors import MemorydError, NotFound, UsageError
from memoryd.ipc import hook
from memoryd.ipc.events import EndStatus, TextMessage, ToolUseData, Trigger
from memoryd.ipc.methods.base import Author, EntryTypeName, ScopeName
from memoryd.ipc.methods.events import HookDelivered
from memoryd.ipc.methods.memory import MemoryItem, MemorySaved
from memoryd.sdk import state as states
from memoryd.sdk.context import Context, joined
from memoryd.sdk.courier import Courier, Daemon, WithoutDaemon
from memoryd.sdk.delivery import HOST, pack, plain
from memoryd.sdk.locks import Lock
from memoryd.sdk.state import State
from memoryd.sdk.where import AnyPath, Where

SAVE_SECONDS = 10.0  #: a save writes files, and waits for a run that writes the same ones
MAX_NAME_CHARS = 60
MAX_TOOLS = 200  #: recorded one by one of a turn; all are counted

Status = Literal["ok", "failed", "interrupted"]


class Memory:
    """One session. Safe to share between threads and over a fork; nothing is opened before the first call.

    As a context manager it ends the session. A session that goes on in another process ends with `save_state`
    instead.
    """

    def __init__(
        self,
        session_id: str | None = None,
        *,
        memory_dir: AnyPath | None = None,
        cwd: AnyPath | None = None,
        without_daemon: WithoutDaemon = "noop",
        deadline_seconds: float = 1.0,
        enabled: bool = True,
        daemon: Daemon | None = None,
    ) -> None:
        """
        :param session_id: names the conversation; a new one by default
        :param memory_dir: the one directory that holds this memory; by default that of the user and of `cwd`'s project
        :param cwd: where the agent works, by default the process
        :param without_daemon: `noop`: go on without memory, after one warning; what happened waits in this process.
            `spool`: the same, but it waits on disk, where the daemon finds it. `raise`: say so.
        :param deadline_seconds: for each call; after a missed one the daemon is left alone for 10 s
        :param enabled: False: every call does nothing
        :param daemon: another one than that of this user, e.g. `memoryd.sdk.testing.FakeDaemon`
        :raises UsageError: another choice for `without_daemon`; a session id that is none
        """
        if without_daemon not in get_args(WithoutDaemon):
            raise UsageError(f"without_daemon is noop, spool or raise, not {without_daemon!r}")
        of_an_agent = hook.CHILD in os.environ  # memoryd started this process: it would learn from itself
        self._courier = Courier(daemon=daemon, without_daemon=without_daemon, enabled=enabled and not of_an_agent)
        self._deadline_seconds = deadline_seconds
        self._where = Where(cwd=cwd, memory_dir=memory_dir)
        self._state = states.of_session(session_id or uuid.uuid4().hex)
        self._snapshot: str | None = None  #: None: to be asked for
        self._lock = Lock()  #: held while events are delivered: they have an order

    @property
    def session_id(self) -> str:
        return self._state.session_id

    def __repr__(self) -> str:
        state = self.save_state()
        return f"<Memory {HOST}/{state.session_id} | turns {state.turn_count} | unsent {len(state.unsent)}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            self.end_session("exit" if error is None else "error")
        except MemorydError:
            if error is None:
                raise

    def before_invocation(self, prompt: str, *, turn_id: str | None = None) -> Context:
        """A turn begins: record what the user asks and return what the memory knows.

        :raises MemorydError: with `without_daemon="raise"`, no daemon answered in time; else only what it refuses
        """
        with self._lock:
            deadline_mono = self._deadline()
            turn = turn_id or uuid.uuid4().hex
            self._start(deadline_mono)
            taken = self._snapshot_taken(deadline_mono)
            found = self._deliver(deadline_mono, ("user_prompt", {"text": plain(prompt)}), turn_id=turn)
            self._set(turn_id=turn)
            prefetch = found.stdout if found else ""
            return Context(turn_id=turn, snapshot=self._snapshot or "", prefetch=prefetch, text=joined(taken, prefetch))

    def after_invocation(
        self,
        answer: str | None = None,
        *,
        messages: Sequence[TextMessage] = (),
        tools: Sequence[ToolUseData] = (),
        status: Status = "ok",
        turn_id: str | None = None,
        duration_ms: int | None = None,
    ) -> bool:
        """The turn ended, well or not: record what was answered. True: it is on the daemon's disk.

        :param messages: the turn's texts in order, the prompt among them, where there is more than prompt and answer;
            at most 1 MiB together
        :param tools: what the model called meanwhile
        :raises MemorydError: as `before_invocation`
        """
        with self._lock:
            turn = {
                "status": EndStatus(status), "last_assistant_message": answer and plain(answer),
                "messages": tuple(messages), "tool_calls": len(tools) or None, "duration_ms": duration_ms,
            }  # fmt: skip
            events = [("tool_use", tool.model_dump()) for tool in tools[:MAX_TOOLS]]
            recorded = self._deliver(self._deadline(), *events, ("turn", turn), turn_id=turn_id or self._state.turn_id)
            self._set(turn_id=None, turn_count=self._state.turn_count + 1)
            return _is_recorded(recorded)

    def before_compaction(self, messages: Sequence[TextMessage] = (), *, trigger: Trigger = "auto") -> bool:
        """The conversation is about to be shortened: what is in it is consolidated now."""
        with self._lock:
            return _is_recorded(
                self._deliver(self._deadline(), ("pre_compact", {"trigger": trigger, "messages": tuple(messages)}))
            )

    def after_compaction(self, summary: str | None = None) -> bool:
        """It was shortened: the next call of the model is given a new snapshot, with where the work stands."""
        with self._lock:
            recorded = self._deliver(self._deadline(), ("post_compact", {"summary": summary and plain(summary)}))
            self._snapshot = None
            self._set(starts_with="compact", generation=None)
            return _is_recorded(recorded)

    def end_session(self, reason: str = "exit") -> bool:
        """The conversation is over: what is new in it is consolidated. A later call goes on with it."""
        with self._lock:
            if self._state.starts_with == "startup":
                return False  # nothing was said in it
            self._courier.try_again()
            return _is_recorded(self._deliver(self._deadline(), ("session_end", {"reason": reason})))

    def save(
        self,
        content: str,
        *,
        type: EntryTypeName,
        name: str | None = None,
        description: str = "",
        scope: ScopeName | None = None,
        author: Author = "host",
        deadline_seconds: float = SAVE_SECONDS,
    ) -> MemorySaved | None:
        """Write one memory now; None: there is no daemon, and nothing was saved.

        :param name: by default the beginning of `content`
        :param author: `person` when the user asked for it in these words; an agent by itself (`host`) states facts of
            type project and reference, which are shown quoted for 30 days (docs/mcp.md)
        :raises MemorydError: it was refused (`scan-rejected`, `limit-exceeded`, ...): the sentence says what to do
        """
        with self._lock:
            self._start(self._deadline())
        given = {
            **self._where.named(), "content": content, "type": type, "name": name or _first_words(content),
            "description": description, "scope": scope, "author": author, "host": HOST, "session_id": self.session_id,
        }  # fmt: skip
        saved: MemorySaved | None = self._courier.ask("memory.save", given, mono() + deadline_seconds)
        return saved

    def search(self, query: str, *, limit: int = 10, scopes: Sequence[ScopeName] = ()) -> tuple[MemoryItem, ...]:
        """Memories that hold all words of the query, the best first; none without a daemon."""
        with self._lock:
            self._start(self._deadline())
        given = {**self._where.named(), "query": query, "limit": limit, "scopes": tuple(scopes)}
        try:
            found = self._courier.ask("memory.search", given, self._deadline())
        except NotFound:  # the directory has no memory yet
            return ()
        return found.items if found else ()

    def save_state(self) -> State:
        """What another process needs to go on with this session: `save_state().model_dump_json()`."""
        return self._state.model_copy(update={"unsent": tuple(self._courier.unsent)})

    def load_state(self, saved: State | Mapping[str, Any] | str | bytes) -> None:
        """Go on with the session of a state, with the snapshot that it was given.

        :raises UsageError: a state of another version
        """
        state = states.read(saved)
        with self._lock:
            self._courier.unsent = list(state.unsent)
            self._state, self._snapshot = state.model_copy(update={"unsent": ()}), None

    def _start(self, deadline_mono: float) -> None:
        """The session starts at its first use, and again after a compaction."""
        source = self._state.starts_with
        if source is not None:
            self._deliver(deadline_mono, ("session_start", {"source": source}))
            self._set(starts_with=None)

    def _snapshot_taken(self, deadline_mono: float) -> str:
        """The snapshot if the session has none yet, and '' if it was given it before.

        The daemon keeps it for the session: asked again, by whatever process, it gives the same text.
        """
        if self._snapshot is not None:
            return ""
        self._courier.catch_up(deadline_mono)
        asked = {**self._where.named(), "host": HOST, "session_id": self.session_id}
        try:
            found = self._courier.ask("recall.snapshot", asked, deadline_mono)
        except NotFound:  # off the record: there is no such session, and perhaps no such directory
            return ""
        if found is None:
            return ""
        self._snapshot, known = found.text, self._state.generation is not None
        self._set(generation=found.generation)
        return "" if known else found.text

    def _deliver(
        self, deadline_mono: float, *events: tuple[str, Mapping[str, Any]], turn_id: str | None = None
    ) -> HookDelivered | None:
        """Bring events of this moment, in one transaction."""
        delivery = pack(events, session_id=self.session_id, turn_id=turn_id, **self._where.named())
        return self._courier.deliver(delivery, deadline_mono)

    def _deadline(self) -> float:
        return mono() + self._deadline_seconds

    def _set(self, **fields: Any) -> None:
        self._state = self._state.model_copy(update=fields)


def _first_words(content: str) -> str:
    line = content.strip().splitlines()[0] if content.strip() else content
    return line if len(line) <= MAX_NAME_CHARS else line[: MAX_NAME_CHARS - 1].rstrip() + "…"


def _is_recorded(delivered: HookDelivered | None) -> bool:
    return delivered is not None and delivered.seq is not None

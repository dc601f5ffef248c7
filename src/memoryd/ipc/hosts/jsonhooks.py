"""What hosts share whose hooks bring one JSON object a firing: a host gives its keys and what each event means."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import ValidationError

from memoryd.ipc.events import EndStatus, Event, EventAdapter, Tier
from memoryd.ipc.faults import explain
from memoryd.ipc.hosts.base import RawHook, Recall, TranscriptRead, TranscriptState, Translated, TranslationError
from memoryd.ipc.hosts.record import compact, parse, summary_of, text_of

Payload = Mapping[str, Any]
Fields = dict[str, Any]  #: kind, data and turn_id of one event
Said = Fields | tuple[Fields, ...] | None  #: None: the firing has nothing to record
Translator = Callable[[Payload], Said]
OneEvent = Callable[[Payload], Fields | None]  #: a translator of a firing that means one event at most

MAX_MS = 2**53  #: longer is no time
SOURCES = ("startup", "resume", "fork", "clear", "compact")  #: of a session's start; another one counts as startup


class JsonHooks:
    """A host with JSON hooks; a subclass gives the tables, and overrides what its host does otherwise."""

    name: str
    hook_events: Sequence[str]
    max_context_chars = 9_500  #: the smallest cap of the hosts we know
    replays_context = True
    tells_compacted = True
    #: by the host's name of the event; other events are acknowledged and counted
    translators: ClassVar[Mapping[str, Translator]]
    recall: ClassVar[Mapping[str, Recall]] = {}
    session_key = "session_id"
    transcript_key: str | None = "transcript_path"  #: None: the host has no transcript that is read
    child_transcript_key = "agent_transcript_path"  #: where a sub-agent's end tells of its own
    agent_key = "agent_id"  #: marks a firing inside a sub-agent, which is not the parent's
    agent_events: Sequence[str] = ("SubagentStart", "SubagentStop")  #: those that tell the parent of a sub-agent
    project_env: str | None = None  #: the environment variable that names the project

    def translate(self, hook: RawHook) -> Translated:
        payload = payload_of(hook, self.session_key)
        name = self.event_name(payload, hook)
        said = self.fields(name, payload, hook.env)
        fields = said if isinstance(said, tuple) else (said,) if said else ()
        return Translated(
            events=tuple(self.event(hook, payload, n, one) for n, one in enumerate(fields)),
            event_name=name,
            transcript_path=string(payload, self.transcript_key),
            child_transcript_path=self.child_transcript(name, payload),
            project_hint=hook.env.get(self.project_env) if self.project_env else None,
            headless=self.headless(hook.env),
            recall=self.recall.get(name, Recall.NONE) if fields else Recall.NONE,
        )

    def reply(self, event_name: str, context: str) -> str:
        if not context or event_name not in self.recall:
            return ""
        return compact({"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": context}})

    def read_transcript(
        self, chunk: bytes, *, session_id: str, cwd: str | None, state: TranscriptState, final: bool
    ) -> TranscriptRead:
        """A host whose transcript is not read: its hooks bring the texts."""
        return TranscriptRead(events=(), consumed=len(chunk), state=state)

    def agent_transcript(self, path: str, session_id: str, child: str) -> str | None:
        return None

    def event_name(self, payload: Payload, hook: RawHook) -> str:
        """The host's name of the event: the payload's, else the one named at install."""
        return string(payload, "hook_event_name") or hook.event or ""

    def fields(self, name: str, payload: Payload, env: Mapping[str, str]) -> Said:
        """What the firing means; None: nothing to record."""
        if payload.get(self.agent_key) and name not in self.agent_events:
            return None
        translator = self.translators.get(name)
        return translator(payload) if translator else None

    def child_transcript(self, name: str, payload: Payload) -> str | None:
        """The transcript of the sub-agent that the event tells of; some hosts name the parent's where it has none."""
        path = string(payload, self.child_transcript_key) if name in self.agent_events else None
        return path if path != string(payload, self.transcript_key) else None

    def cwd(self, payload: Payload) -> str | None:
        return string(payload, "cwd")

    def headless(self, env: Mapping[str, str]) -> bool:
        """Whether no person sits before this session."""
        return False

    def event(self, hook: RawHook, payload: Payload, n: int, fields: Fields) -> Event:
        """:raises TranslationError: a value that no event may have"""
        envelope = {
            "id": f"{hook.id}/{n}",
            "host": hook.host,
            "session_id": payload[self.session_key],
            "cwd": self.cwd(payload) or hook.cwd,
            "at": hook.at,
            **fields,
        }
        try:
            event: Event = EventAdapter.validate_python(envelope)
        except ValidationError as error:
            raise TranslationError(explain(error)) from error
        return event


def payload_of(hook: RawHook, session_key: str) -> Payload:
    """:raises TranslationError: no JSON object, or it names no session"""
    try:
        payload = parse(hook.raw)
    except ValueError as error:
        raise TranslationError(f"stdin is no JSON: {error}") from error
    if not isinstance(payload, dict):
        raise TranslationError("stdin is no JSON object")
    if not string(payload, session_key):
        raise TranslationError(f"{session_key} is missing")
    return payload


def string(payload: Payload, key: str | None) -> str | None:
    """A string with something in it, else None."""
    value = payload.get(key) if key else None
    return value if isinstance(value, str) and value else None


# --- what most events mean: each returns a translator for a host's keys ---------------------------------------------


def starts(payload: Payload) -> Fields:
    source = payload.get("source")
    return {"kind": "session_start", "data": {"source": source if source in SOURCES else "startup"}}


def prompts(key: str = "prompt", *, turn: str | None = None) -> OneEvent:
    """A prompt of the person; an empty one is none."""

    def translate(payload: Payload) -> Fields | None:
        text = text_of(payload.get(key))
        return {"kind": "user_prompt", "turn_id": string(payload, turn), "data": {"text": text}} if text else None

    return translate


def ends_turn(status: EndStatus = EndStatus.OK, *, turn: str | None = None, answer: str | None = None) -> OneEvent:
    """The end of an invocation. `answer`: the key of the final answer, where the host gives it."""

    def translate(payload: Payload) -> Fields:
        data = {"status": status, "last_assistant_message": text_of(payload.get(answer)) if answer else None}
        return {"kind": "turn", "turn_id": string(payload, turn), "data": data}

    return translate


def compacts(kind: str, *, summary: str | None = None) -> OneEvent:
    """`kind`: pre_compact or post_compact."""

    def translate(payload: Payload) -> Fields:
        trigger = "manual" if payload.get("trigger") == "manual" else "auto"
        return {
            "kind": kind,
            "data": {"trigger": trigger, "summary": text_of(payload.get(summary)) if summary else None},
        }

    return translate


def starts_agent(child: str = "agent_id", agent_type: str = "agent_type", *, turn: str | None = None) -> OneEvent:
    """A sub-agent was started; without a type it is one of the host's own helpers (titles, compaction)."""

    def translate(payload: Payload) -> Fields | None:
        child_id, its_type = string(payload, child), string(payload, agent_type)
        if not child_id or not its_type:
            return None
        data = {"child_session_id": child_id, "agent_type": its_type}
        return {"kind": "subagent_start", "turn_id": string(payload, turn), "data": data}

    return translate


def stops_agent(
    child: str = "agent_id", agent_type: str = "agent_type", *, report: str, turn: str | None = None
) -> OneEvent:
    """A sub-agent has ended. `report`: the key of its last message."""
    starts = starts_agent(child, agent_type, turn=turn)

    def translate(payload: Payload) -> Fields | None:
        fields = starts(payload)
        if fields is None:
            return None
        return {
            **fields,
            "kind": "subagent_stop",
            "data": {**fields["data"], "last_message": text_of(payload.get(report))},
        }

    return translate


def ends_session(payload: Payload) -> Fields:
    return {"kind": "session_end", "data": {"reason": (string(payload, "reason") or "other")[:100]}}


def uses_tool(
    name: str, given: object, result: str, *, turn: str | None, ok: bool | None, took_ms: object = None,
    tier: Tier = Tier.TOOL, files: Sequence[dict[str, str]] = (),
) -> tuple[Fields, ...]:  # fmt: skip
    """A tool call of a host without a transcript that names it: the use, and what it gave, whole.

    :param ok: None: the call was broken off
    """
    known_ms = int(took_ms) if isinstance(took_ms, int | float) and 0 <= took_ms < MAX_MS else None
    data = {
        "name": name,
        "summary": summary_of(given, interrupted=ok is None),
        "ok": ok,
        "duration_ms": known_ms,
        "files": () if ok is False else files,  # what failed touched none
    }
    use: Fields = {"kind": "tool_use", "turn_id": turn, "data": data}
    said: Fields = {"kind": "message", "turn_id": turn, "data": {"role": "tool", "text": result, "tier": tier}}
    return (use, said) if result.strip() else (use,)


#: the events of Claude Code, which others fire too, in the order in which they are registered
CLAUDE_EVENTS: Mapping[str, Translator] = {
    "SessionStart": starts,
    "UserPromptSubmit": prompts(turn="prompt_id"),
    "Stop": ends_turn(turn="prompt_id", answer="last_assistant_message"),
    # the last message of a failed turn is the error of the API, not an answer
    "StopFailure": ends_turn(EndStatus.FAILED, turn="prompt_id"),
    "SubagentStart": starts_agent(turn="prompt_id"),
    "SubagentStop": stops_agent(turn="prompt_id", report="last_assistant_message"),
    "PreCompact": compacts("pre_compact"),
    "PostCompact": compacts("post_compact", summary="compact_summary"),
    "SessionEnd": ends_session,
}

"""What released programs print when they have no answer: each is its fault, whatever the exit status, never memory."""

import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from support.briefs import CountingPurse, brief, projection, talk
from support.commands import script
from support.zones import zone

from memoryd.worker.agents.brief import AgentFault, FaultCode, Settings
from memoryd.worker.agents.command import outcomes, output, programs, resets, work
from memoryd.worker.agents.command.process import Ended

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = 3600.0

#: program, what it prints, the fault, seconds until it may be asked again
NOTICES: list[tuple[str, str, FaultCode, float | None]] = [
    ("claude", "You've hit your limit · resets 3pm (UTC)", "rate-limited", 3 * HOUR),
    ("claude", "You've hit your session limit · resets 2:30pm (UTC)", "rate-limited", 2.5 * HOUR),
    ("claude", "You've hit your weekly limit · resets Dec 2, 11am (UTC)", "rate-limited", 47 * HOUR),
    ("claude", "Claude AI usage limit reached|1796047200", "rate-limited", 2 * HOUR),
    ("claude", "5-hour limit reached ∙ resets 6pm (UTC)", "rate-limited", 6 * HOUR),
    ("claude", "You've reached your Opus limit. Switch to another model.", "rate-limited", None),
    ("claude", "API Error: Request rejected (429) · slow down", "rate-limited", None),
    ("claude", "Credit balance is too low", "quota", None),
    ("claude", "You're out of extra usage · resets 3pm (UTC)", "quota", 3 * HOUR),
    ("claude", "Your seat type doesn't include usage credits", "quota", None),
    ("claude", "Not logged in · Please run /login", "login", None),
    ("claude", "Invalid API key · Fix external API key", "login", None),
    ("claude", "OAuth token revoked · Please run /login", "login", None),
    ("claude", 'API Error: 401 {"type":"error","error":{}} · Please run /login', "login", None),
    ("claude", "Your organization has disabled API key authentication · Unset ANTHROPIC_API_KEY", "login", None),
    ("claude", "API Error: Opus 5.5's safeguards flagged this message (https://example.org/aup).", "refused", None),
    ("claude", "API Error: Claude is unable to respond to this request.", "refused", None),
    ("claude", "There's an issue with the selected model (opus-9). It may not exist.", "configuration", None),
    ("claude", "Do you trust the files in this folder?", "configuration", None),
    ("claude", "error: unknown option '--tools'", "configuration", None),
    ("claude", "Prompt is too long", "bad-answer", None),
    ("claude", "Error: Reached max turns (1)", "no-end", None),
    ("claude", "API Error: Repeated 529 Overloaded errors", "provider-down", None),
    ("claude", "API Error: Unable to connect to API (ECONNREFUSED)", "provider-down", None),
    ("claude", "API Error: API returned an empty or malformed response (HTTP 200)", "provider-down", None),
    ("claude", "API Error: Request timed out.", "provider-slow", None),
    ("codex", "You’ve hit your usage limit. Upgrade to Pro or try again at 1:15 PM.", "rate-limited", 1.25 * HOUR),
    ("codex", "You've hit your usage limit. Try again at Dec 1st, 2026 4:40 AM.", "rate-limited", 16 * HOUR + 2400),
    ("codex", "You've hit your usage limit. Try again in 2 days 17 hours 14 minutes.", "rate-limited", 234_840.0),
    ("codex", "You've hit your usage limit for gpt-9. Switch to another model now.", "rate-limited", None),
    ("codex", "exceeded retry limit, last status: 429 Too Many Requests", "rate-limited", None),
    ("codex", "Quota exceeded. Check your plan and billing details.", "quota", None),
    ("codex", "Your workspace is out of credits. Add credits to continue.", "quota", None),
    ("codex", "To use Codex with your ChatGPT plan, upgrade to Plus: https://example.org", "quota", None),
    ("codex", "unexpected status 401 Unauthorized: Missing bearer", "login", None),
    ("codex", "Your access token could not be refreshed because your refresh token has expired.", "login", None),
    ("codex", "Missing environment variable: `OPENAI_API_KEY`.", "login", None),
    ("codex", "Not logged in", "login", None),
    ("codex", "This request has been flagged for possible cybersecurity risk.", "refused", None),
    ("codex", "Not inside a trusted directory and --skip-git-repo-check was not specified.", "configuration", None),
    ("codex", "error: unexpected argument '--ephemeral' found", "configuration", None),
    ("codex", "unexpected status 404 Not Found: model: gpt-99", "configuration", None),
    ("codex", "Codex ran out of room in the model's context window.", "bad-answer", None),
    ("codex", "We're currently experiencing high demand, which may cause temporary errors.", "provider-down", None),
    ("codex", "stream disconnected before completion: stream closed before response.completed", "provider-down", None),
    ("gemini", "You have exhausted your daily quota on this model.", "quota", None),
    ("gemini", '[API Error: [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}]]', "rate-limited", None),
    ("gemini", "Resource has been exhausted (e.g. check quota). Please retry in 90.5s.", "rate-limited", 90.5),
    ("gemini", "Please set an Auth method in your ~/.gemini/settings.json", "login", None),
    ("gemini", "Invalid auth method selected.", "login", None),
    ("gemini", "API key not valid. Please pass a valid API key.", "login", None),
    ("gemini", "Gemini CLI is not running in a trusted directory. To proceed, use --skip-trust", "configuration", None),
    ("anything", "Error: 429 Too Many Requests", "rate-limited", None),
    ("anything", "insufficient balance", "quota", None),
    ("anything", "Please log in first", "login", None),
    ("anything", "<!DOCTYPE html><html><body>Sign in to the hotel's network</body></html>", "provider-down", None),
    ("anything", "I'm sorry, but I can't help with that.", "refused", None),
    ("anything", "抱歉，我不能帮助完成这个请求。", "refused", None),
    (
        "anything", "You've hit your usage limit. Upgrade, or try again at Dec 1st, 2026 4:40 AM.", "rate-limited",
        16 * HOUR + 2400,
    ),
    ("anything", "You've hit your limit · resets 3pm (UTC)", "rate-limited", 3 * HOUR),
    ("anything", "Usage limit reached, try again in 2 hours", "rate-limited", 2 * HOUR),
    ("anything", "Rate limit: slow down", "rate-limited", None),
    ("anything", "Your quota was exceeded", "quota", None),
    ("anything", "Session over. Use /login to go on.", "login", None),
    ("anything", "curl: (28) Operation timed out", "provider-slow", None),
    ("anything", "sh: 1: llm: command not found", "configuration", None),
]  # fmt: skip


def wrapped(name: str, text: str, status: int) -> tuple[str, str]:
    """What a program prints around a notice: on its output, on the other one."""
    if name == "claude":
        return json.dumps({"type": "result", "subtype": "success", "is_error": status != 0, "result": text}), ""
    if name == "codex" and status:
        events: list[object] = [{"type": "error", "message": "Reconnecting... 1/1"}, {"type": "error", "message": text}]
        events.append({"type": "turn.failed", "error": {"message": text}})
        return "\n".join(map(json.dumps, events)), ""
    if name == "codex":
        item = {"type": "agent_message", "text": text}
        return json.dumps({"type": "item.completed", "item": item}) + '\n{"type": "turn.completed"}', ""
    if name == "gemini" and status:
        return "", "Attempt 1 failed.\n" + json.dumps({"error": {"type": "Error", "message": text, "code": status}})
    return (json.dumps({"response": text}) if name == "gemini" else text), ""


def fault_of(name: str, out: str, err: str, status: int) -> AgentFault:
    program = programs.KNOWN.get(name) or programs.Program(name=name)
    ended = Ended(status=status, out=out, error=err)
    told = output.read(program.prints, out, err)
    return outcomes.failure(program, ended, told, NOON) or outcomes.of_no_answer(program, ended, told, NOON)


@pytest.mark.parametrize("status", [0, 1])
@pytest.mark.parametrize(("name", "text", "code", "seconds"), NOTICES, ids=[f"{n[0]}-{n[1][:40]}" for n in NOTICES])
def test_a_notice_is_a_fault_in_the_programs_form_and_as_plain_text_on_either_output(
    name: str, text: str, code: FaultCode, seconds: float | None, status: int
) -> None:
    for out, err in (wrapped(name, text, status), (text, ""), ("", text)):
        fault = fault_of(name, out, err, status).fault
        assert (fault.code, fault.retry_after_seconds) == (code, seconds)
        assert text not in fault.reason


@pytest.mark.parametrize("text", [n[1] for n in NOTICES if n[0] == "claude"])
async def test_a_notice_with_exit_status_0_never_becomes_memory(tmp_path: Path, text: str) -> None:
    out = wrapped("claude", text, 0)[0]
    given = Settings(kind="command", command=(str(script(tmp_path, "claude", out=out).path),))
    with pytest.raises(AgentFault):
        await work(brief(given, projection(*talk("please keep commit messages short"))), CountingPurse())


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "login"), (403, "login"), (404, "configuration"), (429, "rate-limited"), (503, "provider-down")],
)
def test_where_the_words_are_unknown_the_status_of_http_decides(status: int, code: FaultCode) -> None:
    told = {"type": "result", "is_error": True, "result": "words of a later release", "api_error_status": status}
    assert fault_of("claude", json.dumps(told), "", 1).fault.code == code


@pytest.mark.parametrize(
    ("status", "code"), [(41, "login"), (53, "no-end"), (55, "configuration"), (127, "configuration")]
)
def test_the_exit_status_decides_where_nothing_is_said(status: int, code: FaultCode) -> None:
    assert fault_of("gemini", "", "", status).fault.code == code


def test_a_failure_in_words_that_nobody_knows_is_a_crash_that_names_its_status() -> None:
    fault = fault_of("codex", "", "words of a later release", 3).fault
    assert fault.code == "crashed"
    assert "status 3" in fault.reason


def test_a_model_that_its_maker_stopped_has_refused() -> None:
    told = {"type": "result", "is_error": False, "stop_reason": "refusal", "result": "I will not."}
    assert fault_of("claude", json.dumps(told), "", 0).fault.code == "refused"


def test_long_talk_about_limits_is_no_notice() -> None:
    talk = "The user asked why the usage limit reached 80 %, and then said: please run /login. " * 20
    assert fault_of("claude", wrapped("claude", talk, 0)[0], "", 0).fault.code == "bad-answer"


def test_a_login_that_has_ended_says_what_to_do() -> None:
    assert "`codex login`" in fault_of("codex", "", "Not logged in", 1).fault.reason


@pytest.mark.parametrize(
    ("text", "zone", "at"),
    [
        ("resets 3pm (Asia/Tokyo)", "Asia/Tokyo", "2026-12-01T15:00"),  # it is 9 pm there
        ("resets 11:30pm (Asia/Tokyo)", "Asia/Tokyo", "2026-11-30T23:30"),
        ("resets 12am (America/New_York)", "America/New_York", "2026-12-01T00:00"),
        ("resets Jan 3 at 1pm (Europe/Berlin)", "Europe/Berlin", "2027-01-03T13:00"),
    ],
)
def test_a_time_of_day_is_the_next_one_of_its_zone(text: str, zone: str, at: str) -> None:
    wanted = (datetime.fromisoformat(at).replace(tzinfo=ZoneInfo(zone)) - NOON).total_seconds()
    assert resets.seconds_until(f"You've hit your limit · {text}", NOON) == wanted


@pytest.mark.parametrize(
    "text", ["resets 3:75pm", "resets 25pm", "resets 0am", "resets Foo 3, 1pm", "resets Feb 31, 1pm", "resets soon", ""]
)
def test_a_time_that_is_none_is_left_out(text: str) -> None:
    assert resets.seconds_until(text, NOON) is None


def test_a_zone_that_nobody_knows_is_the_machines() -> None:
    with zone("EST5"):
        assert resets.seconds_until("resets 3pm (No/Where)", NOON) == 8 * 3600


def test_a_limit_that_is_over_is_waited_for_a_minute() -> None:
    assert resets.seconds_until("usage limit reached|1700000000", NOON) == resets.MIN_SECONDS


def test_the_words_of_limits_and_logins_in_an_answer_with_items_are_the_conversations() -> None:
    out = '{"items": [{"kind": "fact", "text": "The service has a rate limit; please log in with /login"}'
    assert fault_of("anything", out, "", 0).fault.code == "bad-answer"

"""What was done, by the day, and what memory it left."""

from datetime import date as Date

from pydantic import Field

from memoryd.ipc.methods.base import Method, Result, Where


class ReportParams(Where):
    """Without a place: of all projects."""

    days: int = Field(default=1, ge=1, le=400)  #: today included; local dates


class DayReport(Result):
    day: Date
    sessions: int = 0  #: in which something was said
    prompts: int = 0
    turns: int = 0
    failed_turns: int = 0  #: by the host's word
    tool_calls: int = 0
    worked: int = 0  #: turns that ended well
    failed: int = 0  #: turns that ended on a failure
    seconds: int = 0  #: from prompts to the ends of their turns
    runs: int = 0  #: that changed memory
    memories: int = 0  #: lines of core files, entries and procedures that they wrote


class Often(Result):
    name: str
    count: int


class Report(Result):
    days: tuple[DayReport, ...]  #: the oldest first
    tools: tuple[Often, ...]  #: the most used
    files: tuple[Often, ...]  #: the most changed
    memory_dir: str | None = None  #: None: of all


METHODS: dict[str, Method] = {"report.get": Method(ReportParams, Report)}

"""WorkerStats as OpenMetrics text, one sample a memory directory."""

from collections.abc import Callable, Iterator, Mapping

from memoryd.ipc.methods.worker import WorkerStats

Value = Callable[[WorkerStats], float | None]

_FAMILIES: tuple[tuple[str, str, str, Value], ...] = (
    ("runs_completed", "counter", "Consolidation runs that changed files.", lambda s: s.total_completed),
    ("runs_failed", "counter", "Consolidation runs that failed.", lambda s: s.total_failed),
    ("runs_no_change", "counter", "Runs that found nothing to keep.", lambda s: s.total_no_change),
    ("runs_rejected", "counter", "Runs whose proposals were refused.", lambda s: s.total_rejected),
    ("runs_conflict", "counter", "Runs that gave way to a person three times.", lambda s: s.total_conflict),
    ("jobs_coalesced", "counter", "Jobs that joined one already waiting.", lambda s: s.coalesced_dropped),
    ("jobs_waiting", "gauge", "Jobs that wait.", lambda s: s.queued),
    ("jobs_running", "gauge", "Jobs that run.", lambda s: s.running),
    ("tokens_in", "counter", "Tokens sent to a model.", lambda s: s.tokens_in),
    ("tokens_out", "counter", "Tokens received from a model.", lambda s: s.tokens_out),
    ("cost_usd", "counter", "Money spent on a model, in US dollars.", lambda s: s.cost_usd),
    (
        "last_completed_timestamp_seconds", "gauge", "When a run last ended well.",
        lambda s: s.last_completed_at.timestamp() if s.last_completed_at else None,
    ),
    (
        "last_duration_seconds", "gauge", "How long the last run took.",
        lambda s: s.last_duration_ms / 1000 if s.last_duration_ms is not None else None,
    ),
    (
        "paused_until_timestamp_seconds", "gauge", "Until when no model is called.",
        lambda s: s.paused_until.timestamp() if s.paused_until else None,
    ),
)  # fmt: skip


def text(stats: WorkerStats, memory_dir: str | None = None) -> str:
    """The exposition, `# EOF` included. Totals are left to whoever reads it: they are sums of the samples."""
    by_dir = {memory_dir: stats} if memory_dir else stats.directories
    return "".join(f"{line}\n" for line in _lines(by_dir)) + "# EOF\n"


def _lines(by_dir: Mapping[str, WorkerStats]) -> Iterator[str]:
    for name, kind, about, value in _FAMILIES:
        family = f"memoryd_{name}"
        yield f"# TYPE {family} {kind}"
        yield f"# HELP {family} {about}"
        suffix = "_total" if kind == "counter" else ""
        for path, stats in sorted(by_dir.items()):
            number = value(stats)
            if number is not None:
                yield f'{family}{suffix}{{memory_dir="{_label(path)}"}} {number}'


def _label(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

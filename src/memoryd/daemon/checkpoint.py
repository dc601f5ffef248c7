"""The checkpoint of a compaction: what the session was about, handed back once when the host has forgotten it."""

from memoryd.daemon.journal.progress import Progress

MAX_BYTES = 2048
_GOAL_CHARS, _ASK_CHARS, _ANSWER_CHARS = 300, 200, 300
_RECENT_ASKS, _FILES = 4, 12

_LABELS = {
    "en": ("First request", "Latest requests", "Files changed", "Last answer of the assistant"),
    "zh": ("最初的请求", "最近的请求", "改动的文件", "助手最后的回答"),
}


def render(progress: Progress, language: str) -> str | None:
    """Return the checkpoint, at most 2 KiB of facts; None when the session has asked nothing yet."""
    if not progress.asks:
        return None
    goal, recent, files, answer = _LABELS.get(language, _LABELS["en"])
    rows = [f"{goal}: {_short(progress.asks[0], _GOAL_CHARS)}"]
    if len(progress.asks) > 1:
        rows += [f"{recent}:", *(f"- {_short(ask, _ASK_CHARS)}" for ask in progress.asks[1:][-_RECENT_ASKS:])]
    if progress.files:
        rows.append(f"{files}: {', '.join(progress.files[-_FILES:])}")
    if progress.answer:
        rows.append(f"{answer}: {_short(progress.answer, _ANSWER_CHARS)}")
    text = "\n".join(rows)
    return text.encode()[:MAX_BYTES].decode(errors="ignore")


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"

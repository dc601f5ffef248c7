"""Every command, registered in the order in which `--help` shows them."""

from memoryd.daemon.cli import (  # noqa: I001 (the order is that of the help)
    lifecycle,
    stats,
    usage,
    connect,
    checks,
    memory,
    search,
    edit,
    goals,
    notes,
    procedures,
    evolve,
    profile,
    review,
    dream,
    past,
    purge,
    archive,
    imports,
    sessions,
    documents,
    history,
    report,
    logs,
    work,
    settings,
    privacy,
    scopes,
    trust,
    maintain,
    bar,
    mcp,
    emit,
    demo,
)
from memoryd.daemon.cli.root import app, unwrapped

for group in (
    app, connect.service_app, goals.goals_app, notes.note_app, review.review_app, dream.dream_app, scopes.scopes_app,
    sessions.sessions_app, work.jobs_app,
):  # fmt: skip
    for command in group.registered_commands:
        command.help = unwrapped((command.callback and command.callback.__doc__) or "")

__all__ = [
    "app", "archive", "bar", "checks", "connect", "demo", "documents", "dream", "edit", "emit", "evolve", "goals",
    "history",
    "imports",
    "lifecycle", "logs", "maintain", "mcp", "memory", "notes", "past", "privacy", "procedures", "profile",
    "purge", "report", "review", "scopes", "search",
    "sessions", "settings", "stats", "trust", "usage", "work",
]  # fmt: skip

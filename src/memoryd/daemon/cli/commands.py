"""Every command, registered in the order in which `--help` shows them."""

from memoryd.daemon.cli import (  # noqa: I001 (the order is that of the help)
    lifecycle,
    stats,
    connect,
    checks,
    memory,
    edit,
    goals,
    notes,
    past,
    sessions,
    work,
    settings,
    bar,
    mcp,
    emit,
    demo,
)
from memoryd.daemon.cli.root import app, unwrapped

for group in (app, connect.service_app, goals.goals_app, notes.note_app, sessions.sessions_app, work.jobs_app):
    for command in group.registered_commands:
        command.help = unwrapped((command.callback and command.callback.__doc__) or "")

__all__ = [
    "app", "bar", "checks", "connect", "demo", "edit", "emit", "goals", "lifecycle", "mcp", "memory", "notes",
    "past", "sessions", "settings", "stats", "work",
]  # fmt: skip

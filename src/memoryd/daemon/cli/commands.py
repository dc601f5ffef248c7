"""Every command, registered in the order in which `--help` shows them."""

from memoryd.daemon.cli import (  # noqa: I001 (the order is that of the help)
    lifecycle,
    stats,
    connect,
    checks,
    memory,
    search,
    edit,
    past,
    sessions,
    work,
    settings,
    bar,
    emit,
    demo,
)
from memoryd.daemon.cli.root import app, unwrapped

for group in (app, connect.service_app, sessions.sessions_app, work.jobs_app):
    for command in group.registered_commands:
        command.help = unwrapped((command.callback and command.callback.__doc__) or "")

__all__ = [
    "app", "bar", "checks", "connect", "demo", "edit", "emit", "lifecycle", "memory", "past", "search", "sessions",
    "settings", "stats", "work",
]  # fmt: skip

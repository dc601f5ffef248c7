"""The methods of the socket: parameters and results, frozen, a file a family (docs/protocol.md, "Methods").

Parameters refuse unknown keys, so that a misspelt one is told; of a hook they are passed over, so that it is heard.
Results ignore them, so that an older client reads a newer daemon. Lists answer `{items, next_cursor}`.
"""

from memoryd.ipc.methods import (
    agent,
    archive,
    daemon,
    dream,
    events,
    goals,
    imports,
    instincts,
    memory,
    notes,
    procedures,
    profile,
    provider,
    recall,
    report,
    review,
    scopes,
    sessions,
    team,
    usage,
    worker,
)
from memoryd.ipc.methods.base import Method

METHODS: dict[str, Method] = {
    **events.METHODS,
    **sessions.METHODS,
    **memory.METHODS,
    **recall.METHODS,
    **goals.METHODS,
    **notes.METHODS,
    **procedures.METHODS,
    **instincts.METHODS,
    **profile.METHODS,
    **report.METHODS,
    **review.METHODS,
    **dream.METHODS,
    **scopes.METHODS,
    **team.METHODS,
    **archive.METHODS,
    **imports.METHODS,
    **worker.METHODS,
    **agent.METHODS,
    **usage.METHODS,
    **provider.METHODS,
    **daemon.METHODS,
}

"""Harmless firings: what `doctor` sends through a host's own command line, and what the daemon remembers of it.

Nothing of them is recorded; that one arrived is kept in memory until it is asked for.
"""

import json
import re
from dataclasses import dataclass, field

from memoryd.ipc.methods.events import HookDeliver, HookTested

SESSION = re.compile(r"memoryd-doctor-([0-9a-f]{32})")
MAX_CHARS = 1_000  #: no longer payload is one of ours
MAX_KEPT = 100


def payload(nonce: str) -> str:
    """What a hook reads from stdin: a session that no host has."""
    return json.dumps({"session_id": f"memoryd-doctor-{nonce}", "hook_event_name": "memoryd-doctor"})


def nonce_of(raw: str) -> str | None:
    """The nonce of a harmless firing; None: it is a real one."""
    if len(raw) > MAX_CHARS or "memoryd-doctor-" not in raw:
        return None
    try:
        found = json.loads(raw)
    except ValueError:
        return None
    session = found.get("session_id") if isinstance(found, dict) else None
    match = SESSION.fullmatch(session) if isinstance(session, str) else None
    return match[1] if match else None


@dataclass(slots=True)
class HookTests:
    """Harmless firings that arrived and were not asked for yet, the oldest first."""

    _arrived: dict[str, HookTested] = field(default_factory=dict)

    def take(self, params: HookDeliver) -> bool:
        """Whether a firing is a harmless one; then it is remembered."""
        nonce = nonce_of(params.raw)
        if nonce is None:
            return False
        if len(self._arrived) >= MAX_KEPT:
            self._arrived.pop(next(iter(self._arrived)))
        self._arrived[nonce] = HookTested(arrived=True, host=params.host, event=params.event)
        return True

    def result(self, nonce: str) -> HookTested:
        return self._arrived.pop(nonce, HookTested(arrived=False))

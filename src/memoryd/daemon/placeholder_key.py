"""The key of the placeholders: made once for a data directory, read by its daemon alone, never shown."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from memoryd import fsio
from memoryd.ipc.redaction import KEY_BYTES

NAME = "placeholder.key"


def load(data: Path) -> bytes:
    """Return the key of a data directory; one that is missing or torn is made. Blocking, under the data lock.

    With another key the same secret has another placeholder from then on; nothing else depends on it.

    :raises CannotWrite: it cannot be written
    """
    path = data / NAME
    with suppress(OSError):
        found = path.read_bytes()
        if len(found) == KEY_BYTES:
            os.chmod(path, 0o600)
            return found
    made = secrets.token_bytes(KEY_BYTES)
    fsio.write_durable(path, made)
    return made

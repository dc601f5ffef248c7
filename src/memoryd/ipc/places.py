"""Where things are: data, socket, spool and configuration, from the environment alone.

Tests and scripts isolate a daemon by HOME and the XDG variables.
"""

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memoryd.errors import ConfigError

MAX_SOCKET_BYTES = 104 if sys.platform == "darwin" else 108  #: sun_path with its NUL


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Absolute paths of one memoryd installation."""

    data: Path
    socket: Path
    config: Path

    @property
    def spool(self) -> Path:
        return self.data / "spool"

    @property
    def user_memory(self) -> Path:
        return self.data / "user" / "memory"


def find(env: Mapping[str, str] | None = None, *, data: str | None = None, socket: str | None = None) -> Places:
    """Return the places for an environment; `data` and `socket` (from the configuration) override the defaults.

    Socket: `$MEMORYD_SOCKET`, else `socket`, else `$XDG_RUNTIME_DIR/memoryd/memoryd.sock`, else
    `<data>/run/memoryd.sock`; a path too long for the platform falls back to a short one under the user's cache.

    :raises ConfigError: no home directory is known, as for a user of a container whom no passwd file names
    """
    env = os.environ if env is None else env
    home = _home(env)
    mac = sys.platform == "darwin"
    data_dir = Path(data) if data else _xdg(env, "XDG_DATA_HOME", home, _DATA_MAC if mac else ".local/share")
    chosen = env.get("MEMORYD_SOCKET") or socket
    if chosen:
        path = Path(chosen)
    elif env.get("XDG_RUNTIME_DIR") and not mac:
        path = Path(env["XDG_RUNTIME_DIR"]) / "memoryd" / "memoryd.sock"
    else:
        path = data_dir / "run" / "memoryd.sock"
    if not chosen and len(os.fsencode(path)) >= MAX_SOCKET_BYTES:
        path = home / ("Library/Caches" if mac else ".cache") / "memoryd" / "s"
    config = _xdg(env, "XDG_CONFIG_HOME", home, ".config") / "config.toml"
    return Places(data=data_dir, socket=path, config=config)


def _home(env: Mapping[str, str]) -> Path:
    try:
        return Path(env.get("HOME") or Path.home())
    except RuntimeError as error:
        raise ConfigError("no home directory is known for this user; set HOME") from error


def configured(env: Mapping[str, str] | None = None) -> Places:
    """Return the places of the daemon as it is configured, for a client that reads none of its other settings.

    A configuration that cannot be read names nothing: no daemon could start with it.
    """
    env = os.environ if env is None else env
    try:
        table = tomllib.loads(find(env).config.read_text("utf-8")).get("daemon")
    except (OSError, ValueError):
        table = None
    table = table if isinstance(table, dict) else {}
    named = {key: env.get(f"MEMORYD_DAEMON__{key}".upper()) or table.get(key) for key in ("data_dir", "socket")}
    whole = {key: os.path.expanduser(value) for key, value in named.items() if isinstance(value, str)}
    absolute = {key: path for key, path in whole.items() if os.path.isabs(path)}
    return find(env, data=absolute.get("data_dir"), socket=absolute.get("socket"))


_DATA_MAC = "Library/Application Support"


def _xdg(env: Mapping[str, str], name: str, home: Path, default: str) -> Path:
    base = env.get(name, "")
    return (Path(base) if base.startswith("/") else home / default) / "memoryd"

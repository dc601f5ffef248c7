"""Where the key of a provider is: in the daemon's environment, a systemd credential, or a file that its user reads."""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memoryd.errors import ConfigError

MAX_KEY_BYTES = 10_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    value: str = field(repr=False)
    name: str
    source: str  #: a sentence's end, without the key


def find(name: str, env: Mapping[str, str], config_dir: Path) -> Key | None:
    """Return the key of that name, None when it is nowhere. Blocking.

    :raises ConfigError: the name is none, or its file can be read by others
    """
    if not _NAME.match(name):
        raise ConfigError("[agent] api_key_env is no name of a variable; it never holds the key itself")
    if env.get(name):
        return Key(value=env[name].strip(), name=name, source=f"the variable {name} of the daemon's environment")
    if credentials := env.get("CREDENTIALS_DIRECTORY"):
        path = Path(credentials) / name
        if text := _read(path):
            return Key(value=text, name=name, source=f"the systemd credential {name}")
    path = file_of(name, config_dir)
    if text := _read_private(path):
        return Key(value=text, name=name, source=f"the file {path}")
    return None


def file_of(name: str, config_dir: Path) -> Path:
    return config_dir / "keys" / name


def _read_private(path: Path) -> str:
    """:raises ConfigError: it is no file of ours alone"""
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        raise ConfigError(f"{path} is no file of this user; put the key into one of your own")
    if status.st_mode & 0o077:
        raise ConfigError(f"{path} can be read by others: chmod 600 {path}")
    return _read(path)


def _read(path: Path) -> str:
    """:raises ConfigError: it is there and cannot be read as a key"""
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_KEY_BYTES).strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the key in {path}; correct its permissions and its content") from error

"""Canaries: secrets made at run time, one set for each channel, and the search that must not find them again."""

import random
import string
from dataclasses import dataclass, field
from pathlib import Path

SEED = 20_261_130
_ALNUM = string.ascii_letters + string.digits
_BASE64 = _ALNUM + "+/"
FRAGMENT = 12  #: characters in a row; so many of a secret are as good as all of it


@dataclass(slots=True)
class Flock:
    """The canaries of one channel. `text` is what is planted."""

    channel: str
    secrets: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = random.Random(f"{SEED}{self.channel}")

        def run(alphabet: str, chars: int) -> str:
            return "a1" + "".join(rng.choices(alphabet, k=chars - 2))

        self.token, self.word, self.key = (
            run(_ALNUM, 36),
            run(_ALNUM, 20),
            "\n".join(run(_BASE64, 64) for _ in range(6)),
        )
        self.private = run(string.ascii_lowercase, 24)
        self.secrets = [self.token, self.word, self.private, *self.key.split("\n")]

    token: str = ""
    word: str = ""
    key: str = ""
    private: str = ""

    @property
    def short(self) -> str:
        """One that fits in a name."""
        return "gh" + "p_" + self.token

    @property
    def text(self) -> str:
        dashes = "-" * 5
        pem = f"{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{self.key}\n{dashes}END RSA PRIVATE KEY{dashes}"
        return (
            f"I always use {self.short} for {self.channel}, the database is postgresql://app:{self.word}@db/x,"
            f" the key is\n{pem}\n<private>{self.private}</private> and that is all"
        )

    def fragments(self) -> list[bytes]:
        """The beginning, the middle and the end of each secret."""
        found = []
        for secret in self.secrets:
            middle = len(secret) // 2
            found += [secret[:FRAGMENT], secret[middle : middle + FRAGMENT], secret[-FRAGMENT:]]
        return [fragment.encode() for fragment in found if len(fragment) == FRAGMENT]

    def found_in(self, shown: bytes) -> list[str]:
        return [fragment.decode() for fragment in self.fragments() if fragment in shown]


def bytes_below(folder: Path) -> dict[str, bytes]:
    """Every byte of every file below a folder, names too: databases with their WAL and free pages, blobs, logs."""
    return {
        str(path.relative_to(folder)): str(path).encode() + b"\0" + (path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
        if not path.is_socket()
    }

"""Archives taken apart and put together again, as somebody would who wants to plant something."""

import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path


def members(path: Path) -> dict[str, bytes]:
    """The content of every member, by name."""
    with tarfile.open(path) as tar:
        return {member.name: (tar.extractfile(member) or io.BytesIO()).read() for member in tar}


def write(path: Path, members: Mapping[str, bytes], *, sums: bool = True) -> None:
    """Write an archive; `sums`: with checksums that hold, else with those that it had."""
    found = dict(members)
    if sums:
        found.pop("SHA256SUMS", None)
        rows = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in found.items())
        found["SHA256SUMS"] = "".join(rows).encode()
    with tarfile.open(path, "w") as tar:
        for name, content in found.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))

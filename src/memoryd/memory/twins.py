"""Traditional Chinese characters and their simplified twins: texts are folded to be compared, never to be kept.

`twins.txt` has two lines, the traditional characters and, in the same order, their twins: the one-to-one table of
OpenCC (Apache-2.0) with the variants of Hong Kong and Taiwan. Where a character has two twins the usual one stands.
"""

import re
from functools import cache
from importlib.resources import files

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")


def simplified(text: str) -> str:
    """Return the text with simplified characters; its length stays."""
    return text.translate(_twins()) if not text.isascii() and _HAN.search(text) else text


@cache
def _twins() -> dict[int, int]:
    """Read when the first Han character is met: a daemon that never meets one does not hold the table."""
    traditional, twins = files("memoryd.memory").joinpath("twins.txt").read_text("utf-8").split()
    return str.maketrans(traditional, twins)

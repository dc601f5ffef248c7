"""How much of a range is shown: as much as fits into the calls and the tokens of a run."""

import re
from dataclasses import dataclass

from memoryd.memory.text import CJK
from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.conversation import LEVELS
from memoryd.worker.agents.asking.prompt import Sheet, Size
from memoryd.worker.agents.brief import Brief

_WORDS = re.compile(r"[A-Za-z ]")
_CJK = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a run has left."""

    calls: int
    tokens: int  #: of all calls together
    fixed: int  #: tokens of each call beside its request: instructions, frame, answer


def fitted(brief: Brief, size: Size, room: Room) -> Sheet:
    """Show the texts as long as there is room; of a range that is too long with short ones too, the newest parts."""
    sheet = prompt.sheet(brief, size, LEVELS[0])
    for cuts in LEVELS[1:]:
        if _fits(sheet, room):
            return sheet
        sheet = prompt.sheet(brief, size, cuts)
    while len(sheet.conversation.parts) > 1 and not _fits(sheet, room):
        sheet = sheet.without_oldest()
    return sheet


def tokens_at_most(text: str) -> int:
    """Return an upper bound of a text's tokens: 1 for 2 letters or spaces, 2 for a CJK character, 1 for any other byte.

    Of words a tokenizer makes about half as many; of hashes and of scripts that it has hardly seen as many.
    """
    words, wide = len(_WORDS.findall(text)), len(_CJK.findall(text))
    rest = len(text.encode(errors="replace")) - words - 3 * wide
    return (words + 1) // 2 + 2 * wide + max(0, rest)


def _fits(sheet: Sheet, room: Room) -> bool:
    parts = range(len(sheet.conversation.parts))
    tokens = sum(room.fixed + tokens_at_most(sheet.request(part, [])) for part in parts)
    return len(parts) <= room.calls and tokens <= room.tokens

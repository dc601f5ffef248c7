"""How much of a range is shown: as much as fits into the calls and the tokens of a run."""

import re
from dataclasses import dataclass

from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.prompt import Sheet, Size
from memoryd.worker.agents.brief import Brief

_SMALL = re.compile(r"[a-z ]")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a run has left."""

    calls: int
    tokens: int  #: of all calls together
    fixed: int  #: tokens of each call beside its request: instructions, frame, answer


def fitted(brief: Brief, size: Size, room: Room) -> Sheet:
    """Show the texts as long as there is room; of a range that is too long with short ones too, the newest parts."""
    sheet = prompt.sheet(brief, size, size.levels[0])
    for cuts in size.levels[1:]:
        if _fits(sheet, room):
            return sheet
        sheet = prompt.sheet(brief, size, cuts)
    while len(sheet.conversation.parts) > 1 and not _fits(sheet, room):
        sheet = sheet.without_oldest()
    return sheet


def tokens_at_most(text: str) -> int:
    """Return an upper bound of a text's tokens: 3 for 5 small letters or spaces, 5 for 2 CJK characters, 1 for any byte
    else.

    Two public tokenizers make 35 to 40 % of it of English and code, up to 48 % of Chinese, 85 % of base64 or noise.
    """
    small, wide = len(_SMALL.findall(text)), len(_CJK.findall(text))
    rest = len(text.encode(errors="replace")) - small - 3 * wide
    return (3 * small + 4) // 5 + (5 * wide + 1) // 2 + max(0, rest)


def _fits(sheet: Sheet, room: Room) -> bool:
    parts = range(len(sheet.conversation.parts))
    tokens = sum(room.fixed + tokens_at_most(sheet.request(part, [])) for part in parts)
    return len(parts) <= room.calls and tokens <= room.tokens

"""How much of a range is shown: as much as fits into the calls and the tokens of a run."""

import re
from bisect import bisect_left
from dataclasses import dataclass

from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.conversation import is_citable
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
    """Show the texts as long as there is room. Of a range that is too long with short ones too, the beginning is shown:
    the brief of the sheet ends there.
    """
    for cuts in size.levels:
        sheet = prompt.sheet(brief, size, cuts)
        if _fits(sheet, room):
            return sheet
    return _beginning(brief, size, room)


def _beginning(brief: Brief, size: Size, room: Room) -> Sheet:
    """As many whole turns as there is room for; one at least."""
    read = brief.projection
    said = sorted({u.seq for session in read.sessions for u in session.utterances if is_citable(u)})
    ends = [seq - 1 for seq in said[1:]] or [read.to_seq]

    def until(end: int) -> Sheet:
        return prompt.sheet(brief.model_copy(update={"projection": read.until(end)}), size, size.levels[-1])

    fitting = bisect_left(ends, True, key=lambda end: not _fits(until(end), room))
    return until(ends[max(0, fitting - 1)])


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

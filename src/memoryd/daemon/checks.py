"""One link of the chain as it was found, with the mend."""

from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    OK = "ok"
    WRONG = "wrong"  #: events or memories do not get through
    OFF = "off"  #: not used, or not to be told now


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    link: str
    mark: Mark
    found: str
    mend: str = ""


def ok(link: str, found: str) -> Check:
    return Check(link=link, mark=Mark.OK, found=found)


def wrong(link: str, found: str, mend: str) -> Check:
    return Check(link=link, mark=Mark.WRONG, found=found, mend=mend)


def off(link: str, found: str, mend: str = "") -> Check:
    return Check(link=link, mark=Mark.OFF, found=found, mend=mend)

"""One active fact as the desk holds it, whether memory had it before this run or not."""

import re
from dataclasses import dataclass, field, replace

from memoryd.memory.model import CoreLine, Entry, Root
from memoryd.memory.text import cut, fold
from memoryd.memory.words import content_words
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.facts import Fact
from memoryd.worker.agents.rules.languages import language_of
from memoryd.worker.agents.rules.patterns import Language

MAX_NAME_CHARS = 80  #: of an entry
#: what somebody has one of, whatever it is: "The user's font is ...", 用户的字体是
_OWN = lazy(
    r"the user(?:'s (\w+(?: (?!is\b|are\b)\w+){0,3}) (?:is|are)\b| uses? .{2,40}? as the user's (\w+(?: \w+){0,3})$)"
    r"|(?:the |our |this (?:repo|project)'s )?(?!(?:this|that|it|there|here|what|which|who|i|we|you|he|she|they|all"
    r"|everything|the user|user|new|no|so)\b)([a-z][\w-]*(?: (?!is\b|are\b|now\b)[\w-]+){0,2}?)"
    r"(?:'s| is| are|:| =| moved to| changed to| switched to) \S"
    r"|用户的([\u4e00-\u9fffA-Za-z ]{1,8}?)(?:现在|已经)?(?:是|换成|改成|改为|从)",
    re.IGNORECASE,
)
_CONTRAST = lazy(r"\b(?:over|instead of|rather than|and not)\b|, not\b|而不是|而非|，不(?:要|用)", re.IGNORECASE)


@dataclass(slots=True, kw_only=True, eq=False)
class Held:
    """One active fact: a line of a core file, or an entry."""

    file: str  #: a core file, or '' for an entry
    text: str
    slug: str = ""
    root: Root | None = None
    fact: Fact | None = None  #: of this run
    entry: Entry | None = None  #: of memory
    cites: tuple[int, ...] = ()
    replaces: list["Held"] = field(default_factory=list)  #: what stood in memory before this run
    folded: str = field(init=False)
    words: frozenset[str] = field(init=False)
    affirmed: frozenset[str] = field(init=False)  #: without what it says is not so: "tabs" of "tabs over spaces"
    _slots: dict[str, frozenset[str]] = field(default_factory=dict)  #: by language; each is found once

    def __post_init__(self) -> None:
        matched = simplified(self.text)
        self.folded, self.words = fold(matched), content_words(matched)
        contrast = _CONTRAST.search(matched)
        self.affirmed = content_words(matched[: contrast.start()]) if contrast else self.words

    @classmethod
    def of_line(cls, line: CoreLine) -> "Held":
        return cls(file=line.key.path, text=line.text, root=line.key.root)

    @classmethod
    def of_entry(cls, root: Root, entry: Entry) -> "Held":
        return cls(file="", text=_fact_of(entry), slug=entry.slug, root=root, entry=entry)

    def slots(self, language: Language) -> frozenset[str]:
        """The single-valued attributes that the text is about, as this language and its own tell them."""
        if language.code not in self._slots:
            self._slots[language.code] = slots_of(self.text, language) | slots_of(self.text, language_of(self.text))
        return self._slots[language.code]

    def before_run(self) -> list["Held"]:
        """Return what memory held in its place before this run."""
        return self.replaces if self.cites else [self]

    def cut(self, rest: str, seq: int) -> "Held":
        """Return the fact with the rest of its text, all that is left when `seq` has taken a part out."""
        fact = replace(self.fact, text=rest, reason="") if self.fact else None
        return replace(self, text=rest, fact=fact, cites=self.cites or (seq,), replaces=self.before_run(), _slots={})


def _fact_of(entry: Entry) -> str:
    """The line that an entry of ours was made of; of another one what it says of itself."""
    first = next((row for row in map(str.strip, entry.body.split("\n")) if row), "")
    return first if cut(first, MAX_NAME_CHARS) == entry.name else entry.description or entry.name


def slots_of(text: str, language: Language, among: frozenset[str] | None = None) -> frozenset[str]:
    """Return the single-valued attributes that a text is about: the person's name, the answer language, ..."""
    matched = simplified(text)
    asked = (slot for slot in language.slots if among is None or slot[0] in among)
    named = {name for name, pattern in asked if pattern.search(matched)}
    own = _OWN.match(matched) if among is None and not named else None
    return frozenset(named | ({f"own {next(filter(None, own.groups())).casefold()}"} if own else set()))

"""Signs that a memory is not worth keeping, duplicates, and how full each type is. These warn; they never refuse.

The words stand here in English and Chinese, side by side.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memoryd.memory.model import Entry, EntryType
from memoryd.memory.text import bigrams, effective, fold, jaccard
from memoryd.patterns import lazy

MIN_EFFECTIVE_CHARS = 10
MAX_DESCRIPTION_CHARS = 150  #: what one line of MEMORY.md shows well
DUPLICATE = 0.70  #: Jaccard of character bigrams
TYPE_TOTALS: Mapping[EntryType, int] = {
    EntryType.USER: 4_000,
    EntryType.FEEDBACK: 4_000,
    EntryType.PROJECT: 8_000,
    EntryType.REFERENCE: 4_000,
}  #: characters of the active bodies of a type, separators counted; default of `[memory] type_totals`
SEPARATOR_CHARS = 2  #: the blank line between two bodies

TRANSIENT = (
    (
        "currently", "at the moment", "right now", "for now", "just now", "today", "this morning", "in progress",
        "temporarily", "working on it", "for the time being", "for the moment", "until tomorrow",
    ),
    ("正在", "目前", "此刻", "眼下", "暂时", "临时", "今天", "刚刚", "刚才", "进行中", "这会儿", "先这样"),
)  # fmt: skip
#: how a thing is just now
STATES = (
    (
        r"(?:is|are|isn['’]t|['’]s|seems?|looks?|went|goes) (?:\w+ ){0,2}?(?:down|broken|offline|unreachable"
        r"|unresponsive|hanging|crashing|failing|stuck|back up|up again|not (?:responding|working|reachable))",
        r"(?:build|pipeline|ci|main|master|trunk|suite|tests?) (?:is|are) (?:\w+ )?(?:red|green)",
        r"keeps? (?:on )?(?:failing|crashing|hanging|timing out)",
    ),
    ("挂了", "宕机了?", "崩溃?了", "坏了", "卡住了", "连不上了?", "打不开了?", "没有?响应", "又?红了", "恢复了"),
)  # fmt: skip
VAGUE = (
    ("maybe", "perhaps", "possibly", "probably", "sort of", "kind of", "not sure", "might be", "somehow", "i guess"),
    ("可能", "也许", "大概", "或许", "好像", "似乎", "不确定", "应该是", "差不多", "说不定"),
)
_BEFORE_WORD, _AFTER_WORD = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"  # \b sees no border beside a Chinese character
#: the code itself, also where Chinese characters touch it; then how Chinese announces code
CODE = (
    (
        r"fn\s+\w+\s*[(<]", rf"impl(?:<\w+>)?\s+\w+\s*(?:\{{|for{_AFTER_WORD})", r"struct\s+\w+\s*[{(;]",
        r"def\s+\w+\s*\(", r"class\s+\w+\s*[:({]", r"function\s*\w*\s*\(", r"\w*\s*=>\s*\{",
        r"import\s*\{", r"from\s+[\"']", rf"from\s+[\w.]+\s+import{_AFTER_WORD}", r"#include\s*[<\"]",
        r"(?:const|let|var)\s+\w+\s*=", rf"public\s+(?:static|class|void){_AFTER_WORD}", r"return\s+[^;\n]+;",
    ),
    (
        "代码如下", "源码如下", "实现如下", "示例代码", "代码片段", "完整代码", "函数签名", "函数体", "参数列表",
        "返回类型", "导入语句", r"定义(?:了)?一个(?:函数|类|方法|变量)",
    ),
)  # fmt: skip
_STATE = lazy(
    rf"\b(?:{'|'.join(STATES[0])})(?: again)?(?=\s*(?:[,.;:!]|$|(?:and|so|but)\b))"
    rf"|(?:{'|'.join(STATES[1])})(?=\s*(?:[，。；！,.;!]|$))",
    re.IGNORECASE,
)
#: what is told of such a state holds whenever it comes
_CONDITION = lazy(
    r"\b(?:if|when|whenever|while|until|unless|once(?! more| again)|after|before|never|always)\b"
    r"|如果|要是|一旦|时[，,候]|之?[前后][，,]|就",
    re.IGNORECASE,
)
_SENTENCE = lazy(r"[^.!?;。！？；\n]+(?:\.(?=\S)[^.!?;。！？；\n]*)*[.!?;。！？；]?")
_WHY = re.compile(r"^\W*(?:why|reason|because|为什么|原因|理由|因为)\W*[:：]", re.I | re.M)
_HOW = re.compile(
    r"^\W*(?:how to apply|how|when|apply|怎么用|如何(?:应用|使用|做)|做法|用法|适用)\W*[:：]", re.I | re.M
)


def _any_word(words: tuple[tuple[str, ...], tuple[str, ...]]) -> re.Pattern[str]:
    english, chinese = words
    latin = rf"{_BEFORE_WORD}(?:{'|'.join(map(re.escape, english))}){_AFTER_WORD}"
    return re.compile(f"{latin}|{'|'.join(chinese)}", re.IGNORECASE)


class Flag(StrEnum):
    TOO_SHORT = "too-short"
    TRANSIENT = "transient"
    VAGUE = "vague"
    CODE = "code"
    DESCRIPTION = "description"  #: missing, no more than the name, or too long for one line
    NO_WHY = "no-why"  #: feedback and project entries should say why
    NO_HOW = "no-how"  #: and how to apply it


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One sign, and the words that gave it."""

    flag: Flag
    found: str


_TRANSIENT = _any_word(TRANSIENT)


def passing(content: str) -> re.Match[str] | None:
    """Return the words that say that a text is of the moment: "for now", "the server is down", None without any."""
    states = (_STATE.search(one[0]) for one in _SENTENCE.finditer(content) if not _CONDITION.search(one[0]))
    return _TRANSIENT.search(content) or next(filter(None, states), None)


_SIGNS = (
    (Flag.TRANSIENT, passing),
    (Flag.VAGUE, _any_word(VAGUE).search),
    (Flag.CODE, re.compile(rf"{_BEFORE_WORD}(?:{'|'.join(CODE[0])})|{'|'.join(CODE[1])}").search),
)


def signs(content: str) -> tuple[Sign, ...]:
    """Return what speaks against keeping a text: too short, transient, vague, code; at most one of each."""
    size = len(effective(content))
    short = [Sign(flag=Flag.TOO_SHORT, found=str(size))] if size < MIN_EFFECTIVE_CHARS else []
    hits = ((flag, seen(content)) for flag, seen in _SIGNS)
    return (*short, *(Sign(flag=flag, found=hit.group()) for flag, hit in hits if hit))


def lint(entry: Entry) -> tuple[Sign, ...]:
    """Return what speaks against an entry that is being written: the signs of its body, then its description, its
    reason, its use.
    """
    return (*signs(entry.body), *_description_signs(entry), *_reason_signs(entry))


def lint_kept(entry: Entry) -> tuple[Sign, ...]:
    """The same of one that stands. A single statement is kept as it was said: who gave no reason for it is gone."""
    return (
        *signs(entry.body),
        *_description_signs(entry),
        *(() if _is_statement(entry.body) else _reason_signs(entry)),
    )


def _is_statement(body: str) -> bool:
    """Whether a body says one thing on one line, with or without the lines that give its reason and its use."""
    return sum(not (_WHY.search(row) or _HOW.search(row)) for row in body.splitlines() if row.strip()) <= 1


def _description_signs(entry: Entry) -> list[Sign]:
    said = effective(entry.description)
    if not said:
        found = "there is none; the index shows the name alone"
    elif said == effective(entry.name) or fold(entry.description) == fold(entry.body):
        found = "it repeats the name or the whole text; say in one line when this is wanted"
    elif len(entry.description) > MAX_DESCRIPTION_CHARS:
        found = f"{len(entry.description)} characters; {MAX_DESCRIPTION_CHARS} fit one line of the index"
    else:
        return []
    return [Sign(flag=Flag.DESCRIPTION, found=found)]


def _reason_signs(entry: Entry) -> list[Sign]:
    if entry.type not in (EntryType.FEEDBACK, EntryType.PROJECT):
        return []
    wanted = (
        (Flag.NO_WHY, _WHY, 'no line "Why: ..." gives the reason'),
        (Flag.NO_HOW, _HOW, 'no line "How to apply: ..." says when it holds'),
    )
    return [Sign(flag=flag, found=found) for flag, pattern, found in wanted if not pattern.search(entry.body)]


def duplicate_of(content: str, entries: Iterable[Entry], *, except_slug: str | None = None) -> str | None:
    """Return the slug of the active entry that says nearly the same (bigrams >= 0.70), the nearest one."""
    pairs = bigrams(content)
    scored = ((jaccard(pairs, bigrams(e.body)), e.slug) for e in entries if e.active and e.slug != except_slug)
    score, slug = max(scored, default=(0.0, ""))
    return slug if score >= DUPLICATE else None


def duplicates(entries: Iterable[Entry]) -> Mapping[str, str]:
    """Return the active entries that say nearly the same as another one (bigrams >= 0.70), by slug: the other's slug.

    Only texts of like size are compared: the index of two sets is at most the ratio of their sizes.
    """
    texts = sorted(((bigrams(e.body), e.slug) for e in entries if e.active and e.body), key=lambda pair: len(pair[0]))
    found: dict[str, str] = {}
    for n, (pairs, slug) in enumerate(texts):
        for others, other in texts[n + 1 :]:
            if len(pairs) < DUPLICATE * len(others):
                break
            if jaccard(pairs, others) >= DUPLICATE:
                found[slug], found[other] = other, slug
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """How full a type is, in characters."""

    used: int
    limit: int

    @property
    def over(self) -> bool:
        return self.used > self.limit


def totals(entries: Iterable[Entry], limits: Mapping[EntryType, int] = TYPE_TOTALS) -> Mapping[EntryType, Total]:
    """Return the total of each type over its active entries; dated facts have a bound of their own."""
    bodies: dict[EntryType, list[int]] = {kind: [] for kind in EntryType}
    for entry in entries:
        if entry.active and not entry.dated:
            bodies[entry.type].append(len(entry.body))
    return {
        kind: Total(used=sum(sizes) + SEPARATOR_CHARS * max(0, len(sizes) - 1), limit=limits[kind])
        for kind, sizes in bodies.items()
    }

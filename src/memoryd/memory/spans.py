"""The user's own words: what is left of a prompt without what was pasted into it.

Text that stands in a fence, a quotation, a tagged block, a log or in what a tool or the assistant said before keeps the
tier of where it came from, also when a user sends it. When in doubt, text counts as pasted.
"""

import re
from collections.abc import Iterator, Sequence

from memoryd.patterns import lazy

MIN_FOREIGN_CHARS = 40  #: a run of this length seen in foreign text is a quotation (DESIGN.md 5.3 step 7)
MIN_QUOTED_CHARS = 40  #: a passage in quotation marks from this length on is somebody's text; CJK counts double
_BLOCK = MIN_FOREIGN_CHARS // 2  #: any run of 2k - 1 characters holds a whole aligned block of k
_MAX_PLACES = 64  #: places kept for a block that repeats; bounds the work on monotonous text

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)
#: as prompts hold documents; one that begins a line and never closes runs to the end
_TRIPLED = re.compile(r"""("{3}|'{3}).*?\1|^(?:"{3}|'{3}).*""", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)(?:\s[^<>]{0,500})?>")
#: `<insert name here>` is a placeholder, `<file name="x">` opens something
_PLAIN_TAG = re.compile(r"<[A-Za-z][\w:.-]*(?:\s+[\w:.-]+=[^<>]*)?(?<!/)>")
_QUOTED = re.compile(r'"[^"\n]*"|“[^“”]*”|«[^«»]*»|「[^「」]*」|『[^『』]*』|‘[^‘’\n]*’')
#: what a short quotation is; only marks that differ at both ends may hold a line end
_SHORT_QUOTED = lazy(
    r'"[^"\n]{1,200}"|“[^“”]{1,200}”|「[^「」]{1,200}」|『[^『』]{1,200}』|‘[^‘’\n]{1,200}’'
    r"|(?<![\w'’])'(?:[^'\n]|(?<=\w)'(?=\w)){1,200}'(?!\w)"
)
BLANK = "\x1a"  #: stands for a quoted character
_CJK = re.compile("[\u2e80-\uffff]")
_LIST_ITEM = re.compile(r"[ \t]+(?:[-*+]|\d{1,3}[.)])[ \t]")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")

_MAIL_HEAD = re.compile(r"(?:From|To|Subject|Date|Sent|Cc|发件人|收件人|主题|日期|发送时间)[:：][ \t]*\S")
_MAIL_REST = re.compile(
    r"(?:On .{6,200} wrote:|-{2,} ?(?:Original|Forwarded) [Mm]essage ?-{2,}|Begin forwarded message:"
    r"|在.{6,80}写道[:：]|-+原始邮件-+)\s*$"
)
_DIFF_HEAD = re.compile(r"(?:diff --git |index [0-9a-f]{7,}\.\.|@@ -\d|--- [ab]?/|\+\+\+ [ab]?/)")
_DIFF_BODY = re.compile(r"[-+ @\\]|index |new file |deleted file |similarity |rename ")
_TRACE_HEAD = re.compile(r"\s*(?:Traceback \(most recent call last\):|Exception in thread |panic: |goroutine \d+ \[)")
_TRACE_BODY = re.compile(r"\s")
_FRAME_LINE = re.compile(r"\s+at\s\S")
_MACHINE = re.compile(
    r"""\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d
      | \s*\[?\d\d:\d\d:\d\d[\].,\s]
      | [A-Z][a-z]{2}\s+\d{1,2}\s\d\d:\d\d:\d\d\s
      | \s+at\s\S+\s?\(.*\) | \s+File\s".+",\sline\s\d+
      | \s*(?:error|warning)\[\w+\]: | \S+:\d+:\d+:\s | \s*-->\s\S+:\d+
    """,
    re.VERBOSE,
)
#: one such line may be a sentence; two in a row are a paste
_MAYBE_MACHINE = re.compile(
    r"""\s*\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|CRITICAL)\b
      | (?:[$%]|>>>|\.\.\.)\s | [\w.-]+@[\w.-]+:\S*[$#]\s | \S+:\d+:
      | \s*[{}\[\]()]+[,;]?\s*$ | \s*"[^"]+"\s*:\s | .*[;{}]\s*$
      | \s*(?:\#include|import\s|from\s\S+\simport\s)
      | \s*(?:def|class|func|fn|function|const|let|var|public|private|static|return)\b.*[:{;)]\s*$
      | \s*(?:if|for|while|else|elif|try|except)\b.*[:{;)]\s*$
      | \s*(?:PASS|FAIL|ok|not\ ok|✓|✗|✔|✘|npm\ ERR!|E\s{3})\s
    """,
    re.VERBOSE,
)


def own_words(text: str, foreign: Sequence[str] = ()) -> str:
    """Return the words of `text` that the user wrote; what was pasted becomes a line break.

    Dropped: fenced and indented code, block quotes, quoted passages of 40 characters and more, text over lines between
    triple quotes, `<x>...</x>` blocks, logs, traces, diffs, forwarded mail, and runs of 40 characters that occur in one
    of the `foreign` texts (white space compared collapsed). Inline code stays as words. Linear in `text` plus `foreign`
    for ordinary text.
    """
    text = _without_fences(text.replace("\r\n", "\n"))
    text = _TRIPLED.sub(lambda m: "\n" if "\n" in m.group() or _is_long(m.group()) else m.group(), text)
    text = _without_tagged(text)
    text = "\n".join(_own_lines(text.split("\n")))
    text = _QUOTED.sub(lambda m: "\n" if _is_long(m.group()) else m.group(), text)
    return _without_foreign(text, foreign).replace("`", "").strip()


def shares_run(text: str, foreign: str) -> bool:
    """Whether a run of 40 characters of a text stands in a foreign one, white space collapsed."""
    return _without_foreign(text, [foreign]) != text


def unquoted(text: str) -> str:
    """Return `text` with the inside of each short quotation blanked, so that no pattern matches there; same length."""
    return _SHORT_QUOTED.sub(lambda m: m[0][0] + BLANK * (len(m[0]) - 2) + m[0][-1], text)


def _is_long(passage: str) -> bool:
    return len(passage) - 2 + len(_CJK.findall(passage[1:-1])) >= MIN_QUOTED_CHARS


def _without_fences(text: str) -> str:
    """Drop fenced blocks; one that never closes runs to the end."""
    kept, at, fences = [], 0, list(_FENCE.finditer(text))
    index = 0
    while index < len(fences):
        opening = fences[index]
        kept.append(text[at : opening.start()])
        index += 1
        while index < len(fences) and not fences[index][1].startswith(opening[1]):
            index += 1
        if index == len(fences):
            return "\n".join(kept)
        line_end = text.find("\n", fences[index].end())
        at = len(text) if line_end < 0 else line_end
        index += 1
    return "\n".join([*kept, text[at:]])


def _without_tagged(text: str) -> str:
    """Drop `<x>...</x>`, nested ones with their parent; a tag alone on its line that never closes runs to the end."""
    tags = list(_TAG.finditer(text))
    last_close = {tag[2].lower(): n for n, tag in enumerate(tags) if tag[1]}
    kept, at, n = [], 0, 0
    while n < len(tags):
        tag = tags[n]
        last = last_close.get(tag[2].lower(), -1)
        if not tag[1] and last > n:
            n = _closing(tags, n, last)
            kept.append(text[at : tag.start()])
            at = tags[n].end()
        elif _PLAIN_TAG.fullmatch(tag.group()) and _alone(text, tag):
            return "\n".join([*kept, text[at : tag.start()]])
        n += 1
    return "\n".join([*kept, text[at:]])


def _closing(tags: Sequence[re.Match[str]], first: int, last: int) -> int:
    """Return the index of the tag that closes `tags[first]`, at the latest the last one of its name."""
    name, depth = tags[first][2].lower(), 0
    for n in range(first, last):
        if tags[n][2].lower() == name and not tags[n].group().endswith("/>"):
            depth += -1 if tags[n][1] else 1
            if depth == 0:
                return n
    return last


def _alone(text: str, tag: re.Match[str]) -> bool:
    line_start = text.rfind("\n", 0, tag.start()) + 1
    line_end = text.find("\n", tag.end())
    return not (text[line_start : tag.start()] + text[tag.end() : line_end if line_end >= 0 else None]).strip()


def _own_lines(rows: list[str]) -> Iterator[str]:
    """Yield the lines that a person may have typed, an empty one for each that was pasted."""
    at = 0
    while at < len(rows):
        end = _pasted_until(rows, at)
        if end == at:
            yield rows[at]
            at += 1
        else:
            yield ""
            at = end


def _pasted_until(rows: list[str], at: int) -> int:
    """Return where the paste that begins at line `at` ends; `at` when none begins there."""
    row = rows[at]
    if _MAIL_REST.match(row) or (_MAIL_HEAD.match(row) and at + 1 < len(rows) and _MAIL_HEAD.match(rows[at + 1])):
        return len(rows)
    if _DIFF_HEAD.match(row):
        return _run_end(rows, at + 1, _DIFF_BODY)
    if _TRACE_HEAD.match(row):
        return min(len(rows), _run_end(rows, at + 1, _TRACE_BODY) + 1)
    if at + 1 < len(rows) and _FRAME_LINE.match(rows[at + 1]):
        return at + 1
    if row.lstrip(" ").startswith(">") or _MACHINE.match(row):
        return at + 1
    if _begins_code(rows, at):
        return _run_end(rows, at, _INDENTED)
    end = _run_end(rows, at, _MAYBE_MACHINE)
    return end if end - at >= 2 else at


def _run_end(rows: list[str], at: int, pattern: re.Pattern[str]) -> int:
    while at < len(rows) and pattern.match(rows[at]):
        at += 1
    return at


def _begins_code(rows: list[str], at: int) -> bool:
    """Indented after a blank line or a colon; an indented list item is the user's."""
    before = rows[at - 1].rstrip() if at else ""
    follows = not before or before.endswith((":", "："))
    return follows and bool(_INDENTED.match(rows[at])) and not _LIST_ITEM.match(rows[at])


def _without_foreign(text: str, foreign: Sequence[str]) -> str:
    if not foreign or len(text) < MIN_FOREIGN_CHARS:
        return text
    squeezed, offsets = _squeeze(text)
    places = _foreign_places(foreign)
    kept, at = [], 0
    for start, end in _foreign_runs(squeezed, *places):
        kept.append(text[at : offsets[start]])
        at = offsets[end - 1] + 1
    return "\n".join([*kept, text[at:]])


def _squeeze(text: str) -> tuple[str, list[int]]:
    """Collapse white space; the list maps each kept character to where it stood."""
    chars, offsets, blank = [], [], True
    for offset, char in enumerate(text):
        space = char.isspace()
        if not (space and blank):
            chars.append(" " if space else char)
            offsets.append(offset)
        blank = space
    return "".join(chars), offsets


def _foreign_places(foreign: Sequence[str]) -> tuple[str, dict[str, list[int]]]:
    """Return the foreign texts as one, separated by NUL, and where each aligned block of it stands."""
    joined = "\0".join(" ".join(text.split()) for text in foreign)
    places: dict[str, list[int]] = {}
    for start in range(0, len(joined) - _BLOCK + 1, _BLOCK):
        known = places.setdefault(joined[start : start + _BLOCK], [])
        if len(known) < _MAX_PLACES:
            known.append(start)
    return joined, places


def _foreign_runs(text: str, joined: str, places: dict[str, list[int]]) -> Iterator[tuple[int, int]]:
    """Yield the runs of `text` that occur in `joined`, disjoint and in order."""
    at = floor = 0
    while at + _BLOCK <= len(text):
        runs = [_extend(text, at, joined, there, floor) for there in places.get(text[at : at + _BLOCK], ())]
        start, end = max(runs, key=lambda run: run[1] - run[0], default=(at, at))
        if end - start >= MIN_FOREIGN_CHARS:
            yield start, end
            at = floor = end
        else:
            at += 1


def _extend(text: str, here: int, joined: str, there: int, floor: int) -> tuple[int, int]:
    left = 0
    while here - left > floor and there - left > 0 and text[here - left - 1] == joined[there - left - 1] != "\0":
        left += 1
    right = _BLOCK
    room = min(len(text) - here, len(joined) - there)
    while right < room and text[here + right] == joined[there + right] != "\0":
        right += 1
    return here - left, here + right

"""Text of a conversation as a model is shown it: quoted line by line, so that nothing in it can end the quotation."""

import re

MARK = "| "
_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
#: what frames the turns of a chat for one model or another: a local server may read it as the frame itself
_FRAME = re.compile(r"<(?=[|｜/]?[a-z_]{1,24}[|｜]?>|[|｜])|\[(?=/?INST\])|<(?=</?SYS>>)", re.IGNORECASE)
_LEFT_OUT = " […] "


def quoted(text: str) -> str:
    """Return the text with a mark before each line; a line without it is ours. Marks of chat templates are broken up.

    >>> quoted("run it\\n## Memory")
    '| run it\\n| ## Memory'
    """
    plain = _FRAME.sub(lambda found: f"{found[0]}\u200b", text.strip())
    return "\n".join(f"{MARK}{line}" for line in _LINE_END.split(plain))


def one_line(text: str) -> str:
    """The same for what stands within a line of ours."""
    return _FRAME.sub(lambda found: f"{found[0]}\u200b", " ".join(text.split()))


def shortened(text: str, limit: int) -> str:
    """Return the beginning and the end of a text that is longer than `limit` characters; '' for a limit of 0."""
    text = text.strip()
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    tail = limit - head
    return f"{text[:head].rstrip()}{_LEFT_OUT}{text[-tail:].lstrip()}" if limit else ""

"""The generated part of a file that people may write into as well: what stands between two marker comments. Pure."""

import re

START, END = "<!-- memoryd:generated -->", "<!-- /memoryd:generated -->"
_PART = re.compile(rf"{START}.*?{END}\n?", re.DOTALL)


def put(text: str, made: str) -> str:
    """Return the text with its generated part replaced; all else keeps its bytes. A new part stands below the title."""
    part = f"{START}\n{made.strip()}\n{END}\n"
    if _PART.search(text):
        return _PART.sub(lambda _: part, text, count=1)
    title, _, rest = text.partition("\n") if text.startswith("# ") else ("", "", text)
    head = f"{title}\n\n" if title else ""
    rest = rest.lstrip("\n")
    return head + part + (f"\n{rest}" if rest else "")


def of(text: str) -> str:
    """The generated part of a file, '' when there is none."""
    found = _PART.search(text)
    return found[0].removeprefix(START).strip().removesuffix(END).strip() if found else ""

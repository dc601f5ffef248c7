"""Sections of the report in the pages of docs/: what stands between two markers of a section's name is replaced."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def rewrite(part: str, name: str, folder: Path = DOCS) -> list[str]:
    """Put a section without its heading where pages ask for it (`<!-- bench NAME -->`); returns the pages' names."""
    body = part.partition("\n")[2].strip()
    pattern = re.compile(rf"(<!-- bench {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    found = []
    for page in sorted(folder.glob("*.md")):
        text = page.read_text("utf-8")
        if pattern.search(text):
            page.write_text(pattern.sub(lambda match: match[1] + body + "\n" + match[2], text), "utf-8")
            found.append(page.name)
    return found

"""A brief as the text of a prompt: what never changes first, then the memory, then the conversation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from memoryd.memory.text import tokens
from memoryd.worker.agents.asking import conversation, manifest
from memoryd.worker.agents.asking.conversation import LEVELS, Conversation, Cuts
from memoryd.worker.agents.asking.manifest import Manifest
from memoryd.worker.agents.asking.quoting import one_line, quoted, shortened
from memoryd.worker.agents.brief import Brief

VERSION = "v1"
PAGES = ("json", "tools", "lines")  #: beside the first, `system`
MANIFEST_TOKENS, NEW_TO_MANIFEST = 400, 4  #: of memory always; and one more for each four tokens of what is new


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of everything one call is shown. Tokens are estimates (`memory.text.tokens`)."""

    part_tokens: int  #: of the conversation
    manifest_tokens: int
    instructions_chars: int  #: of the project's own instruction files
    noted_chars: int  #: of what earlier parts of the same run gave
    levels: tuple[Cuts, ...]  #: how texts are cut, as far as is needed


LARGE = Size(part_tokens=12_000, manifest_tokens=3_000, instructions_chars=3_000, noted_chars=2_000, levels=LEVELS)
#: with instructions and answer within a context of 4 096 tokens, which some servers cut to without a word
SMALL = Size(part_tokens=900, manifest_tokens=350, instructions_chars=600, noted_chars=600, levels=LEVELS[1:])
#: for a context that the small size did not fit into
TINY = Size(part_tokens=400, manifest_tokens=150, instructions_chars=0, noted_chars=300, levels=LEVELS[2:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a run shows a model: the same memory before each part of the conversation."""

    brief: Brief
    size: Size
    manifest: Manifest
    conversation: Conversation

    def request(self, part: int, noted: list[str]) -> str:
        """The text about one part. `noted`: what the earlier parts gave, so that it is not said again."""
        blocks = [_block("What is remembered", self.manifest.text())]
        if instructions := self.brief.projection.instructions.strip()[: self.size.instructions_chars]:
            blocks.append(_block("The project's instruction file", quoted(instructions)))
        if noted:
            rows = "\n".join(f"- {one_line(text)}" for text in noted)
            blocks.append(_block("Taken from earlier parts", shortened(rows, self.size.noted_chars)))
        blocks.append(_block("What is new of the conversation", self.conversation.parts[part].text))
        return "\n\n".join(blocks)


def sheet(brief: Brief, size: Size, cuts: Cuts) -> Sheet:
    """Memory is shown in proportion to what is new, so that tokens are linear in the conversation however much of it
    has been kept: a run about three short turns does not pay for years of memory."""
    said = [u.text for session in brief.projection.sessions for u in session.user_texts()]
    new = conversation.build(brief.projection, cuts, size.part_tokens)
    new_tokens = sum(tokens(part.text) for part in new.parts) // max(1, len(new.parts))  # of a call
    cap_tokens = min(size.manifest_tokens, MANIFEST_TOKENS + new_tokens // NEW_TO_MANIFEST)
    return Sheet(brief=brief, size=size, manifest=manifest.build(brief, said, cap_tokens), conversation=new)


def system(*extra: str, **fields: str) -> str:
    """The instructions: the same text at each call, so that a provider's cache knows it. `extra`: names of pages.

    The first call for a page reads its file.
    """
    return _filled(("system", *extra), fields)


def alone(page: str, schema: str) -> str:
    """The instructions for a question of its own: deciding, choosing, ordering, summarising. The first call for a page
    reads its file.
    """
    return _filled((page,), {"schema": schema})


def _filled(pages: Iterable[str], fields: Mapping[str, str]) -> str:
    text = "\n".join(map(_page, pages))
    for name, value in fields.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def lines() -> str:
    """The instructions for a tiny model, which are all it gets beside the conversation."""
    return _page("lines")


@cache
def _page(name: str) -> str:
    return (files("memoryd.worker.agents.asking") / "prompts" / VERSION / f"{name}.md").read_text("utf-8")


def _block(title: str, text: str) -> str:
    return f"# {title}\n{text}"

"""A brief as the text of a prompt: what never changes first, then the memory, then the conversation."""

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from memoryd.worker.agents.asking import conversation, manifest
from memoryd.worker.agents.asking.conversation import Conversation, Cuts
from memoryd.worker.agents.asking.manifest import Manifest
from memoryd.worker.agents.asking.quoting import one_line, quoted, shortened
from memoryd.worker.agents.brief import Brief

VERSION = "v1"
PAGES = ("json", "tools")  #: that may follow the first, `system`
INSTRUCTIONS_CHARS = 3000  #: of the project's own instruction files
MANIFEST_CHARS = 1500  #: of memory are always shown, and one more for each `NEW_TO_MANIFEST` of what is new
NEW_TO_MANIFEST = 4
NOTED_CHARS = 2000  #: of what earlier parts of the same run gave


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of everything one call is shown, in characters."""

    part: int  #: of the conversation
    manifest: int


LARGE = Size(part=48_000, manifest=12_000)
SMALL = Size(part=6_000, manifest=2_500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a run shows a model: the same memory before each part of the conversation."""

    brief: Brief
    manifest: Manifest
    conversation: Conversation

    def request(self, part: int, noted: list[str]) -> str:
        """The text about one part. `noted`: what the earlier parts gave, so that it is not said again."""
        blocks = [_block("What is remembered", self.manifest.text())]
        if instructions := self.brief.projection.instructions.strip():
            blocks.append(_block("The project's instruction file", quoted(instructions[:INSTRUCTIONS_CHARS])))
        if noted:
            blocks.append(_block("Taken from earlier parts", _bounded([f"- {one_line(text)}" for text in noted])))
        blocks.append(_block("What is new of the conversation", self.conversation.parts[part].text))
        return "\n\n".join(blocks)

    def without_oldest(self) -> "Sheet":
        """The same without the first part."""
        return replace(self, conversation=replace(self.conversation, parts=self.conversation.parts[1:]))


def sheet(brief: Brief, size: Size, cuts: Cuts) -> Sheet:
    """Memory is shown in proportion to what is new, so that tokens are linear in the conversation however much of it
    has been kept: a run about three short turns does not pay for years of memory."""
    said = [u.text for session in brief.projection.sessions for u in session.user_texts()]
    new = conversation.build(brief.projection, cuts, size.part)
    new_chars = sum(map(len, new.parts)) // max(1, len(new.parts))  # of a call
    cap_chars = min(size.manifest, MANIFEST_CHARS + new_chars // NEW_TO_MANIFEST)
    return Sheet(brief=brief, manifest=manifest.build(brief, said, cap_chars), conversation=new)


def system(*extra: str, **fields: str) -> str:
    """The instructions: the same text at each call, so that a provider's cache knows it. `extra`: names of pages.

    The first call for a page reads its file.
    """
    pages = [_page("system"), *(_page(name) for name in extra)]
    text = "\n".join(pages)
    for name, value in fields.items():
        text = text.replace(f"{{{name}}}", value)
    return text


@cache
def _page(name: str) -> str:
    return (files("memoryd.worker.agents.asking") / "prompts" / VERSION / f"{name}.md").read_text("utf-8")


def _block(title: str, text: str) -> str:
    return f"# {title}\n{text}"


def _bounded(rows: list[str]) -> str:
    return shortened("\n".join(rows), NOTED_CHARS)

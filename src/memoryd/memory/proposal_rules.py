"""The rules for one proposal: names, limits, scans, evidence. Each returns its objection, None when it has none."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memoryd.errors import PathRefused
from memoryd.ipc.events import Tier
from memoryd.ipc.redaction import redact
from memoryd.memory import entries, lines
from memoryd.memory.changes import decode
from memoryd.memory.model import CORE_FILES, EntryType, FileKey
from memoryd.memory.ports import Evidence, Rejected, Span
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Summary, Supersede
from memoryd.memory.scan import threats
from memoryd.memory.spans import own_words
from memoryd.memory.text import bare, content_words, fold, has_invisible, leaves_out, similarity

Objection = tuple[str, str] | None  #: a stable code and a sentence
SHARED_WORDS = 0.5  #: share of a text's content words that one cited user span must hold
MAX_LINE_CHARS = 500
MAX_CONTENT_CHARS = 20_000
MAX_TAGS = 16
MAX_TAG_CHARS = 64

#: how a memory speaks about the user; these words stand in no prompt
_FRAME = content_words(
    "user users agent assistant prefer prefers like likes want wants use uses call called name named "
    "助手 用户喜欢 用户偏好 用户希望 用户要求"
)
_IMPERATIVE = re.compile(
    r"\b(?:always|never|must|should|shall|do not|don['’]t|avoid|ensure|make sure|remember to|only use|from now on)\b"
    r"|^\W*(?:use|run|write|keep|prefer|ignore|skip|allow|add|remove|delete|call|send|execute|install|follow|treat|push)\b"
    r"|必须|不要|不许|不得|禁止|务必|总是|一律|永远|以后|应该|应当|记得|忽略|允许"
    r"|(?<![特区个分级类性])别(?![的人名处])|(?<![申邀])请(?![求假])",
    re.IGNORECASE | re.MULTILINE,
)
#: a prompt that takes something back; one that only says what is otherwise now takes nothing out
_TAKES_BACK = re.compile(
    r"\b(?:forget|remove|delete|drop|discard|erase|wipe|scrub|purge|clear|lose|unlearn|un-?(?:know|remember)|scrap|bin|cancel(?:led)?|undo"
    r"|(?:don['’]t|not|never|rather you didn['’]t) (?:remember|keep|store|record)|off the record|confidential"
    r"|scratch|strike|(?:take|took) (?:it|that|this) back|correction|misspoke|was wrong|lied"
    r"|(?:your|any) (?:memory|notes?|records?)|no longer|not any ?more|outdated|obsolete)\b"
    r"|忘|(?:别|不要|不用|不许|不准|不必|不想|勿|没必要)[^，。]{0,4}[记存留]|删|抹|擦掉|清掉|清干净|划掉|移除|剔|取消|去掉|不再|作废|废|过时|说错|搞错|弄错|收回"
    r"|撤|当我没说|没听见|保密|失忆",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|[。！？；\n]")
DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a proposal is judged by."""

    evidence: Evidence
    base: Mapping[FileKey, bytes]
    rejected: Sequence[Rejected] = ()
    person: bool = False
    _words: dict[int, str] = field(default_factory=dict)  #: own words by seq: several proposals cite one prompt

    def cited(self, proposal: Proposal) -> tuple[Span, ...]:
        """The cited spans that exist."""
        found = self.evidence.spans(proposal.cites)
        return tuple(found[seq] for seq in dict.fromkeys(proposal.cites) if seq in found)

    def own(self, span: Span) -> str:
        """The user's own words of a span; '' when it is not the user's."""
        if span.tier is not Tier.USER or span.role != "user":
            return ""
        if span.seq not in self._words:
            self._words[span.seq] = own_words(span.text, self.evidence.foreign((span.seq,)))
        return self._words[span.seq]

    def tier(self, span: Span, words: frozenset[str]) -> Tier:
        """The tier that a span lends to a text of these words: what was pasted into a prompt is not the user's."""
        if span.tier is not Tier.USER or span.role != "user":
            return min(span.tier, Tier.HOST, key=lambda tier: tier.rank)
        own = content_words(self.own(span))
        pasted = content_words(span.text) - own
        return Tier.USER if len(words & own) >= len(words & pasted) else Tier.WEB


def is_imperative(text: str) -> bool:
    """Whether a text tells its reader what to do."""
    return bool(_IMPERATIVE.search(text))


def _new_texts(proposal: Proposal) -> tuple[str, ...]:
    """The facts that a proposal would add to memory."""
    if isinstance(proposal, Save):
        title = f"{proposal.name}\n{proposal.description}"
        return (proposal.content, title) if is_imperative(title) else (proposal.content,)
    if isinstance(proposal, Lines):
        return (*proposal.add, *(new for _, new in proposal.replace))
    return ()


def _orders(text: str) -> list[str]:
    """The sentences of a text that tell its reader what to do."""
    return [sentence for sentence in _SENTENCE_END.split(text) if is_imperative(sentence)]


def _all_texts(proposal: Proposal) -> tuple[str, ...]:
    """Every text of a proposal that would reach a file."""
    if isinstance(proposal, Save):
        return (proposal.slug, proposal.name, proposal.description, proposal.content, *proposal.tags)
    if isinstance(proposal, Summary):
        return (proposal.content,)
    return _new_texts(proposal)


def _text_of(slug: str, case: Case) -> str:
    """The file of an entry as the memory agent saw it."""
    return "\n".join(decode(text) for key, text in case.base.items() if entries.slug_of(key.path) == slug)


def _cut_text(proposal: Proposal, case: Case) -> str:
    """What stood in memory, when a proposal puts a part of it in its place and nothing else; '' otherwise."""
    if isinstance(proposal, Lines) and proposal.replace and not proposal.add:
        return "\n".join(old for old, new in proposal.replace if leaves_out(old, new))
    if isinstance(proposal, Supersede):
        old = _text_of(proposal.old, case)
        return old if leaves_out(old, proposal.content) else ""
    return ""


def _taken_texts(proposal: Proposal, case: Case) -> tuple[str, ...]:
    """What a proposal takes out of memory without putting anything new in its place."""
    cut = _cut_text(proposal, case)
    if cut:
        return (cut,)
    if isinstance(proposal, Archive):
        return ("\n".join([proposal.slug, _text_of(proposal.slug, case)]),)
    return proposal.remove if isinstance(proposal, Lines) else ()


def _needs_users_words(proposal: Proposal) -> bool:
    if isinstance(proposal, Save) and proposal.type in (EntryType.PROJECT, EntryType.REFERENCE):
        return any(is_imperative(text) for text in _new_texts(proposal))
    return isinstance(proposal, Save | Lines)


def names_are_safe(proposal: Proposal, case: Case) -> Objection:
    known = {entries.slug_of(key.path) for key in case.base} - {None}
    match proposal:
        case Save():
            slugs = [proposal.slug] + ([proposal.old] if isinstance(proposal, Supersede) else [])
        case Archive():
            slugs = [proposal.slug]
        case Lines() if proposal.file in CORE_FILES or entries.slug_of(proposal.file) in known:
            slugs = []
        case Lines():
            return "path-refused", f"{proposal.file[:80]!r} is neither a core file nor an entry"
        case Summary():
            return None if DATE.match(proposal.date) else ("path-refused", f"{proposal.date[:40]!r} is no date")
    try:
        for slug in slugs:
            if slug not in known:
                entries.check_slug(slug)
    except PathRefused as error:
        return error.code, str(error)
    return None


def frontmatter_parses_again(proposal: Proposal, _: Case) -> Objection:
    if not isinstance(proposal, Save):
        return None
    fields = {"name": proposal.name, "description": proposal.description, "tags": list(proposal.tags)}
    again = entries.parse(proposal.slug, entries.render(fields, proposal.content))
    same = (again.name, again.description, again.tags) == (proposal.name, proposal.description, proposal.tags)
    if again.malformed or not same:
        return (
            "malformed",
            "its name, description and tags do not read back as they were written; use plain single lines",
        )
    return None


def limits_hold(proposal: Proposal, _: Case) -> Objection:
    if isinstance(proposal, Save | Summary):
        if not proposal.content.strip() or len(proposal.content) > MAX_CONTENT_CHARS:
            return "limit-exceeded", f"its content is empty or longer than {MAX_CONTENT_CHARS} characters"
        tags = proposal.tags if isinstance(proposal, Save) else ()
        if len(tags) > MAX_TAGS or any(len(tag) > MAX_TAG_CHARS for tag in tags):
            return "limit-exceeded", f"more than {MAX_TAGS} tags, or one longer than {MAX_TAG_CHARS} characters"
        return None
    if isinstance(proposal, Lines) and not (proposal.add or proposal.replace or proposal.remove):
        return "limit-exceeded", "it asks for no change"
    if any(not bare(text) or "\n" in text or len(text) > MAX_LINE_CHARS for text in _new_texts(proposal)):
        return "limit-exceeded", f"a line is one line of 1 to {MAX_LINE_CHARS} characters"
    return None


def no_secret(proposal: Proposal, _: Case) -> Objection:
    if any(redact(text) != text for text in _all_texts(proposal)):
        return "scan-rejected", "it holds what looks like a secret"
    return None


def nothing_hidden(proposal: Proposal, _: Case) -> Objection:
    if any(has_invisible(text) or "<!--" in text for text in _all_texts(proposal)):
        return "scan-rejected", "it holds characters or comments that a reader does not see"
    return None


def no_attack(proposal: Proposal, case: Case) -> Objection:
    """Refuse signs of an attack that the user's own words do not show as well."""
    found = threats("\n".join(_all_texts(proposal)))
    if case.person or not found:
        return None
    said = threats("\n".join(case.own(span) for span in case.cited(proposal)))
    if found <= said:
        return None
    return "scan-rejected", f"it reads like an attempt at {', '.join(sorted(found - said))} that the user did not voice"


def cites_something(proposal: Proposal, case: Case) -> Objection:
    if case.person or case.cited(proposal):
        return None
    return "no-citation", "it cites no event of the journal"


def tier_is_users(proposal: Proposal, case: Case) -> Objection:
    if case.person or not _new_texts(proposal) or _cut_text(proposal, case):
        return None
    words = content_words("\n".join(_new_texts(proposal)))
    tiers = (case.tier(span, words) for span in case.cited(proposal))
    lowest = min(tiers, key=lambda tier: tier.rank, default=Tier.WEB)
    if lowest is Tier.USER:
        return None
    return "tier", f"it rests on {lowest} text, which never becomes a memory by itself"


def user_said_so(proposal: Proposal, case: Case) -> Objection:
    """Ask a cited user span for half of the content words; for a plain fact of a project, for any of them.

    Each order within a text is asked for by itself, so that none rides along with a fact that was said. What is left
    of a text that stands in memory says nothing new: it is judged as the removal of the rest.
    """
    if case.person or _cut_text(proposal, case):
        return None
    said = [content_words(case.own(span)) for span in case.cited(proposal)]
    facts = [(text, _needs_users_words(proposal)) for text in _new_texts(proposal)]
    orders = [(order, True) for text, _ in facts for order in _orders(text)]
    for text, strictly in facts + orders:
        share = _share_said(text, said)
        if share == 0 or (strictly and share < SHARED_WORDS):
            return "not-said", "no cited prompt of the user says this in the user's own words"
    return None


def _share_said(text: str, said: Sequence[frozenset[str]]) -> float:
    """The largest share of the content words of a text that one span holds, 0.0 to 1.0."""
    words = content_words(text) - _FRAME or content_words(text)
    return max((len(words & spoken) / len(words) for spoken in said), default=0.0) if words else 0.0


def removal_is_asked_for(proposal: Proposal, case: Case) -> Objection:
    taken = [content_words(text) for text in _taken_texts(proposal, case)]
    if case.person or not taken:
        return None
    said = [case.own(span) for span in case.cited(proposal)]
    if any(_TAKES_BACK.search(words) or content_words(words) & gone for words in said for gone in taken):
        return None
    return "not-said", "no cited prompt of the user speaks of what it takes away"


def not_taken_back(proposal: Proposal, case: Case) -> Objection:
    newest = max((span.seq for span in case.cited(proposal)), default=0)
    facts = [r.fact for r in case.rejected if r.after_seq >= newest]
    if case.person or not facts:
        return None
    texts = _new_texts(proposal)
    rows = [bare(row) for text in texts for row in (text, *text.split("\n")) if bare(row)]
    if any(
        similarity(row, fact) >= lines.SAME_FACT or fold(fact) in fold(row) for row in rows for fact in facts if fact
    ):
        return "taken-back", "a person took this fact back and has not said it again since"
    return None


PROPOSAL_RULES: tuple[Callable[[Proposal, Case], Objection], ...] = (
    no_secret,  # first: no later objection may quote what it refuses
    nothing_hidden,
    names_are_safe,
    limits_hold,
    frontmatter_parses_again,
    no_attack,
    cites_something,
    tier_is_users,
    user_said_so,
    removal_is_asked_for,
    not_taken_back,
)

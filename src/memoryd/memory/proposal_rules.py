"""The rules for one proposal: names, limits, scans, evidence. Each returns its objection, None when it has none."""

import re
from collections.abc import Callable

from memoryd.errors import PathRefused
from memoryd.ipc.events import Tier
from memoryd.ipc.redaction import redact
from memoryd.memory import daily, entries, lines
from memoryd.memory.case import Case
from memoryd.memory.changes import decode
from memoryd.memory.model import CORE_FILES, EntryType, FileKey, Root
from memoryd.memory.proposals import Archive, Lines, Proposal, Save, Summary, Supersede
from memoryd.memory.scan import hidden, threats
from memoryd.memory.text import bare, fold, leaves_out, similarity
from memoryd.memory.wording import SHARED_WORDS, is_loaded, loaded, rows, share
from memoryd.memory.words import content_words
from memoryd.patterns import lazy

Objection = tuple[str, str] | None  #: a stable code and a sentence
ATTACK = "it reads like an attempt at"  #: how the objection to signs of an attack begins
UNSAID = ("tier", "not-said")  #: objections that a person may overrule: no user said it
MAX_LINE_CHARS = 500
MAX_CONTENT_CHARS = 20_000
MAX_TAGS = 16
MAX_TAG_CHARS = 64

#: a prompt that takes something back; one that only says what is otherwise now takes nothing out
_TAKES_BACK = lazy(
    r"\b(?:forget|remove|delete|drop|discard|erase|wipe|scrub|purge|clear|lose|unlearn|un-?(?:know|remember)|scrap|bin|cancel(?:led)?|undo"
    r"|(?:don['’]t|not|never|rather you didn['’]t) (?:remember|keep|store|record)|off the record|confidential"
    r"|scratch|strike|(?:take|took) (?:it|that|this) back|correction|misspoke|was wrong|lied"
    r"|(?:your|any) (?:memory|notes?|records?)|no longer|not any ?more|outdated|obsolete)\b"
    r"|忘|(?:别|不要|不用|不许|不准|不必|不想|勿|没必要)[^，。]{0,4}[记存留]|删|抹|擦掉|清掉|清干净|划掉|移除|剔|取消|去掉|不再|作废|废|过时|说错|搞错|弄错|收回"
    r"|撤|当我没说|没听见|保密|失忆",
    re.IGNORECASE,
)
#: tells that something is another now; what it was may go
_CHANGES = lazy(
    r"\b(?:now|instead|actually|moved?|moving|migrat\w*|switch\w*|chang\w*|replac\w*|swap\w*|renam\w*|upgrad\w*"
    r"|went from|rather than|used to|back to|from now on|any ?more|after all|new|as of|no longer|nowadays|these days"
    r"|left|joined|quit|promoted|dropp\w*|ditch\w*|retired|sold|gone|turned|bump\w*)\b|[-=]+>|→"
    r"|换|改|迁|替|升|现在|搬|转|不是|不用|其实|以后|变|切|挪|调|扩|新|如今|最近|入职|跳槽",
    re.IGNORECASE,
)
DATE = lazy(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\Z")


def new_texts(proposal: Proposal) -> tuple[str, ...]:
    """The facts that a proposal would add to memory; of a title, what orders or speaks for the user."""
    if isinstance(proposal, Save):
        title = "\n".join((proposal.slug.replace("-", " "), proposal.name, proposal.description, *proposal.tags))
        telling = (row for row in title.split("\n") if is_loaded(row))
        return (proposal.content, *telling)
    if isinstance(proposal, Lines):
        return (*proposal.add, *(new for _, new in proposal.replace))
    return ()


def all_texts(proposal: Proposal) -> tuple[str, ...]:
    """Every text of a proposal that would reach a file."""
    if isinstance(proposal, Save):
        return (proposal.slug, proposal.name, proposal.description, proposal.content, *proposal.tags)
    if isinstance(proposal, Summary):
        return (proposal.content,)
    return new_texts(proposal)


def _text_of(slug: str, case: Case) -> str:
    """The file of an entry as the memory agent saw it."""
    return "\n".join(decode(text) for key, text in case.base.items() if entries.slug_of(key.path) == slug)


def _cut_text(proposal: Proposal, case: Case) -> str:
    """What stood in memory, when a proposal puts a part of it in its place and nothing else; '' otherwise."""
    if isinstance(proposal, Lines) and proposal.replace and not proposal.add:
        return "\n".join(old for old, new in proposal.replace if leaves_out(old, new))
    if isinstance(proposal, Supersede) and not proposal.tags:
        old = _text_of(proposal.old, case)
        return old if _titles_only(proposal) and leaves_out(old, proposal.content) else ""
    return ""


def _titles_only(save: Save) -> bool:
    """Whether its name and description say nothing beside its content."""
    wanted = content_words(save.description)
    own = not wanted or share(wanted, content_words(save.content)) >= SHARED_WORDS
    return save.name.rstrip("….") in save.content and own and not is_loaded(save.description)


def taken_texts(proposal: Proposal, case: Case) -> tuple[str, ...]:
    """What a proposal takes out of memory without putting anything new in its place."""
    cut = _cut_text(proposal, case)
    if cut:
        return (cut,)
    if isinstance(proposal, Archive):
        return ("\n".join([proposal.slug, _text_of(proposal.slug, case)]),)
    if not isinstance(proposal, Lines):
        return ()
    stands = _lines_of(proposal, case)
    return (*proposal.remove, *(old for old, new in proposal.replace if fold(bare(new)) in stands))


def needs_users_words(proposal: Proposal) -> bool:
    """Whether one prompt must say this: a core file, what is about the user, what orders or speaks for the user."""
    if isinstance(proposal, Save) and proposal.type in (EntryType.PROJECT, EntryType.REFERENCE):
        return any(is_loaded(text) for text in new_texts(proposal))
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
        case Lines() if case.person and daily.day_of(proposal.file):
            slugs = []  # notes are written by hand; a memory agent has the session's summary
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
    twin = next((k for k in known for slug in slugs if k and k != slug and k.casefold() == slug.casefold()), None)
    return ("path-refused", f"its name differs only in case from {twin!r}") if twin else None


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
    if any(not bare(text) or "\n" in text or len(text) > MAX_LINE_CHARS for text in new_texts(proposal)):
        return "limit-exceeded", f"a line is one line of 1 to {MAX_LINE_CHARS} characters"
    return None


def no_secret(proposal: Proposal, _: Case) -> Objection:
    if any(redact(text) != text for text in all_texts(proposal)):
        return "scan-rejected", "it holds what looks like a secret"
    return None


def nothing_hidden(proposal: Proposal, _: Case) -> Objection:
    text = "\n".join(all_texts(proposal))
    if kinds := hidden(text):
        return "scan-rejected", f"it holds what a reader does not see: {', '.join(kinds)}"
    if "<!--" in text:
        return "scan-rejected", "it holds a comment that a reader does not see"
    return None


def no_attack(proposal: Proposal, case: Case) -> Objection:
    """Refuse signs of an attack that the user's own words do not show as well."""
    found = threats("\n".join(all_texts(proposal)))
    if case.person or not found:
        return None
    said = threats("\n".join(case.own(span) for span in case.cited(proposal)))
    if found <= said:
        return None
    return "scan-rejected", f"{ATTACK} {', '.join(sorted(found - said))} that the user did not voice"


def cites_something(proposal: Proposal, case: Case) -> Objection:
    if case.person or case.cited(proposal):
        return None
    return "no-citation", "it cites no event of the journal"


def tier_is_users(proposal: Proposal, case: Case) -> Objection:
    if case.person or not new_texts(proposal) or _cut_text(proposal, case):
        return None
    lowest = case.lowest(proposal, "\n".join(new_texts(proposal)))
    if lowest is Tier.USER:
        return None
    return "tier", f"it rests on {lowest} text, which never becomes a memory by itself"


def is_said(proposal: Proposal, row: str, case: Case) -> bool:
    """Whether the user said a row of a proposal: all its content words stand in the prompts that it cites.

    What needs one prompt's words, or takes the place of a memory, has them all from one, or from what it replaces.
    """
    together = not needs_users_words(proposal)
    return (
        case.said(proposal, row, together=together)
        and not case.better_said(proposal, row)
        and case.said_wholly(
            proposal, row, together=together and not isinstance(proposal, Supersede), replaced=_replaced(proposal, case)
        )
    )


def _replaced(proposal: Proposal, case: Case) -> str:
    """What stands in memory and gives way to a proposal, '' when nothing does."""
    if isinstance(proposal, Supersede):
        return _text_of(proposal.old, case)
    if not isinstance(proposal, Lines):
        return ""
    stands = _lines_of(proposal, case)
    return "\n".join(old for old, _ in proposal.replace if fold(bare(old)) in stands)


def _lines_of(proposal: Lines, case: Case) -> set[str]:
    """The lines of the file that a proposal changes, folded."""
    roots = [proposal.root] if proposal.root else list(Root)
    files = (decode(case.base.get(FileKey(root, proposal.file), b"")) for root in roots)
    return {fold(bare(row)) for text in files for row in text.split("\n")}


def user_said_so(proposal: Proposal, case: Case) -> Objection:
    """Ask one cited prompt for the content words; for a plain fact of a project all cited prompts together.

    Each row, and each order within a row, is asked for by itself, so that none rides along with a fact that was said.
    What another text of the session said more fully than the user is its own. What is left of a text that stands in
    memory says nothing new: it is judged as the removal of the rest.
    """
    if case.person or _cut_text(proposal, case):
        return None
    together = not needs_users_words(proposal)
    texts = new_texts(proposal)
    whole = all(case.said(proposal, text, together=together) for text in texts)
    if (
        whole
        and all(is_said(proposal, row, case) for text in texts for row in rows(text))
        and all(case.ordered(proposal, order) for text in texts for order in loaded(text))
    ):
        return None
    return "not-said", "no cited prompt of the user says this in the user's own words"


def removal_is_asked_for(proposal: Proposal, case: Case) -> Objection:
    """Ask for a prompt that takes something back, or tells of a change and speaks of each thing that goes."""
    taken = [content_words(text) for text in taken_texts(proposal, case)]
    if case.person or not taken:
        return None
    said = [case.own(span) for span in case.cited(proposal)]
    changed = [content_words(own) for own in said if _CHANGES.search(own)]
    if any(map(_TAKES_BACK.search, said)) or all(any(words & gone for words in changed) for gone in taken):
        return None
    return "not-said", "no cited prompt of the user takes it back, or tells of a change of it"


def asks_to_take(own: str, gone: str) -> bool:
    """Whether a user takes something back and speaks of this text: what an agent that acts by a tool must show."""
    return bool(_TAKES_BACK.search(own)) and bool(content_words(own) & content_words(gone))


def not_taken_back(proposal: Proposal, case: Case) -> Objection:
    """A fact that a person took back needs a later word of the user that says it; later text of others is none."""
    if case.person or not case.rejected:
        return None
    texts = new_texts(proposal)
    whole = "\n".join(texts)
    facts = [one.fact for one in case.rejected if not case.said_since(proposal, whole, one)]
    said = [bare(row) for text in texts for row in (text, *text.split("\n")) if bare(row)]
    if any(
        similarity(row, fact) >= lines.SAME_FACT or fold(fact) in fold(row) for row in said for fact in facts if fact
    ):
        return "taken-back", "a person took this fact back and has not said it again since"
    return None


def nothing_newer_gives_way(proposal: Proposal, case: Case) -> Objection:
    """What was said before takes the place of nothing that was said after it: an imported transcript is late."""
    if case.person:
        return None
    newest = max((span.at for span in case.cited(proposal)), default=None)
    stood = filter(None, (case.last_said(key, line) for key, line in _giving_way(proposal, case)))
    if newest is None or all(at <= newest for at in stood):
        return None
    return "outdated", "what it would take the place of was said later"


def _giving_way(proposal: Proposal, case: Case) -> list[tuple[FileKey, str]]:
    """The lines that a proposal takes out or replaces, with their files."""
    match proposal:
        case Lines():
            gone = [*proposal.remove, *(old for old, _ in proposal.replace)]
            return [(FileKey(root, proposal.file), line) for root in Root for line in gone]
        case Supersede():
            slugs = [proposal.old, proposal.slug]
        case Save() | Archive():
            slugs = [proposal.slug]
        case _:
            return []
    keys = [key for key in case.base if entries.slug_of(key.path) in slugs]
    return [
        (key, row) for key in keys for row in entries.parse("", decode(case.base[key])).body.split("\n") if bare(row)
    ]


PROPOSAL_RULES: tuple[Callable[[Proposal, Case], Objection], ...] = (
    no_secret,  # first: no later objection may quote what it refuses
    names_are_safe,
    nothing_hidden,
    limits_hold,
    frontmatter_parses_again,
    no_attack,
    cites_something,
    not_taken_back,  # before the rules that a person may overrule
    nothing_newer_gives_way,
    tier_is_users,
    user_said_so,
    removal_is_asked_for,
)

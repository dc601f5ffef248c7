"""What a candidate of dreaming would become: proposals, made by the rules from its own words, judged like any other."""

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from memoryd.ipc.events import Tier
from memoryd.memory import entries
from memoryd.memory.catalogue import Catalogue
from memoryd.memory.dreaming import Mention, Recurring
from memoryd.memory.model import EntryType, MemoryView
from memoryd.memory.proposals import Proposal, Save, Summary
from memoryd.memory.text import cut
from memoryd.memory.words import content_words
from memoryd.worker.projection import Projection, SessionSlice, Utterance

NAME_CHARS = 80
_PROPOSALS: TypeAdapter[tuple[Proposal, ...]] = TypeAdapter(tuple[Proposal, ...])


def wishes(one: Recurring, catalogue: Catalogue, *, has_project: bool) -> tuple[Proposal, ...]:
    """Return what a person would accept, and a dream promote.

    Of a dated fact: the same as the person's own. Of what users said: what the rules make of these words, which
    repetition elects; where they make nothing of them, an entry that says them.
    """
    if one.entry:
        slug = entries.slug_of(one.entry)
        entry = next((k.entry for k in catalogue.entries if k.entry.slug == slug and k.entry.active), None)
        return (_saved(entry.body, one.cites, entry.type, slug=entry.slug, name=entry.name),) if entry else ()
    view = catalogue.view(has_project=has_project)
    said = [mention for mention in one.mentions if mention.tier is Tier.USER and mention.cites]
    wholly = [mention for mention in said if content_words(one.text) <= content_words(mention.text)]
    found = _by_rules(one.text, wholly, view) if wholly else ()
    kind = EntryType.PROJECT if has_project else EntryType.USER
    return found or (_saved(one.text, tuple(seq for m in said for seq in m.cites) or one.cites, kind),)


def loads(raw: Sequence[dict[str, Any]]) -> tuple[Proposal, ...]:
    """Read proposals back from a row."""
    return _PROPOSALS.validate_python(raw)


def _by_rules(text: str, said: Sequence[Mention], view: MemoryView) -> tuple[Proposal, ...]:
    from memoryd.worker.agents.rules import learn  # an idle daemon holds no patterns

    sessions = [_slice(session, text, said) for session in dict.fromkeys(one.session for one in said)]
    seqs = sorted(seq for one in said for seq in one.cites)
    projection = Projection(from_seq=seqs[0], to_seq=seqs[-1], sessions=tuple(sessions))
    told = learn(projection, view, lambda sentence: True)
    return tuple(proposal for proposal in told.proposals if not isinstance(proposal, Summary))


def _slice(session: str, text: str, said: Sequence[Mention]) -> SessionSlice:
    host, _, ident = session.partition("/")
    own = [one for one in said if one.session == session]
    utterances = tuple(Utterance(seq=one.cites[0], at=one.at, role="user", tier=Tier.USER, text=text) for one in own)
    return SessionSlice(host=host, session_id=ident, started_at=own[0].at, cwd=None, utterances=utterances)


def _saved(text: str, cites: tuple[int, ...], kind: EntryType, *, slug: str = "", name: str = "") -> Save:
    title = name or cut(text, NAME_CHARS)
    return Save(slug=slug or entries.make_slug(title), name=title, type=kind, content=text, cites=cites[-64:])

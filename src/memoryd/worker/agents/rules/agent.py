"""The rules memory agent: utterance -> own words -> sentences -> facts -> proposals, and the session's summary."""

import asyncio
from dataclasses import replace

from memoryd.memory.model import MemoryView
from memoryd.memory.proposals import Proposal
from memoryd.memory.spans import own_words
from memoryd.patterns import lazy
from memoryd.worker.agents.rules import caches
from memoryd.worker.agents.rules.facts import Reading
from memoryd.worker.agents.rules.filing import Desk
from memoryd.worker.agents.rules.quoting import quoted_in
from memoryd.worker.agents.rules.reading import Elected, nobody, read
from memoryd.worker.agents.rules.summary import Note, summarise
from memoryd.worker.ports import AgentResult
from memoryd.worker.project import COMPACTION_CUT_CHARS
from memoryd.worker.projection import Projection, SessionSlice, Utterance

_SENTENCE_END = lazy(r"[.!?](?=\s)|[。！？\n]")


class RulesAgent:
    """A memory agent that needs no model: patterns in English and Chinese."""

    name = "rules"

    async def propose(self, projection: Projection, memory: MemoryView, run_id: str) -> AgentResult:
        try:
            return await asyncio.to_thread(learn, projection, memory)
        finally:
            caches.forget()


def learn(projection: Projection, memory: MemoryView, elected: Elected = nobody) -> AgentResult:
    """Return what the projection teaches. Pure; time is linear in the text.

    Facts come from user utterances alone. Each session's summary is rebuilt whole from its note, which the result
    hands on to the next run.

    :param elected: what another reader says of a sentence counts where the rules nearly believe it by themselves
    """
    desk = Desk(memory, projection.instructions)
    told = _told(projection, desk, elected)
    return AgentResult(proposals=(*desk.proposals(), *told.proposals), notes=told.notes)


def summaries(projection: Projection) -> AgentResult:
    """Return what happened, without the facts: for an agent that finds those in another way."""
    return _told(projection, None)


def _told(projection: Projection, desk: Desk | None, elected: Elected = nobody) -> AgentResult:
    summaries: list[Proposal] = []
    notes: dict[tuple[str, str], str] = {}
    for session in projection.sessions:
        readings = _readings(session, elected, partial=projection.partial)
        note = Note.load(session.projection)
        if desk is not None:
            _file(desk, readings, note)
        summary, note = summarise(session, readings, note)
        notes[session.host, session.session_id] = note.dump()
        summaries.extend([summary] if summary else [])
    return AgentResult(proposals=tuple(summaries), notes=notes)


def _readings(session: SessionSlice, elected: Elected, *, partial: bool) -> list[tuple[Utterance, Reading]]:
    """Read each user text; what a tool or the assistant said in this session is foreign to it."""
    prompts = tuple(_whole_sentences(u) if partial else u for u in session.user_texts())
    foreign = [u.text for u in session.utterances if u.role != "user"]
    quoted = quoted_in([u.text for u in prompts], foreign)
    return [(u, read(own_words(u.text, texts), elected)) for u, texts in zip(prompts, quoted, strict=True)]


def _whole_sentences(utterance: Utterance) -> Utterance:
    """Leave out the sentence that a compaction run has cut; a later run reads it whole."""
    if len(utterance.text) < COMPACTION_CUT_CHARS:
        return utterance
    last = max((end.end() for end in _SENTENCE_END.finditer(utterance.text)), default=0)
    return replace(utterance, text=utterance.text[:last])


def _file(desk: Desk, readings: list[tuple[Utterance, Reading]], note: Note) -> None:
    """File the facts prompt by prompt; "forget that" means those of the prompt before."""
    for utterance, reading in readings:
        if reading.forgets:
            desk.forget(reading.forgets, utterance.seq, note.learned, reading.spared)
        before = list(desk.learned)
        facts = [fact for fact in reading.facts if not desk.forgotten(fact, reading.forgets)]
        replaced = [desk.file(fact, utterance.seq, note.learned) for fact in facts if not fact.tentative]
        unsure = sorted((fact for fact in facts if fact.tentative), key=lambda fact: -fact.lasting)
        if not any(replaced):
            any(desk.file(fact, utterance.seq, note.learned) for fact in unsure)  # the first that replaces something
        note.take_learned([held.text for held in desk.learned if held not in before])

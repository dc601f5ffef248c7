"""All items of a run together: what is the same becomes one, what is known goes, what is related is asked about once.

An item that names what it replaces is decided: it stays, and only helps to see what the others are. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memoryd.memory.grouping import Group, Similarity, Standing, group
from memoryd.memory.wording import unsaid_words
from memoryd.worker.agents.asking.answer import Item
from memoryd.worker.agents.asking.conversation import day
from memoryd.worker.agents.asking.deciding import Decision
from memoryd.worker.agents.asking.manifest import LINE_CHARS, Held, plain_id
from memoryd.worker.agents.asking.quoting import one_line, shortened
from memoryd.worker.projection import Utterance

WORTH_ASKING = 2  #: candidates to decide; of a single one the agent has said what it thinks, with the memory in sight
MAX_ASKED = 60  #: candidates in one question; further ones stay as they were proposed


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The items of a run, in the order in which they were found, and the groups that its candidates fall into."""

    items: tuple[Item, ...]
    held: Mapping[str, Held]  #: what is remembered, by short id
    said: Mapping[str, Utterance]
    groups: tuple[Group, ...]  #: of places in `items`; what takes something back, or cites nothing, is in none

    @classmethod
    def of(
        cls, items: Iterable[Item], held: Mapping[str, Held], said: Mapping[str, Utterance], *,
        similarity: Similarity | None = None,
    ) -> "Batch":  # fmt: skip
        found = tuple(items)
        places = [
            n for n, item in enumerate(found)
            if item.kind != "forget" and item.text.strip() and any(key in said for key in item.cites)
        ]  # fmt: skip
        kept = [one.text.partition("\n")[0] for one in held.values()]
        groups = group([found[n].text for n in places], kept, similarity=similarity)
        return cls(
            items=found, held=held, said=said,
            groups=tuple(replace(g, members=tuple(places[n] for n in g.members), best=places[g.best]) for g in groups),
        )  # fmt: skip

    @property
    def asked(self) -> dict[str, int]:
        """Short id -> place of what a model has to decide about; empty when that is not worth a call."""
        open_groups = [one for one in self.groups if one.standing is Standing.OPEN]
        places = [n for one in open_groups for n in self._undecided(one)][:MAX_ASKED]
        return {f"c{count}": n for count, n in enumerate(places, start=1)} if len(places) >= WORTH_ASKING else {}

    def question(self) -> str:
        """What is asked about, group by group, as a model is shown it."""
        ids = {n: key for key, n in self.asked.items()}
        shown = [one for one in self.groups if not ids.keys().isdisjoint(one.members)]
        return "\n".join(
            row for n, one in enumerate(shown, start=1) for row in (f"## Group {n}", *self._rows(one, ids))
        )

    def settled(self, decisions: Iterable[Decision] = ()) -> list[Item]:
        """The items that are to be filed: what is obvious, then as it was decided, the rest as it was proposed."""
        made = {n: [item] for n, item in enumerate(self.items)}
        for one in self.groups:
            if one.standing is Standing.KNOWN:
                made.update({n: [] for n in self._undecided(one)})
            elif one.standing is Standing.TWINS:
                made.update(self._joined(one.members, self.items[one.best]))
        asked = self.asked
        left = set(asked.values())
        for decision in decisions:
            changed = self._carried_out(decision, asked)
            if left >= changed.keys():
                made.update(changed)
                left -= changed.keys()
        return [item for row in made.values() for item in row]

    def _undecided(self, one: Group) -> list[int]:
        return [n for n in one.members if plain_id(self.items[n].replaces) not in self.held]

    def _neighbours(self, one: Group) -> list[str]:
        keys = list(self.held)
        return [keys[m] for m in one.neighbours]

    def _rows(self, one: Group, ids: Mapping[int, str]) -> Iterable[str]:
        undecided = self._undecided(one)
        for n in one.members:
            if n in ids or n not in undecided:
                item, mark = self.items[n], f"[{ids[n]}]" if n in ids else "(taken)"
                at = day(max(self.said[key].at for key in item.cites if key in self.said))
                yield f"{mark} {item.kind}, {at}: {one_line(shortened(item.text, LINE_CHARS))}"
        yield from (f"[{key}] {self.held[key].line()}" for key in self._neighbours(one))

    def _carried_out(self, decision: Decision, asked: Mapping[str, int]) -> dict[int, list[Item]]:
        """What a decision makes of the places that it names; nothing when it is a bad one."""
        members = sorted({asked[key] for key in map(plain_id, decision.of) if key in asked})
        of = next((one for one in self.groups if members and set(members) <= set(one.members)), None)
        text, replaces = decision.text.strip(), tuple(map(plain_id, decision.replaces))
        said = "\n".join(self.items[n].text for n in members)
        if of is None or not set(replaces) <= set(self._neighbours(of)) or unsaid_words(text, said):
            return {}
        if decision.action == "drop":
            return {n: [] for n in members}
        is_merge = bool(text) and len(members) + len(replaces) > 1
        if not {"keep": False, "merge": is_merge, "supersede": bool(replaces)}[decision.action]:
            return {}
        last = self.items[members[-1]]
        return self._joined(members, last.model_copy(update={"text": text or last.text}), replaces)

    def _joined(self, members: Sequence[int], stays: Item, replaces: Sequence[str] = ()) -> dict[int, list[Item]]:
        """One item for all: it cites what they cite and tells what they tell beside the text."""
        items = [stays, *(self.items[n] for n in members)]
        told = {
            name: next((value for item in items if (value := getattr(item, name))), "")
            for name in ("why", "how_to_apply", "name")
        }
        cites = tuple(dict.fromkeys(key for n in members for key in self.items[n].cites))
        own = [plain_id(item.replaces) for item in items if item.replaces]
        first, *further = dict.fromkeys([*replaces, *own]) or [""]
        gone = [Item(kind="forget", replaces=key, cites=cites) for key in further]
        whole = stays.model_copy(update={**told, "cites": cites, "replaces": first})
        return {n: [whole, *gone] if n == members[0] else [] for n in members}

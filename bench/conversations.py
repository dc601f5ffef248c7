"""Public conversations with questions whose answers stand in known turns. Read from a folder, never kept here.

LoCoMo (CC BY-NC): `locomo*.json`, long talks of two people over many sessions. MemDaily (no licence stated):
`memdaily*.json`, a person's Chinese notes to an assistant. They are for measuring only.
One of our own stands beside this page: `asked.json`, a person and a coding agent, in English and Chinese.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

DATA = "MEMORYD_BENCH_DATA"
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_OWN = Path(__file__).with_name("asked.json")
_START = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    id: str
    session: str
    role: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str
    category: str
    gold: frozenset[str]  #: ids of the turns that hold the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation: what is searched for its questions, and nothing else."""

    name: str
    corpus: str  #: LoCoMo, MemDaily or own
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def load(folder: Path | None = None) -> list[Talk]:
    """All conversations of a folder (`$MEMORYD_BENCH_DATA` by default); none when there is no such folder."""
    found = folder or Path(os.environ.get(DATA, "../shared/bench"))
    talks = [talk for path in sorted(found.glob("locomo*.json")) for talk in _locomo(path)]
    return talks + [talk for path in sorted(found.glob("memdaily*.json")) for talk in _memdaily(path)]


def own() -> Talk:
    """The conversation of our own, in the order of its sessions; `2:1` is the first turn of the second."""
    kept = json.loads(_OWN.read_bytes())
    turns = (
        Turn(
            id=f"{number}:{nth}", session=str(number), role=role, text=text,
            at=datetime.fromisoformat(session["at"]) + timedelta(minutes=nth),
        )
        for number, session in enumerate(kept["sessions"], 1)
        for nth, (role, _, text) in enumerate((said.partition(": ") for said in session["turns"]), 1)
    )  # fmt: skip
    questions = (
        Question(text=asked["question"], category=_spread(asked["gold"]), gold=frozenset(asked["gold"]))
        for asked in kept["questions"]
    )
    return Talk(name="own", corpus="own", turns=tuple(turns), questions=tuple(questions))


def _spread(gold: Sequence[str]) -> str:
    return "multi-hop" if len({id.partition(":")[0] for id in gold}) > 1 else "single-hop"


def _locomo(path: Path) -> Iterator[Talk]:
    for number, sample in enumerate(json.loads(path.read_bytes())):
        talk = sample["conversation"]
        turns = tuple(_locomo_turns(talk))
        known = {turn.id for turn in turns}
        questions = (
            Question(text=str(qa["question"]), category=_CATEGORIES[qa["category"]], gold=gold)
            for qa in sample["qa"]
            if (gold := frozenset(re.findall(r"D\d+:\d+", " ".join(qa.get("evidence") or ()))) & known)
        )
        yield Talk(name=f"locomo{number}", corpus="LoCoMo", turns=turns, questions=tuple(questions))


def _locomo_turns(talk: dict[str, Any]) -> Iterator[Turn]:
    for number in range(1, 1 + max(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key))):
        began = _locomo_time(talk[f"session_{number}_date_time"])
        for nth, turn in enumerate(talk.get(f"session_{number}", ())):
            shown = f" [picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield Turn(
                id=turn["dia_id"], session=str(number), at=began + timedelta(seconds=20 * nth),
                role="user" if turn["speaker"] == talk["speaker_a"] else "assistant",
                text=f"{turn['speaker']}: {turn['text']}{shown}",
            )  # fmt: skip


def _locomo_time(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _memdaily(path: Path) -> Iterator[Talk]:
    for kind, samples in json.loads(path.read_bytes()).items():
        for number, sample in enumerate(samples):
            turns = (
                Turn(
                    id=str(said["mid"]), session="1", role="user", text=said["message"],
                    at=_START + timedelta(minutes=said["mid"]),
                )
                for said in sample["message_list"]
            )  # fmt: skip
            questions = (
                Question(text=asked["question"], category=kind[3:].partition("_")[0], gold=gold)
                for asked in sample["question_list"]
                if (gold := frozenset(map(str, asked["target_step_id"])))
            )
            yield Talk(
                name=f"{kind}{number}", corpus="MemDaily", turns=tuple(turns), questions=tuple(questions)
            )  # fmt: skip

"""Made texts for searching, in English and Chinese, and questions that some of them answer; straight into a journal."""

import asyncio
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from memoryd.daemon.journal.journal import Arrival, Binding, Journal
from memoryd.ipc.events import Message, MessageData

TEXTS_A_SESSION = 20
BATCH = 250

_MARKED = Path(__file__).parent / "rules" / "marked"
_START = datetime(2026, 1, 1, tzinfo=UTC)


async def journal_texts(database: Path, texts: Iterable[str]) -> None:
    """Into the journal as the daemon writes it, without the socket."""
    journal = await asyncio.to_thread(Journal.open, database)
    arrivals = (_arrival(number, text) for number, text in enumerate(texts))
    while batch := list(islice(arrivals, BATCH)):
        await journal.append(batch)
    await asyncio.to_thread(journal.close)


def _arrival(number: int, text: str) -> Arrival:
    event = Message(
        id=f"e{number}", host="generic", session_id=f"s{number // TEXTS_A_SESSION}",
        at=_START + timedelta(minutes=number),
        data=MessageData(role="user" if number % 2 == 0 else "assistant", text=text),
    )  # fmt: skip
    return Arrival(event=event, binding=Binding(dir=Path("/memory"), kind="user"))


def made_texts(size: int) -> Iterator[str]:
    """Made of labelled prompts: six in ten English, the rest Chinese; each of parts of three."""
    chosen = random.Random(size)
    prompts = {language: _prompts(language) for language in ("en", "zh")}
    for _ in range(size):
        parts = chosen.choices(prompts["en" if chosen.random() < 0.6 else "zh"], k=3)
        yield " ".join(part[chosen.randrange(max(1, len(part) // 2)) :][:200] for part in parts)


def _prompts(language: str) -> list[str]:
    files = sorted(_MARKED.glob(f"{language}*.txt"))
    lines = [re.sub(r"⟦\S?|⟧", "", line).strip() for file in files for line in file.read_text("utf-8").splitlines()]
    return [line for line in lines if len(line) > 10]


def asked_words(texts: Sequence[str], language: str, count: int) -> list[str]:
    """Words that stand together in some text: three English ones, or two to six Chinese characters."""
    pattern = r"[A-Za-z]{3,} [A-Za-z]{3,} [A-Za-z]{3,}" if language == "English" else r"[\u4e00-\u9fff]{2,6}"
    source = "\n".join(texts)
    found = list(dict.fromkeys(re.findall(pattern, source)))
    return random.Random(1).sample(found, min(count, len(found)))

"""Made-up conversations of a coding session, in English and Chinese: the same seed gives the same text.

By length about a tenth is said by the user (mostly tasks, now and then a fact to remember), three tenths by the
assistant, the rest comes from tools. Proportions of what a transcript adds to that follow the recordings of a host.
"""

import json
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from memoryd.ipc.events import Role

_USER = (
    "Please add a retry to the upload function in {file} and run the tests again.",
    "The build of {file} fails on line {n} since the last change; look at the stack trace and mend it.",
    "I prefer short functions with names from the domain over comments.",
    "Always run the linter before you commit, never push to the main branch.",
    "Could you explain why the cache in {file} is keyed by path and not by content?",
    "From now on use pnpm instead of npm in this repository.",
    "Rename the module {file} and update its callers, then show me the diff.",
    "We decided on SQLite because one process writes and a server would be one thing more to run.",
    "请把 {file} 里的第 {n} 个测试改成参数化的，然后再跑一遍。",
    "我喜欢简洁的代码风格，以后提交信息都用英文。",
    "帮我看一下 {file} 为什么在空输入时会报错。",
    "不要改公共接口，只在内部重构。",
)
_ASSISTANT = (
    "I read {file} and found that the loop at line {n} returns before the handle is closed.",
    "The change is in place: the function now takes a deadline and gives up after {n} attempts.",
    "Next I will run the tests of the module and look at the slowest ones first.",
    "You could also keep the old name as an alias for one release; that is up to you.",
    "已经修改了 {file}，现在空输入会返回空列表，测试也补上了。",
)
_TOOL = (
    "{file}:{n}:    return self._store.find(path, limit=limit)",
    "def handle_{n}(request: Request, *, limit: int = {n}) -> Response:",
    "tests/test_{n}.py::test_empty_input PASSED                         [ {n}%]",
    "    for row in connection.execute(statement, (name, {n})):",
    "warning: unused import in {file} at line {n}",
)
_VERBS = (
    "load",
    "save",
    "merge",
    "split",
    "parse",
    "render",
    "check",
    "retry",
    "open",
    "close",
    "find",
    "drop",
    "send",
)
_NOUNS = ("upload", "cache", "invoice", "user", "order", "batch", "index", "report", "queue", "label", "chart", "page")
_START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)


@dataclass(slots=True)
class Speaker:
    """Says sentences about files and numbers."""

    seed: int
    dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)

    def say(self, sentences: tuple[str, ...], chars: int, glue: str = " ") -> str:
        """At least `chars` characters."""
        said: list[str] = []
        while sum(map(len, said)) < chars:
            sentence = self.dice.choice(sentences)
            said.append(sentence.format(file=self.file(), n=self.dice.randrange(1, 100)))
        return glue.join(said)

    def file(self) -> str:
        """One of some thousand paths."""
        return f"src/{self.dice.choice(_NOUNS)}/{self.dice.choice(_VERBS)}_{self.dice.choice(_NOUNS)}.py"

    def turn(self) -> Iterator[tuple[Role, str]]:
        """A prompt, two tool results and two texts of the assistant."""
        yield "user", self.say(_USER, self.dice.randrange(40, 500))
        for _ in range(2):
            yield "assistant", self.say(_ASSISTANT, self.dice.randrange(100, 700))
            yield "tool", self.say(_TOOL, self.dice.randrange(200, 1_500), "\n")
        yield "assistant", self.say(_ASSISTANT, 200)


def said(chars: int, *, seed: int = 1) -> list[tuple[Role, str]]:
    """Texts of about `chars` characters in all, whole turns."""
    speaker, found, total = Speaker(seed), list[tuple[Role, str]](), 0
    while total < chars:
        turn = list(speaker.turn())
        total += sum(len(text) for _, text in turn)
        found += turn
    return found


def text(chars: int, *, seed: int = 1) -> str:
    """What an assistant would say, exactly `chars` ASCII characters."""
    return Speaker(seed).say(_ASSISTANT[:4], chars)[:chars]


@dataclass(slots=True)
class Transcript:
    """A Claude Code transcript under way: `lines` grows, `events` is how many the reader must find in it."""

    session: str
    cwd: str
    speaker: Speaker
    lines: list[bytes] = field(default_factory=list)
    events: int = 0
    _at: datetime = _START

    def turn(self) -> None:
        prompt = str(uuid.UUID(int=self.speaker.dice.getrandbits(128)))
        self._line({"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {"a": self._filler(1_500)}}})
        call = ""
        for role, words in self.speaker.turn():
            if role == "user":
                self._said("user", words, promptId=prompt, origin={"kind": "human"})
            elif role == "assistant":
                call = f"toolu_{len(self.lines)}"
                self._said("assistant", [{"type": "text", "text": words}])
            else:
                self._call(call)
                self._result(call, words)

    def _call(self, call: str) -> None:
        given = {"file_path": self.speaker.file(), "limit": 200}
        self._said("assistant", [{"type": "tool_use", "id": call, "name": "Read", "input": given}])

    def _result(self, call: str, words: str) -> None:
        block = {"type": "tool_result", "tool_use_id": call, "content": words, "is_error": False}
        self._said("user", [block], toolUseResult={"stdout": words, "stderr": "", "interrupted": False})

    def _said(self, role: str, content: object, **more: object) -> None:
        self.events += 1
        self._at += timedelta(seconds=1)
        known = {"parentUuid": None, "isSidechain": False, "type": role, "message": {"role": role, "content": content}}
        place = {"cwd": self.cwd, "sessionId": self.session, "version": "2.1", "gitBranch": "main"}
        stamp = self._at.isoformat().replace("+00:00", "Z")
        own = {"uuid": str(uuid.UUID(int=self.speaker.dice.getrandbits(128))), "timestamp": stamp}
        self._line({**known, **own, **more, **place})

    def _filler(self, chars: int) -> str:
        return self.speaker.say(_TOOL, chars, "\n")

    def _line(self, record: dict[str, object]) -> None:
        self.lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def transcript(size: int, *, session: str, cwd: str, seed: int) -> tuple[bytes, int]:
    """A transcript of about `size` bytes, and how many events it holds."""
    made, total, known = Transcript(session, cwd, Speaker(seed)), 0, 0
    while total < size:
        made.turn()
        total += sum(map(len, made.lines[known:]))
        known = len(made.lines)
    return b"".join(made.lines), made.events

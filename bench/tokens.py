"""The token estimate, and what is set aside for a call, beside two public tokenizers (extra `tokens`; offline)."""

import json
import random
from collections.abc import Callable, Iterator
from importlib import import_module, util
from pathlib import Path

from bench.ground import Ground
from bench.table import Row
from memoryd.memory.text import tokens
from memoryd.worker.agents.asking.fitting import tokens_at_most

TITLE = "Token estimate"
BOUND = 0.30  #: as the docstring of `memory.text.tokens` says
ENCODINGS = ("o200k_base", "cl100k_base")
_ROOT = Path(__file__).resolve().parents[1]
_JAPANESE = "毎朝デプロイの前に全部のテストを実行します。コミットは短く書いて、理由は本文に残してください。"
_KOREAN = "매일 아침 배포 전에 테스트를 모두 실행합니다. 커밋 메시지는 짧게 쓰고, 이유를 본문에 적습니다."


def section(ground: Ground) -> tuple[list[Row], list[str]]:
    if util.find_spec("bpe_openai") is None:
        return [], ["Not measured: needs `pip install -e '.[tokens]'`."]
    encoding: Callable[[str], object] = import_module("bpe_openai").get_encoding
    counters = {name: encoding(name) for name in ENCODINGS}
    rows = []
    for what, text, bound in samples():
        for name, counter in counters.items():
            real = len(counter.encode(text))  # type: ignore[attr-defined]
            rows.append(_row(f"{what}, {len(text)} characters", name, tokens(text), real, bound))
    for what, text in (*((what, text) for what, text, _ in samples()), *noise()):
        for name, counter in counters.items():
            real = len(counter.encode(text))  # type: ignore[attr-defined]
            rows.append(_row_at_most(f"at most: {what}", name, tokens_at_most(text), real))
    return rows, ["An estimate above the real count leaves room unused, one below it costs the host's context more."]


def _row(what: str, name: str, estimate: int, real: int, bound: bool) -> Row:
    ratio = estimate / real
    met = 1 - BOUND <= ratio <= 1 + BOUND if bound else None
    aim = f"within {BOUND:.0%}" if bound else ""
    return Row(what=what, value=str(estimate), floor=f"{real} ({name})", ratio=f"{ratio:.2f}x", aim=aim, met=met)


def _row_at_most(what: str, name: str, bound: int, real: int) -> Row:
    """What is set aside before a call: never less than the real count."""
    ratio = f"{bound / real:.2f}x"
    return Row(what=what, value=str(bound), floor=f"{real} ({name})", ratio=ratio, aim=">= 1x", met=bound >= real)


def noise() -> Iterator[tuple[str, str]]:
    """Texts of which tokenizers make most tokens."""
    chance = random.Random(1)
    letters, capitals = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for what, alphabet in (
        ("base64", f"{letters}{capitals}0123456789+/"), ("hexadecimal", "0123456789abcdef"), ("letters", letters),
        ("capitals", capitals), ("Chinese characters", "".join(map(chr, range(0x4E00, 0x9FFF)))),
        ("characters beyond the BMP", "".join(map(chr, range(0x20000, 0x2A6DF)))),
    ):  # fmt: skip
        yield f"{what} by chance", " ".join("".join(chance.choices(alphabet, k=24)) for _ in range(100))


def samples() -> Iterator[tuple[str, str, bool]]:
    """What, text, and whether the bound is promised for it."""
    said = json.loads((_ROOT / "bench" / "rules" / "dev.json").read_text("utf-8"))
    prompts = {lang: "\n".join(p for s in said if s["id"].startswith(lang) for p in s["user"]) for lang in ("en", "zh")}
    yield "English prose", "\n".join(_texts("docs/*.md")), True
    yield "English prompts", prompts["en"], True
    yield "Chinese prose", "\n".join(_texts("src/memoryd/seeds/zh/*.md")), True
    yield "Chinese prompts", prompts["zh"], True
    yield "Japanese", _JAPANESE, False
    yield "Korean", _KOREAN, False
    yield "Python code", "\n".join(_texts("src/memoryd/daemon/*.py")), True
    yield "paths", "\n".join(str(p.relative_to(_ROOT)) for p in sorted((_ROOT / "src").rglob("*.py"))), False


def _texts(glob: str) -> list[str]:
    return [path.read_text("utf-8") for path in sorted(_ROOT.glob(glob))]

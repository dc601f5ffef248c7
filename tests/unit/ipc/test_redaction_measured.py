"""Recall and precision of redaction on made-up secrets; both are printed. Corpus and rules have the same author: what
they do not know, neither measures."""

import os
import random
from collections import Counter

import pytest
from support.look_alikes import LOOK_ALIKES, look_alikes
from support.planted import EACH, FORMS, KINDS, Planted, is_left, planted

from memoryd.ipc.redaction import find
from memoryd.ipc.redaction.engine import merged
from memoryd.ipc.sanitise import sanitise

SEED = int(os.environ.get("MEMORYD_SEED") or 20_261_130)
MIN_RECALL, MIN_PRECISION = 0.95, 0.90


@pytest.mark.parametrize("form", FORMS)
def test_secrets_are_found_and_look_alikes_stay(form: str) -> None:
    assert len(KINDS) >= 25
    secrets, others = planted(form, SEED), look_alikes(SEED)
    lines: list[Planted | str] = [*secrets, *others]
    random.Random(SEED).shuffle(lines)
    shown = sanitise("\n".join(line if isinstance(line, str) else line.text for line in lines))
    missed = Counter(one.kind for one in secrets if is_left(one, shown))
    right, wrong = _judged(lines)
    recall = 1 - missed.total() / len(secrets)
    precision = right / (right + len(wrong))
    print(f"seed {SEED}, {form}: {len(KINDS)} kinds x {EACH} beside {LOOK_ALIKES} look-alikes:"
          f" recall {recall:.3f} (missed {dict(missed)}), precision {precision:.3f}")  # fmt: skip
    print("\n".join(wrong[:20]))
    assert recall >= MIN_RECALL
    assert precision >= MIN_PRECISION


def _judged(lines: list[Planted | str]) -> tuple[int, list[str]]:
    """How many replaced spans hold (a part of) a planted secret, and the text of those that do not."""
    text, begins = "", []
    for line in lines:
        if not isinstance(line, str):
            at = len(text) + line.text.index(line.begins)
            begins.append((at, len(text) + len(line.text)))
        text += (line if isinstance(line, str) else line.text) + "\n"
    spans = merged(find(text))
    wrong = [s for s in spans if not any(s.start <= at < s.end or at <= s.start < end for at, end in begins)]
    return len(spans) - len(wrong), [f"{s.label}: {text[s.start : s.end][:100]}" for s in wrong]

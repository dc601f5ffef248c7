"""Which foreign texts a prompt may quote: what `own_words` has to compare it with, found in one pass over all texts."""

from collections.abc import Sequence

from memoryd.memory.spans import MIN_FOREIGN_CHARS

_BLOCK = MIN_FOREIGN_CHARS // 2  #: a run of 2k characters holds a whole aligned block of k


def quoted_in(prompts: Sequence[str], foreign: Sequence[str]) -> list[list[str]]:
    """Return for each prompt the foreign texts that share a block of 20 characters with it, white space collapsed.

    A text that is left out holds no run of `MIN_FOREIGN_CHARS` of the prompt. Linear in the length of all texts.
    """
    where: dict[str, set[int]] = {}
    for n, prompt in enumerate(prompts):
        squeezed = " ".join(prompt.split())
        for start in range(len(squeezed) - _BLOCK + 1):
            where.setdefault(squeezed[start : start + _BLOCK], set()).add(n)
    shared: list[dict[int, str]] = [{} for _ in prompts]
    for place, text in enumerate(foreign if where else ()):
        squeezed = " ".join(text.split())
        for start in range(0, len(squeezed) - _BLOCK + 1, _BLOCK):
            for n in where.get(squeezed[start : start + _BLOCK], ()):
                shared[n][place] = text
    return [list(texts.values()) for texts in shared]

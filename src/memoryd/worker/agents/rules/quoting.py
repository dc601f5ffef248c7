"""Which foreign texts a prompt may quote: what `own_words` has to compare it with, found in one pass over all texts."""

from collections.abc import Sequence

from memoryd.memory.spans import MIN_FOREIGN_CHARS, shares_run

_BLOCK = MIN_FOREIGN_CHARS // 2  #: a run of 2k characters holds a whole aligned block of k
_SHORT_BLOCK = 10  #: finds whole statements from 19 characters on


class Quotations:
    """Texts that may quote others. Linear in the length of all texts."""

    def __init__(self, texts: Sequence[str], block: int = _BLOCK) -> None:
        self._block = block
        self._where: dict[str, set[int]] = {}
        for n, text in enumerate(texts):
            squeezed = " ".join(text.split())
            for start in range(len(squeezed) - block + 1):
                self._where.setdefault(squeezed[start : start + block], set()).add(n)

    def of(self, foreign: str) -> set[int]:
        """Return the numbers of the texts that share an aligned block with a foreign one, white space collapsed.

        A text that is left out holds no run of two blocks of it.
        """
        squeezed = " ".join(foreign.split()) if self._where else ""
        starts = range(0, len(squeezed) - self._block + 1, self._block)
        return {n for start in starts for n in self._where.get(squeezed[start : start + self._block], ())}


class Repeated:
    """Statements, and which of them a foreign text holds: a run of 40 characters of one, or all of one."""

    def __init__(self, statements: Sequence[str]) -> None:
        self._statements = statements
        self._wholes = [" ".join(text.split()).rstrip(".!。！") for text in statements]
        self._runs, self._short = Quotations(statements), Quotations(self._wholes, _SHORT_BLOCK)

    def by(self, foreign: str) -> set[int]:
        """Return their numbers."""
        plain = " ".join(foreign.split())
        whole = {n for n in self._short.of(plain) if self._wholes[n] in plain}
        return whole | {n for n in self._runs.of(plain) - whole if shares_run(self._statements[n], plain)}


def quoted_in(prompts: Sequence[str], foreign: Sequence[str]) -> list[list[str]]:
    """Return for each prompt the foreign texts that it may quote."""
    quotations = Quotations(prompts)
    shared: list[dict[str, None]] = [{} for _ in prompts]
    for text in foreign:
        for n in quotations.of(text):
            shared[n][text] = None
    return [list(texts) for texts in shared]

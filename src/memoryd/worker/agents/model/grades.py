"""How a model is asked, by how large it is: one row each."""

from collections.abc import Mapping
from dataclasses import dataclass

from memoryd.worker.agents.asking.prompt import LARGE, SMALL, TINY, Size
from memoryd.worker.agents.providers import Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """One row."""

    sizes: tuple[Size, ...]  #: what one call is shown; the next one where that does not fit into the model's context
    out_tokens: int  #: of one answer
    probe_tokens: int = 0  #: of the answer to a short question; 0: it is asked none
    temperature: float | None = None  #: None: as its provider has it
    looks: bool = False  #: it may look at memory that was not shown, and is asked about related candidates
    copies: bool = False  #: it copies out lines, which are votes; what begins like a refusal may be such a line


MANNERS: Mapping[Grade, Manner] = {
    "large": Manner(sizes=(LARGE, SMALL, TINY), out_tokens=4000, probe_tokens=1000, looks=True),
    "small": Manner(sizes=(SMALL, TINY), out_tokens=900, probe_tokens=300, temperature=0.0),
    "tiny": Manner(sizes=(SMALL, TINY), out_tokens=200, temperature=0.0, copies=True),
}

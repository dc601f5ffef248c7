"""The plot of the comparison: memoryd over each peer, of what has a ratio; left of the line is less."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.picture import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR = 0.8  #: of the room that all bars of one measure have


def plot(ratios: Mapping[str, Mapping[str, float]]) -> str:
    """Where it is, or why it is not.

    :param ratios: peer -> measure -> what memoryd takes over what the peer takes
    """
    measures = list(dict.fromkeys(measure for known in ratios.values() for measure in known))

    def draw(axis: "Axes") -> None:
        height = BAR / max(1, len(ratios))
        for n, (peer, known) in enumerate(ratios.items()):
            rows = [measures.index(measure) - BAR / 2 + height * (n + 0.5) for measure in known]
            axis.barh(rows, [ratio - 1 for ratio in known.values()], height, left=1, label=peer)
        axis.set_xscale("log")
        axis.axvline(1, color="0.3")
        axis.set_yticks(range(len(measures)), measures)
        axis.invert_yaxis()
        axis.set_xlabel("memoryd over the peer (less is better)")
        axis.grid(alpha=0.3, axis="x")
        axis.legend(fontsize="small")

    return picture("peers", draw)

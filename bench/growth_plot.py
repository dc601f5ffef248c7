"""The plot of what grows: each measure over its value at the smallest size, log-log."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.picture import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(sizes: Sequence[int], measured: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Where it is, or why it is not."""

    def draw(axis: "Axes") -> None:
        for name, values in measured:
            axis.loglog(sizes, [value / values[0] for value in values], marker="o", label=name.replace("`", ""))
        axis.loglog(sizes, [size / sizes[0] for size in sizes], color="0.7", linestyle="--", label="in proportion")
        axis.set_ylim(0.3, 20)
        axis.set(xlabel="messages", ylabel="over the smallest size")
        axis.grid(alpha=0.3)
        axis.legend(fontsize="small")

    return picture("growth", draw)

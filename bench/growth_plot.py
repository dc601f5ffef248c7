"""The plot of what grows (matplotlib, the extra `bench`)."""

from collections.abc import Sequence
from pathlib import Path

PICTURE = Path(__file__).parent / "results" / "growth.png"


def plot(sizes: Sequence[int], measured: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Each measure over its value at the smallest size, log-log; returns where it is, or why it is not."""
    try:
        import matplotlib
    except ImportError:
        return "No plot: pip install -e '.[bench]' brings matplotlib."
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(11, 7))
    for name, values in measured:
        axis.loglog(sizes, [value / values[0] for value in values], marker="o", label=name.replace("`", ""))
    axis.loglog(sizes, [size / sizes[0] for size in sizes], color="0.7", linestyle="--", label="in proportion")
    axis.set_ylim(0.3, 20)
    axis.set(xlabel="messages", ylabel="over the smallest size")
    axis.grid(alpha=0.3)
    axis.legend(fontsize="small")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=100)
    pyplot.close(figure)
    return f"Plot: {PICTURE.name} beside the report."

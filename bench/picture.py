"""Plots beside the report (matplotlib, the extra `bench`)."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RESULTS = Path(__file__).parent / "results"


def picture(name: str, draw: "Callable[[Axes], None]", *, inches: tuple[float, float] = (11, 7)) -> str:
    """Draw `bench/results/NAME.png`; returns a line of Markdown that shows it, or says why there is none."""
    try:
        import matplotlib
    except ImportError:
        return "No plot: pip install -e '.[bench]' brings matplotlib."
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=inches)
    draw(axis)
    RESULTS.mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig(RESULTS / f"{name}.png", dpi=100)
    pyplot.close(figure)
    return f"Plot: {name}.png beside the report."

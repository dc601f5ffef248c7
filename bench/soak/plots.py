"""The plots of a soak, one picture (matplotlib, the extra `bench`)."""

from pathlib import Path
from typing import Any

from bench.soak.bounds import KINDS, MEGABYTE
from bench.soak.course import Soak
from bench.soak.gauge import PARTS

SPAN_SECONDS = 60.0


def plot(found: Soak, path: Path) -> str:
    """Draw it; returns a sentence that says where it is, or why it is not."""
    try:
        import matplotlib
    except ImportError:
        return "No plots: pip install -e '.[bench]' brings matplotlib."
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(3, 2, figsize=(14, 12))
    _samples(found, axes)
    _latencies(found, axes[2][0], 0.5)
    _latencies(found, axes[2][1], 0.99)
    for axis in axes.flat:
        for since, until in found.lives if axis is not axes[1][1] else ():
            axis.axvspan(since / 60, until / 60, color="0.95", zorder=0)
        axis.legend(fontsize="small")
        axis.grid(alpha=0.3)
    for axis in axes[2]:
        axis.set_xlabel("minutes; grey: the long lives without their warm-up")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    return f"Plots: {path.name} beside the table."


def _samples(found: Soak, axes: Any) -> None:
    samples = found.gauge.samples
    minutes = [one.at / 60 for one in samples]
    memory, counts, disk, growth = axes[0][0], axes[0][1], axes[1][0], axes[1][1]
    memory.set_title("memory, MB")
    memory.plot(minutes, [one.rss / MEGABYTE for one in samples], label="RSS")
    memory.plot(minutes, [one.private / MEGABYTE for one in samples], label="private")
    counts.set_title("descriptors, threads")
    counts.plot(minutes, [one.descriptors for one in samples], label="descriptors")
    counts.plot(minutes, [one.threads for one in samples], label="threads")
    disk.set_title("disk, MB")
    disk.stackplot(minutes, *([one.disk[part] / MEGABYTE for one in samples] for part in PARTS), labels=PARTS)
    growth.set_title("disk over kept text, MB")
    growth.plot([one.kept / MEGABYTE for one in samples], [one.on_disk / MEGABYTE for one in samples], label="disk")


def _latencies(found: Soak, axis: Any, share: float) -> None:
    axis.set_title(f"p{share * 100:g} by minute, ms")
    axis.set_yscale("log")
    span = min(SPAN_SECONDS, found.seconds / 20)
    for kind in (*KINDS, "round trip", "fdatasync"):
        points = found.taken.by_span(kind, share, span)
        axis.plot([at / 60 for at, _ in points], [took * 1000 for _, took in points], label=kind)

import re

from memoryd.clock import utc_now
from memoryd.daemon.cli import openmetrics
from memoryd.ipc.methods.worker import WorkerStats

_SAMPLE = re.compile(r'(memoryd_[a-z_]+)\{memory_dir="((?:[^"\\\n]|\\["\\n])*)"\} -?\d+(\.\d+)?(e[+-]?\d+)?')


def test_the_text_is_openmetrics() -> None:
    one = WorkerStats(total_completed=3, cost_usd=0.25, last_completed_at=utc_now(), last_duration_ms=16)
    text = openmetrics.text(WorkerStats(directories={"/a": one, '/b "quoted"\\\n': one}))
    assert text.endswith("# EOF\n")
    family = kind = ""
    seen = set()
    for line in text.splitlines()[:-1]:
        if line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            assert family not in seen
            seen.add(family)
        elif line.startswith("# HELP "):
            assert line.split(" ")[2] == family
            assert line.endswith(".")
        else:
            match = _SAMPLE.fullmatch(line)
            assert match is not None, line
            assert match[1] == (f"{family}_total" if kind == "counter" else family)


def test_one_directory_is_labelled_with_its_name() -> None:
    assert 'memoryd_runs_completed_total{memory_dir="/x"} 2' in openmetrics.text(WorkerStats(total_completed=2), "/x")

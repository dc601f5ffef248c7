"""The report of `make bench`: aims are counted, growth is seen, peers are installed as they are pinned."""

import subprocess
from pathlib import Path

import pytest

from bench import values
from bench.ground import Ground
from bench.growth import Measure
from bench.pages import rewrite
from bench.peers import comparing, installing
from bench.peers.installing import Unavailable
from bench.peers.measuring import Measured
from bench.peers.others import Mem0
from bench.process import HAS_PROC, Weight, tree, weighed
from bench.table import Row, markdown, summary


def test_the_summary_counts_the_rows_that_were_promised_something() -> None:
    rows = [Row(what="a", value="1", met=True), Row(what="b", value="2", met=False), Row(what="c", value="3")]
    told = summary([("hook", rows[:1]), ("idle", rows[1:])])
    assert told.startswith("## Summary: 1 of 2 aims met\n")
    assert "| idle | b | 2 |" in told
    assert "| c |" not in told


def test_the_numbers_that_have_one_right_value_have_it(tmp_path: Path) -> None:
    rows, _ = values.section(Ground(folder=tmp_path, quick=True))
    assert [(row.what, row.value) for row in rows] == [(row.what, row.floor) for row in rows]


def test_what_stands_beside_memoryd_is_named_in_the_head() -> None:
    assert "| what | memoryd | peer |" in markdown("Peers", [], beside="peer")


def test_a_section_is_rewritten_between_its_markers_alone(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    growth, peers = "<!-- bench growth -->\n{}\n<!-- end -->\n", "<!-- bench peers -->\nkept\n<!-- end -->\n"
    page.write_text(f"before\n{growth.format('old')}between\n{peers}")
    assert rewrite("## Growth\n\n| new | \\1 |\n", "growth", tmp_path) == ["performance.md"]
    told = "| new | \\1 |"
    assert page.read_text() == f"before\n{growth.format(told)}between\n{peers}"


@pytest.mark.parametrize(("values", "slope"), [((5.0, 5.0, 5.0), 0.0), ((1.0, 3.0, 30.0), 1.0), ((1.0, 1.0, 100.0), 2)])
def test_growth_is_the_slope_between_the_last_sizes(values: tuple[float, ...], slope: float) -> None:
    one = Measure(name="disk", unit="B", values=values)
    assert one.slope((1_000, 10_000, 100_000)) == pytest.approx(slope)


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc (Linux)")
def test_a_process_weighs_what_its_children_weigh() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & echo; wait"], stdout=subprocess.PIPE) as parent:
        try:
            assert parent.stdout is not None
            parent.stdout.readline()
            pids = tree(parent.pid)
            assert len(pids) == 2
            whole, child = weighed(parent.pid), weighed(pids[1])
            assert whole.processes == 2
            assert whole.pss > child.pss > 0
        finally:
            for pid in reversed(tree(parent.pid)):
                subprocess.run(["kill", "-9", str(pid)], check=True)


def test_a_peer_is_installed_once_and_again_when_its_pin_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(installing, "HOME", tmp_path)
    monkeypatch.setattr(installing, "run", lambda argv: ran.append(argv[-1]))
    for version in ("1", "1", "2"):
        assert installing.node_packages("peer", f"peer@{version}") == tmp_path / "peer" / "node_modules"
    assert ran == ["peer@1", "peer@2"]


def test_an_installation_that_breaks_off_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "HOME", tmp_path)
    monkeypatch.setattr(installing, "run", _fails)
    for _ in range(2):
        with pytest.raises(Unavailable, match="no network"):
            installing.node_packages("peer", "peer@1")
    assert not (tmp_path / "peer" / installing.STAMP).exists()


def _fails(argv: list[str]) -> None:
    raise Unavailable("no network")


def test_a_peer_that_is_slower_and_finds_less_is_told_by_each_row() -> None:
    ours, theirs = _measured(0.001, 0.8, lost=0), _measured(0.002, 0.4, lost=1)
    rows = {row.what.partition(": ")[2]: row for row in comparing._rows(Mem0, ours, theirs)}
    assert all(row.met is not False for row in rows.values())
    assert rows["recall@5"].ratio == "2.00x"
    turned = {row.what.partition(": ")[2]: row.met for row in comparing._rows(Mem0, theirs, ours)}
    assert [what for what, met in turned.items() if met is False] == [
        "write, p50", "write, p99", "write, until a power cut leaves it, p50",
        "write, until a power cut leaves it, p99", "search, p50", "search, p99", "recall@5", "memory",
        "start to first answer", "acknowledged, lost by SIGKILL",
    ]  # fmt: skip


def test_a_peer_that_does_not_wait_for_the_disk_is_told_so() -> None:
    ours, theirs = _measured(0.002, 0.8, lost=0), _measured(0.001, 0.8, lost=0, syncs=0.1, durable=0.003)
    rows = {row.what.partition(": ")[2]: row for row in comparing._rows(Mem0, ours, theirs)}
    assert rows["write, p50"].met is False
    assert "0.50 ms; the peer has not waited" in rows["write, p50"].limit
    assert rows["write, until a power cut leaves it, p50"].met is True


def _measured(
    seconds: float, recall: float, *, lost: int, syncs: float = 1.0, durable: float | None = None
) -> Measured:
    held = Weight(processes=1, rss=1, pss=int(seconds * 1e9), anonymous=1, cpu=0.0)
    return Measured(
        writes=[seconds], durable=[durable or seconds], disk=[0.0005], questions=[seconds], recall=recall, loaded=held,
        idle_cpu=0.0, start=seconds, syncs=syncs, hooks=[], lost=lost,
    )  # fmt: skip


def test_questions_are_asked_of_messages_that_all_tools_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_BENCH_DATA", str(tmp_path))  # nothing there: the conversation of our own
    job = comparing._job(Ground(folder=tmp_path, quick=True))
    known = {one.key for one in job.documents}
    assert len(known) == len(job.documents) > 50
    assert job.questions
    assert all(one.gold <= known for one in job.questions)

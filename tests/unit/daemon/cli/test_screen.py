import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from memoryd.daemon.cli import screen
from memoryd.daemon.cli.screen import Column

ROWS = [("部署方式", "怎么部署：make ship"), ("deploy", "by hand"), ("用户角色", "张三，Rust 开发者")]


def _render(width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    columns = (Column(title="name", fold=True), Column(title="what", fold=True), Column(title="wide", columns=100))
    Console(file=out, width=width).print(screen.table(columns, [(*row, "x") for row in ROWS]))
    return out.getvalue().splitlines()


def test_cjk_columns_stand_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _render(120, monkeypatch)
    starts = {cell_len(line[: line.index(text)]) for line, (_, text) in zip(lines[1:], ROWS, strict=True)}
    assert len(starts) == 1


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(cell_len(line.rstrip()) <= width for line in _render(width, monkeypatch))


def test_a_narrow_terminal_leaves_the_lesser_columns_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "wide" in _render(120, monkeypatch)[0]
    assert "wide" not in _render(40, monkeypatch)[0]


def test_memory_text_cannot_steer_the_terminal() -> None:
    said = "a\x1b[2Jb\u202ec\x07\nd\te\x9b1m\x7f\r\nf\rg"
    assert screen.harmless(said) == r"a\x1b[2Jb\u202ec\x07" + "\nd\te" + r"\x9b1m\x7f" + "\r\nf" + r"\rg"


def test_no_color_means_no_escape_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert screen.console().color_system is None

"""Every test has a home of its own, and none may block the event loop."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from blockbuster import blockbuster_ctx
from hypothesis import settings

# Tests assert behaviour; the default renderer would draw tracebacks with rich, which takes seconds.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))

settings.register_profile("memoryd", deadline=None)  # no absolute times: the machine may be busy
settings.load_profile("memoryd")


#: the beginnings of variables that would lead a test to the person's own daemon or hosts
_FOREIGN = ("MEMORYD_", "XDG_", "LISTEN_", "NOTIFY_", "CLAUDE_", "CODEX_", "GEMINI_", "COPILOT_", "HERMES_")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """HOME and the XDG directories in a temporary folder; no variable of memoryd from outside."""
    for name in list(os.environ):
        if name.startswith(_FOREIGN) and name != "MEMORYD_SHARED":
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    return folder


@pytest.fixture(autouse=True)
def no_blocking_on_the_loop() -> Iterator[None]:
    """A blocking call on the event loop fails the test."""
    with blockbuster_ctx("memoryd"):
        yield

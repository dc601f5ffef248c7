"""The model whose weights `MEMORYD_TEST_MODEL` names; without it the tests say why they are skipped."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.local_model import LocalModel, serving

WEIGHTS = os.environ.get("MEMORYD_TEST_MODEL", "")


@pytest.fixture(scope="session")
def model() -> Iterator[LocalModel]:
    pytest.importorskip("xllamacpp", reason="the extra test-model is not installed: make test-model")
    if not WEIGHTS:
        pytest.skip("MEMORYD_TEST_MODEL names no weights: make test-model")
    with serving(Path(WEIGHTS), remembers=False) as one:
        yield one

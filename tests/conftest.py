"""Fixtures that every test may use, and the rule for tests over the corpus (see ``tests/corpus.py``)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.corpus import corpus_file, folder
from tests.sandboxed import HERE, WALLED

# Speed is measured in benchmarks/; a busy machine must not fail a law.
settings.register_profile("laws", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("laws")


@pytest.fixture
def corpus() -> Callable[[str], Path]:
    """Gives the path of a corpus file by its name there: ``corpus("claude-code/parallel-tools.jsonl")``."""
    return corpus_file


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("CI") == "true" and not folder().is_dir():
        raise pytest.UsageError("CI needs the corpus: put it at ../shared/corpus or set TAPEDECK_CORPUS")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not folder().is_dir():
        items[:] = [item for item in items if "corpus" not in getattr(item, "fixturenames", ())]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not folder().is_dir():
        terminalreporter.write_line("The tests over the corpus did not run: there is no ../shared/corpus")
    if not WALLED:
        terminalreporter.write_line(
            f"THE SANDBOX WAS NOT TESTED, only that commands are refused. {HERE.sentence}"
        )

"""The corpus rule itself: where the folder is its tests run, elsewhere one line says not, and CI needs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpus import REPOSITORY, corpus_file

pytest_plugins = ["pytester"]

USES_THE_CORPUS = """
    def test_over_the_corpus(corpus):
        assert corpus("claude-code/a.jsonl").read_text() == "{}"

    def test_of_our_own():
        pass
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """Runs two tests, one of them over the corpus, as CI or not, with or without the folder."""
    pytester.makeconftest((REPOSITORY / "tests" / "conftest.py").read_text("utf-8"))
    pytester.makepyfile(USES_THE_CORPUS)
    corpus = pytester.path / "corpus"

    def start(*, ci: bool, present: bool) -> pytest.RunResult:
        if present:
            (corpus / "claude-code").mkdir(parents=True)
            (corpus / "claude-code" / "a.jsonl").write_text("{}")
        monkeypatch.setenv("CI", "true" if ci else "")
        monkeypatch.setenv("TAPEDECK_CORPUS", str(corpus))
        monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
        return pytester.runpytest_subprocess("-p", "no:cacheprovider")

    return start


@pytest.mark.parametrize("ci", [True, False])
def test_tests_over_the_corpus_run_where_it_is(run: Callable[..., pytest.RunResult], ci: bool) -> None:
    run(ci=ci, present=True).assert_outcomes(passed=2)


def test_without_the_corpus_one_line_says_what_did_not_run(run: Callable[..., pytest.RunResult]) -> None:
    result = run(ci=False, present=False)
    result.assert_outcomes(passed=1)
    assert sum("did not run" in line for line in result.outlines) == 1


def test_without_the_corpus_ci_fails(run: Callable[..., pytest.RunResult]) -> None:
    result = run(ci=True, present=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*CI needs the corpus*"])


def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TAPEDECK_CORPUS", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"no\.jsonl is not in the corpus folder"):
        corpus_file("no.jsonl")

"""docs/operations.md says what the operations do: it is what they did when the page was written."""

from __future__ import annotations

import pytest

from docs.operations import EXAMPLES, PAGE, page
from tape.edits import from_json, to_json
from tape.edits.as_json import READERS


def test_the_page_is_what_the_operations_do() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m docs.operations"


def test_every_operation_has_an_example() -> None:
    assert {value["op"] for value in EXAMPLES} == set(READERS)


@pytest.mark.parametrize("value", EXAMPLES, ids=lambda value: value["op"])
def test_an_example_is_the_operation_as_it_is_written(value: dict[str, object]) -> None:
    assert to_json(from_json(value)) == value

"""The documentation of the rules: equal to what they say, complete, with examples that are found."""

from __future__ import annotations

import re

import pytest

import tape
from tape.rules import ENDPOINTS, LABELS, RULES, Rule, lint
from tape.rules.docs import page
from tests.corpus import REPOSITORY

CODES = """
unanswered-tool-use orphan-tool-result late-tool-result split-tool-results duplicate-tool-use-id
duplicate-tool-result result-not-first wrong-role-block unpaired-server-tool bad-tool-use-id
empty-array unknown-role consecutive-roles first-not-user system-first-in-messages misplaced-system
unsupported-system-role prefill-unsupported prefill-trailing-space
empty-text blank-text empty-message unknown-block unknown-field document-in-assistant citations-in-user
thinking-modified thinking-prefix-changed thinking-gap thinking-missing thinking-misplaced
empty-signed-thinking reasoning-unpaired
bad-tool-name duplicate-tool-name input-not-object arguments-not-string invalid-arguments-json
forced-tool-choice tool-choice-without-tools tools-required undeclared-tool
too-many-cache-marks cache-ttl-order cache-mark-placement
too-many-images image-too-large request-too-large context-overflow max-tokens-over-cap sampling-params
"""


def test_the_page_is_as_the_rules_are() -> None:
    written = (REPOSITORY / "docs" / "rules.md").read_text("utf-8")
    assert written == page(), "run: python -m tape.rules.docs > docs/rules.md"


def test_every_code_has_one_rule() -> None:
    assert sorted(rule.code for rule in RULES) == sorted(CODES.split())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_says_everything_about_itself(rule: Rule) -> None:
    assert set(rule.on) <= set(ENDPOINTS)
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")
    assert rule.why.endswith(".")
    assert rule.repair.endswith(".")
    assert 0 <= rule.stage <= 5
    assert all(re.fullmatch(r"20\d\d-[01]\d", seen.last_seen) for seen in rule.seen.values())
    assert all(seen.source for seen in rule.seen.values())


@pytest.mark.parametrize("rule", [r for r in RULES if r.example.startswith("{")], ids=lambda rule: rule.code)
def test_an_example_is_found_with_the_severity_that_is_said(rule: Rule) -> None:
    endpoint = next(iter(rule.on))
    form = "openai-chat" if "tool_calls" in rule.example else "anthropic-messages"
    session = tape.load(rule.example.encode(), format=form)
    found = [f for f in lint(session, endpoint) if f.code == rule.code]
    assert found
    assert found[0].severity == rule.on[endpoint]
    assert found[0].endpoint in LABELS

"""Secrets in texts: found by the forms that their issuers give them, masked, and nothing else touched."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.secrets import found_in, mask, revealing, veil
from tape.visible import one_line, visible

LONG = "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9k"
SECRETS = {
    "anthropic_key": f"sk-ant-api03-{LONG}",
    "api_key": f"sk-proj-{LONG}",
    "github_token": f"ghp_{LONG[:36]}",
    "aws_key_id": "AKIA" + "ABCDEFGHIJKLMNO7",
    "google_key": "AIza" + LONG[:35],
    "slack_token": "xoxb-" + "123456789012-abcdefghij",
    "stripe_key": "sk_live_" + LONG[:24],
    "gitlab_token": "glpat-" + LONG[:20],
    "hugging_face_token": "hf_" + LONG[:34],
    "npm_token": "npm_" + LONG[:36],
    "json_web_token": f"eyJ{LONG[:20]}.eyJ{LONG[:20]}.{LONG}",
    "bearer_token": f"Bearer {LONG}",
    "basic_login": f"Basic {LONG}",
    "api_key_header": f"x-api-key: {LONG}",
    "aws_secret": f"aws_secret_access_key = {LONG[:40]}",
    "cookie": f"Cookie: session={LONG}; theme=dark{LONG}",
    "password_in_url": "postgres://ada:pass-w0rd@db.example.org/shop",
    "private_key": f"-----BEGIN RSA PRIVATE KEY-----\n{LONG}\n{LONG}\n-----END RSA PRIVATE KEY-----",
}
VALUES = {
    "password_in_url": "pass-w0rd",
    "slack_token": "123456789012-abcdefghij",
    "aws_key_id": "DEFGHIJKLMNO7",
}
INNOCENT = [
    "d41d8cd98f00b204e9800998ecf8427e",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "123e4567-e89b-12d3-a456-426614174000",
    "toolu_01A09q90qw90lq917835lq9",
    "pip install sk-learn-contrib-and-many-more-words",
    "the bearer of bad news, basically everyone here",
    "https://example.org/a@b and user@example.org",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "EqQBCkgIARABGAIiQL8p" * 4,
    "BEGIN PUBLIC KEY and the cookie jar: empty",
]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_found_and_no_more_of_it_than_its_start_is_left(kind: str) -> None:
    text = f"before {SECRETS[kind]} behind"
    assert [one.kind for one in found_in(text)] == [kind]
    told = mask(text)
    assert VALUES.get(kind, LONG[6:20]) not in told
    assert told.startswith("before ")
    assert told.endswith(" behind")
    assert "masked]" in told
    assert mask(told) == told
    veiled = veil(text)
    assert len(veiled) == len(text)
    assert VALUES.get(kind, LONG[:8]) not in veiled


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert mask(text) == text


@given(text=st.text(string.ascii_lowercase + " .,\n", max_size=400))
def test_plain_words_stay(text: str) -> None:
    assert mask(text) == text
    assert veil(text) == text


@given(before=st.text(max_size=40), kind=st.sampled_from(sorted(SECRETS)), behind=st.text(max_size=40))
def test_whatever_stands_around_it_a_secret_is_masked(before: str, kind: str, behind: str) -> None:
    text = f"{before} {SECRETS[kind]} {behind}"
    assert VALUES.get(kind, LONG[6:30]) not in mask(text)


def test_what_is_shown_is_masked_until_somebody_asks() -> None:
    key = SECRETS["anthropic_key"]
    assert LONG[6:] not in visible(key)
    assert LONG[6:] not in one_line(f"a\n{key}")
    with revealing(True):
        assert visible(key) == key
    assert LONG[6:] not in visible(key)


def test_a_long_text_is_looked_through_in_one_go() -> None:
    text = "Cookie: " + "a=b; " * 200_000 + "-----BEGIN PRIVATE KEY-----" * 2_000
    assert len(veil(text)) == len(text)

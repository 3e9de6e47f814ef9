"""Keys, tokens, cookies and passwords in a text: where they stand, and the text with them masked.

What is shown is masked unless somebody asks to see it (``revealing``); what is stored, sent, exported or
edited keeps every character. Patterns follow what their issuers document (GitHub: token prefixes; AWS:
access key ids; Google, Slack, Stripe, GitLab, Hugging Face, npm: their own prefixes; RFC 6750 bearer tokens,
RFC 7519 JSON web tokens, RFC 7468 private keys, RFC 6265 cookies), read in November 2026. Hashes, UUIDs,
signatures and base64 of pictures have none of these forms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from tape.model import Session

KINDS: Final[dict[str, str]] = {
    "private_key": r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:(?!-----END)[^\"]){16,8000}"
    r"(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?",
    "anthropic_key": r"\bsk-ant-[A-Za-z0-9_-]{16,}",
    "api_key": r"\bsk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}",
    "github_token": r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})",
    "aws_key_id": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "aws_secret": r"(?i:aws_?secret_?access_?key)[\"']?\s{0,3}[=:]\s{0,3}[\"']?[A-Za-z0-9/+=]{40}",
    "google_key": r"\bAIza[0-9A-Za-z_-]{35}",
    "slack_token": r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
    "stripe_key": r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    "gitlab_token": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "hugging_face_token": r"\bhf_[A-Za-z0-9]{30,}",
    "npm_token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "json_web_token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "bearer_token": r"\b[Bb]earer\s{1,3}[A-Za-z0-9._~+/-]{16,}={0,2}",
    "basic_login": r"\b[Bb]asic\s{1,3}(?=[A-Za-z0-9+/]*[0-9A-Z])[A-Za-z0-9+/]{16,}={0,2}",
    "api_key_header": r"(?i:x-api-key|api-key)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[A-Za-z0-9._-]{16,}",
    "cookie": r"\b(?:[Ss]et-)?[Cc]ookie[\"']?\s{0,3}[:=]\s{0,3}[\"']?[A-Za-z0-9_.-]{1,80}=[^\s\"';]{8,}"
    r"(?:;\s?[A-Za-z0-9_.-]{1,80}=[^\s\"';]{1,})*",
    "password_in_url": r"\b[a-z][a-z0-9+.-]{1,15}://[^\s/:@\"']{1,80}:[^\s/@\"']{3,}@",
}  # fmt: skip
"""What is looked for: a name for people (with spaces for underscores) and its pattern."""
NAMES: Final = {"aws_key_id": "AWS key id", "aws_secret": "AWS secret", "api_key": "API key"}
_SHORTEST: Final = 16
_HINT: Final = re.compile(
    r"sk-|gh[pousr]_|github_pat_|AKIA|ASIA|AIza|xox|[sr]k_(?:live|test)_|glpat-|hf_|npm_|eyJ|[Bb]earer|[Bb]asic"
    r"|PRIVATE KEY|[Cc]ookie|[Aa][Pp][Ii]-[Kk][Ee][Yy]|[Ss]ecret|SECRET|://"
)
_SECRET: Final = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in KINDS.items()))
_LABEL: Final = re.compile(
    r"^(?:[A-Za-z_-]{1,30}[\"']?\s{0,3}[:=]\s{0,3}[\"']?|[Bb]earer\s+|[Bb]asic\s+|[a-z0-9+.-]+://)"
)
_KEPT: Final = 6
_REVEALED: ContextVar[bool] = ContextVar("revealed", default=False)


@dataclass(frozen=True, slots=True)
class Found:
    """A secret: its kind and where it stands in the text, in characters."""

    kind: str
    start: int
    end: int


def found_in(text: str) -> Iterator[Found]:
    """The secrets of a text in order, in time linear in its length."""
    if len(text) < _SHORTEST or _HINT.search(text) is None:
        return
    for match in _SECRET.finditer(text):
        yield Found(match.lastgroup or "secret", match.start(), match.end())


def mask(text: str) -> str:
    """The text with every secret cut to its first characters and ``…``; the same text where there is none."""
    pieces: list[str] = []
    last = 0
    for one in found_in(text):
        pieces += [text[last : one.start], _stub(one.kind, text[one.start : one.end])]
        last = one.end
    return text if not pieces else "".join([*pieces, text[last:]])


def veil(text: str) -> str:
    """The text with every secret as so many bullets, so that all else keeps its place."""
    pieces: list[str] = []
    last = 0
    for one in found_in(text):
        pieces += [text[last : one.start], "•" * (one.end - one.start)]
        last = one.end
    return text if not pieces else "".join([*pieces, text[last:]])


def _stub(kind: str, secret: str) -> str:
    label = _LABEL.match(secret)
    start = label.end() if label else 0
    kept = "" if kind in ("private_key", "password_in_url", "basic_login") else secret[start : start + _KEPT]
    return f"{secret[:start]}{kept}…[{name_of(kind)} masked]"


def name_of(kind: str) -> str:
    """A kind in words: ``github token``."""
    return NAMES.get(kind, kind.replace("_", " "))


def shown(text: str) -> str:
    """The text as it may be shown now: masked, unless secrets are revealed here."""
    return text if _REVEALED.get() else mask(text)


@contextmanager
def revealing(on: bool) -> Iterator[None]:
    """While this lasts, here and in nothing beside it, secrets are shown (or, with ``False``, masked)."""
    token = _REVEALED.set(on)
    try:
        yield
    finally:
        _REVEALED.reset(token)


def revealed() -> bool:
    """Whether secrets are shown here and now."""
    return _REVEALED.get()


def reveal(on: bool) -> None:
    """Shows or masks secrets in the rest of this thread or task."""
    _REVEALED.set(on)


LARGEST: Final = 32_000_000
"""Characters of a file up to which its secrets are counted."""


def counted(session: Session) -> dict[str, int] | None:
    """How many secrets of each kind the file of a session holds, the most frequent first; ``None`` where it
    is too large to be looked through. Of a session without a file the messages are looked through."""
    if session.base is None:
        texts = [str(block) for entry in session.messages for block in entry.blocks]
    else:
        sources = session.base.sources
        if sum(len(source.data) for source in sources) > LARGEST:
            return None
        texts = [bytes(source.data).decode("utf-8", "replace") for source in sources]
    kinds = Counter(one.kind for text in texts for one in found_in(text))
    return dict(kinds.most_common())

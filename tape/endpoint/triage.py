"""Reads a support ticket by its words: what it is about, how urgent it sounds, its gist."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOPICS = {
    "billing": "charged charge invoice refund payment paid pay bill billing price card subscription",
    "login": "password login log sign signin locked account access username reset",
    "network": "wifi vpn internet network connection offline router dns",
    "hardware": "printer laptop screen keyboard mouse battery monitor headset cable printing",
    "shipping": "parcel package delivery delivered shipping shipped courier tracking arrived order",
    "software": "crash crashes error bug app update freezes install software export browser",
    "request": "feature wish suggestion dark please-add would-like",
}
ACTIONS = {
    "billing": "check the charge and refund it if it is wrong",
    "login": "reset the password and unlock the account",
    "network": "restart the router and check the line",
    "hardware": "look at the device",
    "shipping": "ask the courier where the parcel is",
    "software": "collect the error message and reproduce it",
    "request": "pass the wish on to the product team",
    "general": "ask for more detail",
}
HIGH = re.compile(
    r"\b(urgent|asap|immediately|right now|today|down|everyone|nobody|cannot work|twice|fire|angry)\b", re.I
)
LOW = re.compile(
    r"\b(minor|typo|whenever|no hurry|no rush|would be nice|when you have time|small|suggestion)\b", re.I
)
GOOD = re.compile(
    r"\b(love|loved|great|good|excellent|happy|thanks|perfect|wonderful|best|nice|fantastic)\b", re.I
)
BAD = re.compile(
    r"\b(hate|hated|bad|awful|terrible|angry|worst|broken|disappointed|slow|never|poor|boring)\b", re.I
)
HEADER = re.compile(
    r"^\s*(?:(ticket|subject|title|from|date|priority|status|id)\b[^:\n]{0,20}):\s*(.*)$", re.I | re.M
)
LEVELS = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Triage:
    """What the words of a ticket say. ``number`` and ``sender`` are empty where it names none."""

    topic: str
    level: str
    mood: str
    gist: str
    number: str
    sender: str

    @property
    def action(self) -> str:
        """What to do next, by topic."""
        return ACTIONS[self.topic]


def triage(text: str) -> Triage:
    """Judge a ticket by the words in it; ``general`` and ``medium`` where they say nothing."""
    headers = {match[1].lower(): match[2].strip() for match in HEADER.finditer(text)}
    words = re.findall(r"[a-z]+", text.lower())
    scores = {topic: sum(words.count(word) for word in known.split()) for topic, known in TOPICS.items()}
    best = max(scores, key=lambda topic: scores[topic])
    level = "high" if HIGH.search(text) else "low" if LOW.search(text) else "medium"
    number = re.search(r"(?:ticket|#)\s*#?(\d+)", text, re.I)
    return Triage(
        topic=best if scores[best] else "general",
        level=level,
        mood=_mood(text),
        gist=headers.get("subject") or headers.get("title") or _gist(text),
        number=number[1] if number else "",
        sender=headers.get("from", ""),
    )


def is_ticket(text: str) -> bool:
    """Whether a text presents itself as a ticket."""
    return bool(re.match(r"\s*(?:new |support |another )*ticket\b(?!s?\s+\d+\s+and)", text, re.I)) or bool(
        re.search(r"\bticket\s*(?:#?\d+)?\s*[:\n]", text, re.I)
    )


def _mood(text: str) -> str:
    balance = len(GOOD.findall(text)) - len(BAD.findall(text))
    return "positive" if balance > 0 else "negative" if balance < 0 else "neutral"


def _gist(text: str) -> str:
    """The first sentence of the ticket proper, at most 80 characters."""
    body = HEADER.sub(lambda match: match[2] if match[1].lower() == "ticket" else "", text)
    body = re.sub(r"^\s*(?:classify|triage|handle|summari[sz]e)\b[^:\n]*:", "", body, flags=re.I)
    sentence = re.split(r"(?<=[.!?])\s|\n", body.strip(), maxsplit=1)[0].strip(" .!")
    return sentence if len(sentence) <= 80 else sentence[:79].rsplit(" ", 1)[0] + "…"

"""The glossary points at real things, and says where there are none."""

from __future__ import annotations

from tape.edits import Compact, apply
from tape.lessons.glossary import TERMS
from tape.model import Call, Session, Usage, position
from tape.samples import sample

WORDS = [
    "role",
    "message",
    "block",
    "turn",
    "tool_use",
    "tool_result",
    "id thread",
    "context window",
    "cache",
    "compaction",
]


def test_ten_words_of_one_sentence_each() -> None:
    assert [term.word for term in TERMS] == WORDS
    assert all(term.sentence.endswith(".") and ". " not in term.sentence for term in TERMS)


def test_each_word_points_into_the_sample() -> None:
    session = sample("two-tickets").load()
    found = {term.word: term.find(session) for term in TERMS}
    places = {word: position(session, uid) for word, uid in found.items() if uid is not None}
    assert places == {
        "role": "messages[1]",
        "message": "messages[0]",
        "block": "messages[1].content[0]",
        "turn": "messages[1]",
        "tool_use": "messages[1].content[1]",
        "tool_result": "messages[2].content[0]",
        "id thread": "messages[1].content[1]",
        "context window": "messages[1]",
    }


def test_a_cache_and_a_compaction_are_found_where_there_are_some() -> None:
    session = sample("two-tickets").load()
    compacted = apply(session, Compact(keep_last=1))
    cached = Session(session.messages, calls=(Call("m1", usage=Usage(cache_read=9)),))
    by_word = {term.word: term.find for term in TERMS}
    assert by_word["compaction"](compacted) == compacted.messages[0].uid
    assert by_word["cache"](cached) == "m1"


def test_nothing_is_found_in_an_empty_session() -> None:
    assert [term.find(Session(messages=())) for term in TERMS] == [None] * len(TERMS)

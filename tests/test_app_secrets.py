"""A key in a transcript: no view of the page and no route holds it until somebody asks; no edit loses it."""

from __future__ import annotations

import json
from typing import Any

from starlette.testclient import TestClient

from components.deck import Deck
from components.page import PANELS
from components.routes import routes
from components.tape_view import assets
from tape.wire import session_of
from tests.page_driver import Driver
from tests.strategies import answer, assistant, call, text, user

REST = "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"
KEY = f"sk-ant-api03-{REST}"
CHAT: list[Any] = [
    user(f"Use {KEY} for it."),
    assistant(
        text(f"I use `{KEY}`."), call("a", "run", {"command": f"curl -H 'x-api-key: {KEY}'", "key": KEY})
    ),
    user(answer("a", f"ok {KEY}")),
]
BODY = {"system": f"The key is {KEY}.", "messages": CHAT}


def read(deck: Deck, path: str, **query: Any) -> str:
    from starlette.applications import Starlette

    with TestClient(Starlette(routes=routes())) as client:
        answer = client.get(f"{assets.prefix()}/deck/{deck.token}/{path}", params=query)
    assert answer.status_code == 200
    return answer.text


def test_no_route_shows_a_key_until_it_is_asked_for() -> None:
    deck = Deck(session_of(BODY))
    paths = [("cards", {}), ("index", {}), ("card/m1", {}), ("card/system", {}), ("text/m2.0", {})]
    paths += [("search", {"q": "sk-ant"}), ("search", {"q": "curl"})]
    for path, query in paths:
        assert REST[-12:] not in read(deck, path, **query), path
    deck.reveals = True
    for path, query in paths:
        if path not in ("index", "search"):
            assert REST in read(deck, path, **query), path


def test_an_editor_gets_the_real_words_and_saving_them_changes_nothing() -> None:
    deck = Deck(session_of(BODY))
    given = json.loads(read(deck, "raw/m0.0"))
    assert given["text"] == f"Use {KEY} for it."
    deck.apply({"op": "replace", "target": "m0.0", "value": given["text"]})
    assert deck.session.messages[0].text == f"Use {KEY} for it."


def test_no_panel_shows_a_key_until_it_is_asked_for() -> None:
    driver = Driver()
    driver.upload("chat.json", json.dumps(BODY).encode())
    driver.page.show("m1")
    for panel in PANELS:
        driver.panel(panel)
        html = "\n".join(str(one.value) for one in driver.at.get("html"))
        assert REST[-12:] not in f"{driver.words}\n{html}", panel
    assert "masked" in driver.words
    driver.at.toggle(key=f"secrets-{driver.page.deck.token}").set_value(True)
    driver.run()
    driver.panel("Message")
    assert REST in driver.words
    driver.upload("chat.json", json.dumps(BODY).encode())
    assert not driver.page.deck.reveals

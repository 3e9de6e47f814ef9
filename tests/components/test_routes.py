"""The routes beside the page: what they answer, and whom they refuse."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from components.deck import Deck
from components.routes import PART, WINDOW, routes
from components.tape_view import assets
from tape.model import Aside, Branch, Lane
from tests.strategies import answer, assistant, call, session, text, user

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 20).decode()
Get = Callable[..., Any]


def picture(data: str, media: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=routes()))


@pytest.fixture
def open_deck() -> Deck:
    return Deck(
        session(
            user(text("Where is Ωmega?"), picture(PNG)),
            assistant(text("I look."), call("a", "look", {"at": "the Sky", "n": 12345678901234567890})),
            user(answer("a", [text("x" * 5000 + " needle"), picture("AAAA")])),
            system="be brief",
            tools=[{"name": "look", "description": "looks", "input_schema": {"type": "object"}}],
        )
    )


@pytest.fixture
def get(client: TestClient, open_deck: Deck) -> Get:
    def ask(path: str, **parameters: Any) -> Any:
        return client.get(f"/tape/deck/{open_deck.token}/{path}", params=parameters)

    return ask


def test_the_index_names_every_message(get: Get) -> None:
    found = get("index").json()
    assert [entry[0] for entry in found["rows"]] == ["m0", "m1", "m2"]
    assert found["links"] == [["m1", 1, "m2", 0, "ok"]]
    assert found["v"] == 0
    assert found["head"]["tools"] == 1


def test_cards_come_in_windows(get: Get, open_deck: Deck) -> None:
    assert [card["uid"] for card in get("cards", **{"from": 1, "n": 1}).json()["cards"]] == ["m1"]
    assert len(get("cards").json()["cards"]) == 3
    assert get("cards", **{"from": 99}).json()["cards"] == []
    open_deck.apply({"op": "append", "messages": [user(str(n)) for n in range(300)]})
    found = get("cards", n=999).json()
    assert len(found["cards"]) == WINDOW
    assert found["v"] == 1


@pytest.mark.parametrize("odd", ["-1", "x", "1e9", "٣", "9" * 40, ""])
def test_odd_numbers_are_the_default(get: Get, odd: str) -> None:
    assert len(get("cards", **{"from": odd, "n": odd}).json()["cards"]) == 3


def test_a_card_has_its_whole_bodies(get: Get) -> None:
    assert get("cards").json()["cards"][2]["strips"][0]["cut"]
    whole = get("card/m2").json()["strips"][0]
    assert "cut" not in whole
    assert sum(len(run[0]) for run in whole["runs"]) == 5007
    assert get("card/system").json()["system"][0]["html"] == "<p>be brief</p>\n"


def test_raw_json_keeps_every_number(get: Get) -> None:
    assert "12345678901234567890" in get("raw/m1").json()["json"]
    assert get("raw/m1").json()["text"] is None
    assert get("raw/m1.0").json() == {
        "json": '{\n  "type": "text",\n  "text": "I look."\n}',
        "text": "I look.",
        "words": "I look.",
    }
    assert get("raw/system").json() == {"json": '"be brief"', "text": "be brief"}


def test_a_long_body_comes_in_parts(get: Get, open_deck: Deck) -> None:
    open_deck.apply({"op": "replace", "target": "m0.0", "value": "y" * (PART + 5)})
    first = get("text/m0.0").json()
    assert (len(first["text"]), first["next"], first["chars"]) == (PART, PART, PART + 5)
    assert get("text/m0.0", **{"from": first["next"]}).json()["text"] == "yyyyy"


def test_changes_compare_with_the_original(get: Get, open_deck: Deck) -> None:
    open_deck.apply({"op": "replace", "target": "m1.0", "value": "I listen."})
    [block] = get("changes/m1").json()["blocks"]
    assert [line[0] for line in block["lines"]] == ["-", "+"]
    assert get("changes/m0").json()["blocks"] == []
    assert get("cards", of="original").json()["cards"][1]["strips"][0]["html"] == "<p>I look.</p>\n"
    assert get("index", of="original").json()["rows"][1][4] == get("index").json()["rows"][1][4]


def test_search_finds_words_in_every_kind_of_block_whatever_their_case(get: Get) -> None:
    assert get("search", q="ωMEGA").json()["hits"][0][:4] == ["m0", "m0.0", 9, 1]
    assert get("search", q="ωMEGA", case="1").json()["hits"] == []
    assert get("search", q="meg", word="1").json()["hits"] == []
    assert get("search", q="l.ok", regex="1").json()["times"] == 2
    assert get("search", q="the sky").json()["hits"][0][:2] == ["m1", "m1.1"]
    assert get("search", q="needle").json()["hits"][0][:4] == ["m2", "m2.0", 5001, 1]
    assert get("search", q="needle", **{"from": 3}).json()["hits"] == []
    assert get("search", q="  ").json()["hits"] == []
    assert get("search").json()["hits"] == []


def test_what_stands_beside_the_array_is_told_on_request(client: TestClient) -> None:
    one = session(user("go"))
    held = Deck(
        replace(
            one,
            asides=(Aside(None, 0, "mode", "plan\nnow"), Aside("m0", 1, "hook", "ran", True)),
            lanes=(Lane(session(user("sub"), assistant("agent"))),),
            branches=(Branch("b", "m0", one.messages),),
        )
    )
    root = f"/tape/deck/{held.token}"
    assert client.get(f"{root}/asides/start").json()["asides"] == [["mode", "plan now", False]]
    assert client.get(f"{root}/asides/m0").json()["asides"] == [["hook", "ran", True]]
    assert client.get(f"{root}/lanes/0").json() == {
        "lines": [["user", "sub"], ["assistant", "agent"]],
        "more": 0,
    }
    assert client.get(f"{root}/branches/0").json()["lines"] == [["user", "go"]]
    assert client.get(f"{root}/lanes/1").status_code == 404
    assert client.get(f"{root}/branches/7").status_code == 404


def test_pictures_are_what_their_first_bytes_say(get: Get) -> None:
    answered = get("image/m0.1")
    assert answered.headers["content-type"] == "image/png"
    assert answered.content.startswith(b"\x89PNG")
    assert get("image/m2.0.1").status_code == 415
    assert get("image/m0.0").status_code == 404


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"<svg onload=boom()>", None),
        (b"<html><script>boom()</script>", None),
        (b"", None),
    ],
)
def test_only_four_kinds_of_picture_are_served(client: TestClient, data: bytes, kind: str | None) -> None:
    held = Deck(session(user(picture(base64.b64encode(data).decode()))))
    answered = client.get(f"/tape/deck/{held.token}/image/m0.0")
    assert (answered.headers["content-type"] if answered.status_code == 200 else None) == kind
    assert answered.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answered.headers["content-security-policy"]


def test_broken_base64_is_refused(client: TestClient) -> None:
    held = Deck(session(user(picture("not base64!"))))
    assert client.get(f"/tape/deck/{held.token}/image/m0.0").status_code == 415


def test_a_lone_surrogate_does_not_stop_an_answer(client: TestClient) -> None:
    held = Deck(session(user(answer("a", "x\ud800y"))))
    answered = client.get(f"/tape/deck/{held.token}/cards")
    assert answered.status_code == 200


PATHS = (
    "index",
    "cards",
    "card/m0",
    "raw/m0",
    "text/m0.0",
    "changes/m0",
    "asides/m0",
    "image/m0.1",
    "search",
)


@pytest.mark.parametrize("path", [*PATHS, "lanes/0", "branches/0"])
def test_only_the_page_itself_may_read(client: TestClient, open_deck: Deck, path: str) -> None:
    address = f"/tape/deck/{open_deck.token}/{path}"
    for site in ("cross-site", "same-site", "none"):
        assert client.get(address, headers={"Sec-Fetch-Site": site}).status_code == 403
    assert client.get(address, headers={"Sec-Fetch-Site": "same-origin"}).status_code != 403
    for method in ("POST", "PUT", "DELETE"):
        assert client.request(method, address).status_code == 405
    assert client.get(f"/tape/deck/{'x' * 32}/{path}").status_code == 404
    assert client.get(address).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["card/zz", "raw/zz", "raw/m0.9", "text/m0", "changes/zz", "image/zz"])
def test_what_is_not_there_is_not_found(get: Get, path: str) -> None:
    assert get(path).status_code == 404


def test_the_files_of_the_view_have_an_address_of_their_content(client: TestClient) -> None:
    answered = client.get(f"/tape/assets/{assets.build()}/main.js")
    assert answered.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answered.headers["cache-control"]
    assert client.get("/tape/assets/0000/main.js").status_code == 404
    assert client.get(f"/tape/assets/{assets.build()}/payload.py").status_code == 404
    assert client.get(f"/tape/assets/{assets.build()}/..%2Fdeck.py").status_code == 404


def test_routes_stand_behind_the_base_url_path(open_deck: Deck) -> None:
    client = TestClient(Starlette(routes=routes("/inner/path/")))
    assert client.get(f"/inner/path/tape/deck/{open_deck.token}/index").status_code == 200
    assert client.get(f"/tape/deck/{open_deck.token}/index").status_code == 404


def test_the_outline_and_the_files(client: TestClient) -> None:
    deck = Deck(
        session(user("go"), assistant(call("a", "Read", {"path": "x\u202e.py"})), user(answer("a", "1")))
    )
    root = f"/tape/deck/{deck.token}"
    assert client.get(f"{root}/outline").json()["turns"] == [["m1", "", ["m0", "go"], None]]
    found = client.get(f"{root}/files").json()
    assert (found["of"], found["all"]) == (1, True)
    ((path, places),) = found["files"]
    assert "\u202e" not in path
    assert places == [["m1", 0]]

"""Codes, desks and the presenter's second window: bounded, apart from one another, and never guessed."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from components.classroom import DESKS, LETTERS, Codes, Desks
from components.lectern import Lectern, guesses_of, shown
from components.presenter import noted, presenter_routes
from tape.errors import UserError
from tape.lessons import lesson
from tape.lessons.handout import answer_to, handout
from tape.lessons.reading import read
from tests.lessons.test_reading import SMALL


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(Starlette(routes=presenter_routes("")), "http://localhost") as found:
        yield found


@pytest.fixture
def lectern() -> Lectern:
    return Lectern(lesson("D"), DESKS.new())


def test_a_code_has_four_letters_and_starts_its_lesson() -> None:
    codes = Codes()
    code = codes.give(lesson("A"))
    assert len(code) == 4
    assert set(code) <= set(LETTERS)
    assert codes.lesson(f" {code.lower()} ") is lesson("A")
    with pytest.raises(UserError, match="No lesson has this code"):
        codes.lesson("IIII")


def test_old_codes_are_forgotten_once_there_are_too_many() -> None:
    codes = Codes(most=3)
    given = [codes.give(lesson("A")) for _ in range(5)]
    assert [codes.lesson(code) for code in given[2:]] == [lesson("A")] * 3
    for code in given[:2]:
        with pytest.raises(UserError):
            codes.lesson(code)


def test_desks_are_bounded_and_hold_no_page_alive() -> None:
    desks = Desks(most=2)
    first, second, third = (desks.new() for _ in range(3))
    assert desks.find(first.token) is None
    assert desks.find(third.token) is third
    lectern = Lectern(lesson("A"), second)
    assert second.lectern is lectern
    del lectern
    gc.collect()
    assert second.lectern is None


def test_the_notes_follow_the_lesson(client: TestClient, lectern: Lectern) -> None:
    address = f"/tape/desk/{lectern.desk.token}/now"
    first = client.get(address).json()
    assert (first["step"], first["text"]) == (1, lectern.player.text)
    assert "last four characters" in first["notes"]
    assert first["spent"] is None
    lectern.player.play_to(4, done=False)
    second = client.get(address).json()
    assert (second["step"], second["kind"]) == (5, "predict")
    assert second["answer"].startswith("It refuses the whole array.")
    assert second["left"] < first["left"]


def test_nothing_of_the_presenter_is_in_what_the_class_sees(lectern: Lectern) -> None:
    while not lectern.player.at_end:
        step = lectern.player.step
        seen = str(shown(lectern, lectern.player.now.session))
        assert not step.notes or step.notes not in seen
        assert not step.board or step.board not in seen
        if lectern.player.waits and step.kind == "predict":
            assert "'answer': ''" in seen
            lectern.player.guess(0)
        else:
            lectern.player.forward()


def test_the_second_window_is_a_page_of_this_server_without_scripts_of_others(
    client: TestClient, lectern: Lectern
) -> None:
    page = client.get(f"/tape/desk/{lectern.desk.token}/notes")
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "Notes: Threading" in page.text
    assert lectern.lesson.steps[0].notes not in page.text


@pytest.mark.parametrize("path", ["notes", "now", "handout"])
def test_a_desk_that_nobody_has_is_not_found(path: str, client: TestClient) -> None:
    assert client.get(f"/tape/desk/none/{path}").status_code == 404


@pytest.mark.parametrize("path", ["notes", "now", "handout"])
def test_another_site_is_told_nothing(path: str, client: TestClient, lectern: Lectern) -> None:
    address = f"/tape/desk/{lectern.desk.token}/{path}"
    assert client.get(address).status_code == 200
    assert client.get(address, headers={"sec-fetch-site": "cross-site"}).status_code == 404
    assert client.get(address, headers={"sec-fetch-site": "same-site"}).status_code == 404


def test_a_page_that_comes_back_with_its_token_is_followed_again(
    client: TestClient, lectern: Lectern
) -> None:
    token = lectern.desk.token
    again = Lectern(lesson("D"), DESKS.new())
    again.player.play_to(2)
    again.sit_down(DESKS.find(token))
    assert client.get(f"/tape/desk/{token}/now").json()["step"] == 3
    again.sit_down(DESKS.find("no such"))
    assert again.desk.token == token


def test_the_handout_has_the_questions_and_the_answers_behind_them(
    client: TestClient, lectern: Lectern
) -> None:
    page = client.get(f"/tape/desk/{lectern.desk.token}/handout").text
    steps, answers = page.split('<section class="answers">')
    assert "One of two results is missing" in steps
    assert "thread a" in steps
    assert steps.count("What happened?") == 3
    assert "One missing result spoils the round" not in steps
    assert "It refuses the whole array. One missing result spoils the round" in answers
    assert "<script" not in page


def test_hostile_words_of_a_lesson_stay_words_on_paper() -> None:
    hostile = "</style><script>alert(1)</script>\u202e"
    text = SMALL.replace("Look.", repr(hostile).replace("'", '"')).replace("One call", "A <b>")
    page = handout(read(text, "hostile"))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "<U+202E>".replace("<", "&lt;").replace(">", "&gt;") in page
    assert "A &lt;b&gt;" in page


def test_the_answer_is_foreseen_by_playing_on() -> None:
    assert answer_to(lesson("D"), 4).startswith("It refuses the whole array.")
    assert answer_to(lesson("D"), 11).startswith("It is accepted, and the answer is mixed up.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5.1_12.0", {4: 1.0, 11: 0.0}),
        ("6.3400.5", {5: 3400.5}),
        ("6.-3", {5: -3.0}),
        ("", {}),
        ("x_5_.._0.1_9.1e99_7.nan", {}),
        ("5.1_" * 500, {4: 1.0}),
    ],
)
def test_an_address_holds_the_predictions(text: str, expected: dict[int, float]) -> None:
    assert guesses_of(text) == expected


def test_a_place_in_an_address_is_read_back(lectern: Lectern) -> None:
    lectern.player.play_to(4, done=False)
    lectern.player.guess(1)
    place = lectern.place()
    assert place == {"lesson": "threading", "step": "5", "said": "5.1"}
    assert guesses_of(place["said"]) == dict(lectern.player.now.guesses)
    lectern.player.forward()
    assert lectern.place() == {"lesson": "threading", "step": "6", "wait": "1", "said": "5.1"}


def test_the_presenter_sees_how_late_it_is(lectern: Lectern) -> None:
    assert noted(lectern)["over"] is None
    lectern.player.play_to(2)
    lectern.desk.begun = 0.0
    late = noted(lectern)
    assert late["over"] == pytest.approx(late["spent"] - 2)

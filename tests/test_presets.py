"""Known servers as data, known models without a key, and whether a target answers."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date

import pytest

from tape.client import Connection, claude_api, custom, embedded, try_connection
from tape.endpoint.app import create_app
from tape.presets import as_of, known_models, presets
from tests.corpus import REPOSITORY
from tests.loopback import HoldingServer, RawServer, response, serving
from tests.test_client import KEY, errors


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_every_preset_is_a_base_url_with_a_dated_source(preset: object) -> None:
    assert custom(preset.base_url).base_url == preset.base_url  # type: ignore[attr-defined]
    assert re.search(r"\w+\.\w+/.*read 20\d\d-\d\d", preset.source)  # type: ignore[attr-defined]
    assert preset.key in ("none", "optional", "needed")  # type: ignore[attr-defined]


def test_the_servers_that_people_ask_for_are_there() -> None:
    names = [preset.label for preset in presets()]
    assert names == ["Ollama", "llama.cpp", "vLLM", "LM Studio", "OpenRouter", "DeepSeek"]
    assert date.fromisoformat(as_of()) > date(2026, 1, 1)


def test_models_are_known_without_a_key_newest_first() -> None:
    found = known_models()
    assert found.index("claude-opus-5-5") < found.index("claude-opus-4-8") < found.index("claude-3-haiku")
    assert len(set(found)) == len(found)


def test_presets_do_not_load_the_sdk() -> None:
    program = (
        "import sys, tape.presets as p; p.presets(); p.known_models(); print('anthropic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_a_server_that_lists_models_answers() -> None:
    with serving(create_app(pace=0)) as url:
        found = try_connection(custom(url))
    assert found == Connection(True, ("tapedeck-scripted",), "The server answers and lists 1 model.")
    assert try_connection(embedded()).ok


def test_a_server_without_a_list_is_there_all_the_same() -> None:
    with RawServer(errors(404, "not_found_error", "no")).running() as url:
        found = try_connection(custom(url))
    assert (found.ok, found.models) == (True, ())
    assert "enter the model's name" in found.sentence


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (
            errors(401, "authentication_error", f"bad {KEY}"),
            "does not accept the key (401). It says: bad [key].",
        ),
        (response(200, b"<html>hello</html>", kind="text/html"), "."),
        (response(200, b'{"data": null}'), "."),
        (response(200, b'{"data": [{"id": 3}, "x"]}'), "."),
        (b"", "Nothing answers at"),
    ],
)
def test_what_is_no_list_never_raises(raw: bytes, said: str) -> None:
    with RawServer(raw).running() as url:
        found = try_connection(custom(url, KEY))
    assert said in found.sentence
    assert KEY not in repr(found)


def test_a_silent_server_is_not_waited_for_long() -> None:
    with HoldingServer().running() as url:
        found = try_connection(custom(url), seconds=0.3)
    assert (found.ok, found.sentence.partition(".")[0]) == (False, "The endpoint did not answer in time")


def test_a_target_never_shows_its_key() -> None:
    for target in (claude_api(KEY), custom("http://127.0.0.1:9", KEY)):
        assert KEY not in repr(target)
        assert KEY not in str(target)

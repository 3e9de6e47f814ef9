"""HTTP beside the page: the files of the tape view, and the open session that a token names, to read only.

Everything is GET and answers only the page itself: another site is refused by ``Sec-Fetch-Site``, which
browsers send (for a program that does not, the unguessable token is the guard), a token that names nothing
is not found, and the browser stores nothing but the files of the view, whose address
changes with their content. What an answer holds is decided in ``components.tape_view``.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import Callable, Sequence
from itertools import islice

import orjson
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from components import deck
from components.deck import GROWTH_BYTES, Deck
from components.live_run import NOTHING, live_of
from components.presenter import presenter_routes
from components.tape_view import assets, payload
from components.tape_view.index import LISTS, index
from components.tape_view.lookup import editable, find_block, find_message, markdown, words
from components.tape_view.outlining import MOST, outline
from components.tape_view.patches import difference
from components.tape_view.searching import Query, search
from components.tape_view.terminal import plain
from tape.counting import Counter
from tape.edits.compare import compare
from tape.model import Image, Json, Message, Session
from tape.secrets import revealing
from tape.touched import touched
from tape.visible import json_escaped, one_line
from tape.wire import block_json, message_json

WINDOW = 200
FULL = 100_000
PART = 200_000
COMPARED = 2_000
FILES = 300
TICK = 0.05
LONGEST_WAIT = 5.0
"""Seconds: how often a run is looked at for a reader, and how long the reader waits for news."""
SEALED = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
Answer = Callable[[Deck, Request], Response]


def routes(base: str = "") -> list[BaseRoute]:
    """The routes for ``st.App``. ``base`` is the server's base URL path (``server.baseUrlPath``), which
    Streamlit does not put in front of routes that are not its own."""
    root = f"{assets.prefix(base)}/deck/{{token}}"
    answers: dict[str, Answer] = {
        "index": _index,
        "cards": _cards,
        "card/{uid}": _card,
        "raw/{uid}": _raw,
        "text/{uid}": _text,
        "changes/{uid}": _changes,
        "asides/{uid}": _asides,
        "lanes/{number:int}": _lane,
        "branches/{number:int}": _branch,
        "image/{uid}": _image,
        "search": _search,
        "outline": _outline_of_turns,
        "files": _files,
        "live": _live,
    }
    return [
        Route(f"{assets.prefix(base)}/assets/{{build}}/{{name}}", _asset, methods=["GET"]),
        *(
            Route(f"{root}/{path}", _for_the_page(answer), methods=["GET"])
            for path, answer in answers.items()
        ),
        Route(f"{root}/run", _run, methods=["GET"]),
        *presenter_routes(base),
    ]


def _from_elsewhere(request: Request) -> bool:
    return request.headers.get("sec-fetch-site", "same-origin") != "same-origin"


def _refuse(status: int, text: str) -> Response:
    return PlainTextResponse(text, status, SEALED)


def _json(value: Json) -> Response:
    try:
        content = orjson.dumps(value)
    except orjson.JSONEncodeError:
        # A lone surrogate, which only JSON's own escapes can carry.
        content = json.dumps(value).encode()
    return Response(content, media_type="application/json", headers=SEALED)


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    content = assets.files().get(name)
    if content is None or request.path_params["build"] != assets.build():
        return _refuse(404, "There is no such file.")
    kind = assets.TYPES[f".{name.rpartition('.')[2]}"]
    lasting = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
    return Response(content, media_type=kind, headers=lasting)


def _for_the_page(answer: Answer) -> Callable[[Request], Response]:
    def respond(request: Request) -> Response:
        if _from_elsewhere(request):
            return _refuse(403, "Only the page itself may read this.")
        found = deck.find(request.path_params["token"])
        if found is None:
            return _refuse(404, "No open session has this token.")
        with revealing(found.reveals):
            return answer(found, request)

    return respond


async def _run(request: Request) -> Response:
    """What the run of a deck does, once that is another version than ``v`` or nothing came for a while."""
    if _from_elsewhere(request):
        return _refuse(403, "Only the page itself may read this.")
    found = deck.find(request.path_params["token"])
    if found is None:
        return _refuse(404, "No open session has this token.")
    live = live_of(found)
    if live is None:
        return _json(dict(NOTHING))
    for _ in range(round(LONGEST_WAIT / TICK)):
        await asyncio.sleep(TICK)
        if not live.active or str(live.version) != request.query_params.get("v"):
            break
    with revealing(found.reveals):
        return _json(live.read(_number(request, "call", 0, 10**9), _number(request, "seen", 0, 10**9)))


def _asked(found: Deck, request: Request) -> Session:
    """The session of now, or the one that was opened where ``of=original`` is asked for."""
    return found.opened if request.query_params.get("of") == "original" else found.session


def _number(request: Request, name: str, default: int, most: int) -> int:
    text = request.query_params.get(name, "")
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 12 else default


def _index(found: Deck, request: Request) -> Response:
    number, _, lists = found.version
    if request.query_params.get("of") == "original":
        lists = index(found.opened, found.opened)
    return _json({"v": number, "head": lists.head, **{name: getattr(lists, name) for name in LISTS}})


def _cards(found: Deck, request: Request) -> Response:
    number = found.version.number
    session = _asked(found, request)
    counter = Counter(session.model)
    start = _number(request, "from", 0, len(session.messages))
    end = start + _number(request, "n", 64, WINDOW)
    return _json(
        {"v": number, "cards": [payload.card(entry, counter) for entry in session.messages[start:end]]}
    )


def _card(found: Deck, request: Request) -> Response:
    session, uid = _asked(found, request), request.path_params["uid"]
    cut = _number(request, "cut", FULL, FULL)
    if uid == "system":
        return _json(payload.head_card(session, cut=cut))
    entry = find_message(session, uid)
    if entry is None:
        return _refuse(404, "There is no such message.")
    return _json(
        payload.card(
            entry, Counter(session.model), cut=cut, strips=_number(request, "strips", payload.STRIPS, 5_000)
        )
    )


def _raw(found: Deck, request: Request) -> Response:
    """A message, block or the system prompt to edit and to copy: its Anthropic ``json`` as a text, which
    keeps every number as it is, its ``text`` where it can be edited as one, else null, all its ``words``,
    and of a message its ``markdown``."""
    session, uid = _asked(found, request), request.path_params["uid"]
    if uid == "system":
        system = session.system
        text = system if isinstance(system, str) else "" if system is None else None
        return _json({"json": _written(system), "text": text})
    entry = find_message(session, uid)
    if entry is not None:
        spoken = "\n\n".join(filter(None, map(words, entry.blocks)))
        written = _written(message_json(entry))
        return _json({"json": written, "text": None, "words": spoken, "markdown": markdown(entry)})
    block = find_block(session, uid)
    if block is None:
        return _refuse(404, "There is no such message or block.")
    return _json({"json": _written(block_json(block)), "text": editable(block), "words": words(block)})


def _written(value: Json) -> str:
    return json_escaped(json.dumps(value, ensure_ascii=False, indent=2))


def _text(found: Deck, request: Request) -> Response:
    """A part of the words of a block, for bodies that are too long to show at once."""
    block = find_block(_asked(found, request), request.path_params["uid"])
    if block is None:
        return _refuse(404, "There is no such block.")
    text = words(block)
    start = _number(request, "from", 0, len(text))
    part = text[start : start + PART]
    return _json({"text": plain(part), "next": start + len(part), "chars": len(text)})


def _changes(found: Deck, request: Request) -> Response:
    """How a message differs from its original, block by block."""
    uid = request.path_params["uid"]
    old, new = (find_message(session, uid) for session in (found.opened, found.session))
    if old is None or new is None:
        return _refuse(404, "There is no such message in both.")
    blocks = [
        {"name": block.name, "state": block.state, "lines": difference(block.lines[:COMPARED])}
        for block in compare(old, new).blocks
        if block.state != "same"
    ]
    return _json({"blocks": blocks})


def _asides(found: Deck, request: Request) -> Response:
    session, uid = _asked(found, request), request.path_params["uid"]
    after = None if uid == "start" else uid
    here = [aside for aside in session.asides if aside.after == after]
    return _json(
        {
            "more": max(0, len(here) - WINDOW),
            "asides": [
                [one_line(aside.kind), one_line(aside.text[:400]), aside.injected] for aside in here[:WINDOW]
            ],
        }
    )


def _lane(found: Deck, request: Request) -> Response:
    lanes, number = _asked(found, request).lanes, request.path_params["number"]
    return _outline(lanes[number].session.messages if number < len(lanes) else None)


def _branch(found: Deck, request: Request) -> Response:
    branches, number = _asked(found, request).branches, request.path_params["number"]
    return _outline(branches[number].messages if number < len(branches) else None)


def _outline(messages: Sequence[Message] | None) -> Response:
    if messages is None:
        return _refuse(404, "There is no such lane or branch.")
    return _json({"lines": payload.outline(messages[:WINDOW]), "more": max(0, len(messages) - WINDOW)})


def _search(found: Deck, request: Request) -> Response:
    asked = request.query_params
    query = Query(
        asked.get("q", "")[:400],
        case=asked.get("case") == "1",
        word=asked.get("word") == "1",
        regex=asked.get("regex") == "1",
        start=_number(request, "from", 0, 10**9),
    )
    return _json(search(_asked(found, request), query).json())


def _outline_of_turns(found: Deck, request: Request) -> Response:
    start = _number(request, "from", 0, 10**9)
    return _json(outline(_asked(found, request), start, _number(request, "n", 100, MOST)))


def _files(found: Deck, request: Request) -> Response:
    """The files that calls name, the most often named first: ``[path, [[uid of the message, block] …]]``."""
    known = touched(_asked(found, request))
    files = [[one_line(path), places] for path, places in islice(known.files.items(), FILES)]
    return _json({"files": files, "of": len(known.files), "all": known.seen == known.messages})


def _live(found: Deck, request: Request) -> Response:
    """What came to a file that is followed: the version of now and the patches since ``v``. ``look=0`` only
    says whether the file can be followed, and whether it was written to just now."""
    following = found.following
    if following is None:
        return _json({"can": False})
    if request.query_params.get("look") != "0":
        following.look(found)
    seen = _number(request, "v", 0, 10**9)
    return _json(
        {
            "can": True,
            "fresh": following.fresh,
            "stopped": following.stopped,
            "v": found.version.number,
            "patches": [patch for patch in found.patches(GROWTH_BYTES) if patch[0] > seen],
        }
    )


def _image(found: Deck, request: Request) -> Response:
    """The bytes of an embedded picture; only what its first bytes show to be png, jpeg, gif or webp."""
    block = find_block(_asked(found, request), request.path_params["uid"])
    if not isinstance(block, Image) or not block.data:
        return _refuse(404, "There is no such picture.")
    try:
        content = base64.b64decode("".join(block.data.split()), validate=True)
    except (binascii.Error, ValueError):
        return _refuse(415, "The picture's base64 is broken.")
    kind = next((name for start, name in SIGNATURES.items() if content.startswith(start)), None)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is None:
        return _refuse(415, "Only png, jpeg, gif and webp are shown.")
    return Response(content, media_type=kind, headers=SEALED)

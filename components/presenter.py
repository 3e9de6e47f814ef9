"""The presenter's second window and the handout: two pages over HTTP beside the lesson, to read only.

The window follows the lesson of one desk, under that desk's token, which cannot be guessed and stands in no
address of the projected page. The handout is built by ``tape.lessons.handout``.
"""

from __future__ import annotations

import html
import time
from typing import Any

import orjson
import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from components.classroom import DESKS
from components.lectern import Lectern
from components.tape_view import assets
from tape.errors import UserError
from tape.lessons.handout import handout
from tape.lessons.model import Predict

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
NOTES = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'"
PAPER = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; sandbox allow-modals allow-popups"
GONE = "No lesson is given under this address any more. Open the notes again from the lesson."


def notes_path(token: str) -> str:
    """The address of a desk's second window, on this server."""
    return f"{_prefix()}/desk/{token}/notes"


def handout_path(token: str) -> str:
    """The address of the handout of a desk's lesson, on this server."""
    return f"{_prefix()}/desk/{token}/handout"


def presenter_routes(base: str) -> list[BaseRoute]:
    """The routes, for a server whose base URL path is ``base``."""
    root = f"{assets.prefix(base)}/desk/{{token}}"
    return [
        Route(f"{root}/notes", _notes, methods=["GET"]),
        Route(f"{root}/now", _now, methods=["GET"]),
        Route(f"{root}/handout", _handout, methods=["GET"]),
    ]


def _prefix() -> str:
    return assets.prefix(str(st.get_option("server.baseUrlPath") or ""))


def _found(request: Request) -> Lectern | None:
    """The lesson of the desk, for a page of this server or an address that a person typed."""
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return None
    desk = DESKS.find(request.path_params["token"])
    return desk.lectern if desk is not None else None


def _notes(request: Request) -> Response:
    lectern = _found(request)
    if lectern is None:
        return PlainTextResponse(GONE, 404, HEADERS)
    mine = f"{request.url.path.rpartition('/desk/')[0]}/assets/{assets.build()}"
    title = html.escape(f"Notes: {lectern.lesson.title}")
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width">'
        f'<link rel="stylesheet" href="{html.escape(mine)}/notes.css"></head>'
        f'<body><main></main><script type="module" src="{html.escape(mine)}/notes.js"></script></body></html>'
    )
    return Response(page, media_type="text/html", headers=HEADERS | {"Content-Security-Policy": NOTES})


def _now(request: Request) -> Response:
    lectern = _found(request)
    if lectern is None:
        return PlainTextResponse(GONE, 404, HEADERS)
    return Response(orjson.dumps(noted(lectern)), media_type="application/json", headers=HEADERS)


def _handout(request: Request) -> Response:
    lectern = _found(request)
    if lectern is None:
        return PlainTextResponse(GONE, 404, HEADERS)
    try:
        page = handout(lectern.lesson)
    except UserError as fault:
        return PlainTextResponse(fault.sentence, 409, HEADERS)
    return Response(page, media_type="text/html", headers=HEADERS | {"Content-Security-Policy": PAPER})


def noted(lectern: Lectern) -> dict[str, Any]:
    """What the presenter sees: the step with its notes, the answer, and the time.

    ``left`` is the minutes that the rest of the lesson takes by its own count, ``over`` the minutes that the
    presenter is behind it (negative: ahead), ``None`` before the lesson has begun.
    """
    player, lesson = lectern.player, lectern.lesson
    step, index = player.step, player.now.index
    following = lesson.steps[index + 1] if index + 1 < len(lesson.steps) else None
    begun = lectern.desk.begun
    spent = None if begun is None else (time.monotonic() - begun) / 60
    planned = lesson.left(0) - player.left
    return {
        "title": f"{lesson.block}: {lesson.title}" if lesson.block else lesson.title,
        "step": index + 1,
        "steps": len(lesson.steps),
        "kind": step.kind,
        "text": player.text,
        "notes": step.notes,
        "board": step.board,
        "answer": _answer(lectern),
        "question": lesson.question,
        "next": following.text or following.kind if following is not None else "",
        "minutes": step.minutes,
        "left": player.left,
        "spent": spent,
        "over": None if spent is None else spent - planned,
        "code": lectern.code,
    }


def _answer(lectern: Lectern) -> str:
    """The answer to the question of this step, or of the last one: what the lesson says is right."""
    player = lectern.player
    if player.step.kind == "reveal":
        verdict = player.verdict()
        return " ".join(filter(None, (verdict.right if verdict else "", player.answer)))
    return lectern.foreseen if isinstance(player.step.detail, Predict) else ""

"""What a person reads when a call gave no answer: what happened, and what to do next, in one line."""

from __future__ import annotations

SENTENCES = {
    400: "The endpoint refuses this request (400).",
    401: "The endpoint does not accept the key (401).",
    402: "The account has no credit left (402).",
    403: "The key may not do this (403).",
    404: "The endpoint knows no such model or address (404).",
    408: "The endpoint waited too long for the request (408).",
    413: "The request is larger than the endpoint takes (413).",
    429: "The endpoint asks to slow down (429).",
    529: "The endpoint is overloaded (529).",
}
WHAT_NEXT = {
    400: "Mend the array (see Problems), then send it again.",
    401: "Check the key and the base URL it belongs to.",
    402: "Add credit to the account, or use another endpoint.",
    403: "Use a key that may, or another model.",
    404: "Check the model's name and the base URL.",
    413: "Make the array shorter, for example by compacting it.",
}
CUT_OFF = "The connection was closed before the answer was complete. What had come is kept; try again."
LATER = "Nothing is lost; try again in a moment."


def fault_sentence(status: int | None, kind: str, message: str, base_url: str, wait: float | None) -> str:
    """What happened, in the endpoint's words where it has some, and what to do next.

    ``status`` is that of HTTP (``None`` without a response, 200 inside of a stream), ``kind`` the endpoint's
    error type or ``timeout`` or ``connection``, ``wait`` the seconds that it asks to wait.
    """
    if kind == "timeout":
        return f"The endpoint did not answer in time. {LATER}"
    if kind == "connection":
        cut = f"Nothing answers at {base_url}, or the connection was cut."
        return f"{cut} Check the address and that the server runs, then try again."
    if status is None:
        return "The endpoint answered with something that is no message. Check that it speaks /v1/messages."
    if status == 200:
        said = "The endpoint broke the answer off with an error."
    elif 300 <= status < 400:
        said = f"The endpoint redirects to another address ({status})."
    else:
        said = SENTENCES.get(status) or f"The endpoint failed ({status})."
    if message:
        said += f" It says: {message}" if message[-1] in ".!?" else f" It says: {message}."
    if wait is not None:
        return f"{said} It asks to wait {wait:g} seconds; nothing is lost."
    if 300 <= status < 400:
        return f"{said} Give that one as base URL."
    return f"{said} {WHAT_NEXT.get(status, LATER)}"

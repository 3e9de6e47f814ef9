"""What a run is doing at this moment, for the browser to read many times a second beside the page.

The worker of a run tells it every event; routes read it from other threads. It holds only what is not in the
session yet: the answer that streams, the tools that work, the call that waits for a person. What is in the
session comes to the page through the deck (``components.running``).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from decimal import Decimal
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tape.assembly import InputPiece, Opened, Piece, TextPiece, ThinkingPiece
from tape.model import Json, ToolUse, Usage, json_text
from tape.pricing import price
from tape.run_events import (
    Ended,
    Event,
    MessageComplete,
    NeedsResult,
    RequestSent,
    ResultsAppended,
    Streamed,
    ToolFinished,
    ToolStarted,
)
from tape.visible import one_line, visible

if TYPE_CHECKING:
    from components.deck import Deck

NUMBERS = itertools.count(1)
INPUT_SHOWN = 20_000
CHARS_A_TOKEN = 4


class Live:
    """The present moment of one run. ``billed`` says whether its endpoint costs money."""

    def __init__(self, billed: bool) -> None:
        self.number = next(NUMBERS)
        self.version = 0
        self.active = True
        self.waiting: ToolUse | None = None
        self._billed = billed
        self._lock = Lock()
        self._begun = time.monotonic()
        self._call = 0
        self._phase = "The run begins."
        self._grown = 0
        self._answer_at = -1
        self._pieces: list[list[Any]] = []
        self._tools_at = -1
        self._tools: dict[str, list[str]] = {}
        self._left = (0, 1)
        self._tokens = 0
        self._arriving = 0
        self._usd: Decimal | None = Decimal(0)
        self._model: str | None = None

    def take(self, event: Event) -> None:
        """Takes in what has happened; called by the run's worker."""
        with self._lock:
            self._take(event)
            self.version += 1

    def end(self) -> None:
        """The run is over, whatever was its last event."""
        with self._lock:
            self.active, self.waiting = False, None
            self.version += 1

    def given(self, uid: str) -> bool:
        """Whether the call of that uid waits for its result; it does no longer once this was asked."""
        with self._lock:
            if self.waiting is None or self.waiting.uid != uid:
                return False
            self.waiting = None
            self.version += 1
            return True

    def read(self, call: int, seen: int) -> Json:
        """The moment as JSON. ``pieces`` of the answer are those behind the first ``seen``, where the reader
        has seen this very ``call``, else all."""
        with self._lock:
            start = min(seen, len(self._pieces)) if call == self._call else 0
            return {
                "run": self.number,
                "v": self.version,
                "active": self.active,
                "call": self._call,
                "grown": self._grown,
                "phase": self._phase,
                "progress": self._progress(),
                "answer": {"at": self._answer_at, "from": start, "pieces": self._pieces[start:]},
                "tools": {"at": self._tools_at, "list": list(self._tools.values())},
                "waiting": self._asked(),
            }

    def _take(self, event: Event) -> None:
        match event:
            case RequestSent():
                self._call, self._pieces, self._tools = event.call, [], {}
                self._answer_at = len(event.session.messages)
                self._phase = f"{_count(event.messages, 'message')} sent; waiting for the first word."
                self._model = event.session.model
            case Streamed():
                self._stream(event.piece)
            case MessageComplete():
                self._count_in(event.usage)
                self._phase = "The answer is complete."
            case ToolStarted():
                self._tools_at = len(event.session.messages)
                self._tools[event.call.uid] = [event.call.uid, one_line(event.call.name), "works", ""]
                self._phase = _count(len(self._tools), "call") + " carried out."
            case ToolFinished():
                state = "error" if event.outcome.is_error else "done"
                note = one_line(event.outcome.note)
                self._tools[event.call.uid] = [event.call.uid, one_line(event.call.name), state, note]
            case NeedsResult():
                self.waiting, self._left = event.call, (event.done, event.of)
                self._tools[event.call.uid] = [event.call.uid, one_line(event.call.name), "asks", ""]
                self._phase = "The run waits for you: you are the harness."
            case ResultsAppended():
                self._phase = "The results are appended; the next call follows."
            case Ended():
                self.active, self.waiting = False, None
        if isinstance(event, MessageComplete | ResultsAppended | Ended):
            self._grown += 1

    def _stream(self, piece: Piece) -> None:
        match piece:
            case Opened():
                self._model = piece.model or self._model
                return
            case TextPiece():
                self._put("text", piece.index, "", piece.text)
                self._phase = "The answer arrives."
            case ThinkingPiece():
                self._put("thinking", piece.index, "", piece.text)
                self._phase = "The model thinks."
            case InputPiece():
                self._put("call", piece.index, one_line(piece.name), piece.text)
                self._phase = f"The model asks for {one_line(piece.name)}."
        self._arriving += len(piece.text)

    def _put(self, kind: str, index: int, name: str, text: str) -> None:
        self._pieces.append([kind, index, name, visible(text)])

    def _count_in(self, usage: Usage | None) -> None:
        self._arriving = 0
        if usage is None:
            self._usd = None
            return
        self._tokens += (usage.prompt or 0) + (usage.output or 0)
        if self._billed and self._usd is not None:
            usd = price(usage, self._model)
            self._usd = None if usd is None else self._usd + usd

    def _progress(self) -> str:
        """``Turn 2 · 1,204 tokens so far · no cost · 3 s``."""
        about = self._arriving // CHARS_A_TOKEN
        tokens = f"{'≈ ' if about else ''}{self._tokens + about:,} tokens so far"
        cost = "no cost" if not self._billed else "cost unknown" if self._usd is None else f"${self._usd:.4f}"
        seconds = time.monotonic() - self._begun
        return f"Turn {max(1, self._call)} · {tokens} · {cost} · {seconds:.0f} s"

    def _asked(self) -> Json:
        call = self.waiting
        if call is None:
            return None
        done, of = self._left
        shown = visible(json_text(call.input))
        return {
            "uid": call.uid,
            "name": one_line(call.name),
            "input": shown[:INPUT_SHOWN],
            "cut": max(0, len(shown) - INPUT_SHOWN),
            "done": done,
            "of": of,
        }


def live_of(deck: Deck) -> Live | None:
    """The run that was started last on a deck."""
    return _LIVE.get(deck)


def watch(deck: Deck, live: Live) -> None:
    """Makes a run the one that readers of the deck see."""
    _LIVE[deck] = live


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


_LIVE: WeakKeyDictionary[Deck, Live] = WeakKeyDictionary()
NOTHING: Mapping[str, Json] = {"run": 0, "v": 0, "active": False}

"""What the session on the page used, worked out once for each version of it."""

from __future__ import annotations

import tape
from components.state import Page
from tape.turns import Turn
from tape.usage import SessionUsage, usage


def turns_of(page: Page) -> tuple[Turn, ...]:
    """The turns of the session as it is now."""
    found: tuple[Turn, ...] = page.once_a_version("turns", lambda: tape.turns(page.session))
    return found


def usage_of(page: Page) -> SessionUsage:
    """What the calls of the session used, as it is now: recorded, counted in the background, or estimated."""
    counted = page.counted.of(page.session)
    found: SessionUsage = page.once_a_version(
        "usage", lambda: usage(page.session, counted), counted is not None
    )
    return found


def turn_at(page: Page) -> int | None:
    """The turn (from 1) that the tape is at: of the message under the stepper, else of the selected one."""
    uid = page.stepped or page.selected
    if uid is None:
        return None
    cut = turns_of(page)
    owner = uid.partition(".")[0]
    place: int | None = page.once_a_version("places", lambda: _places(page)).get(owner)
    if place is None or not cut:
        return None
    return next((turn.index for turn in cut if place < turn.next), cut[-1].index)


def _places(page: Page) -> dict[str, int]:
    return {entry.uid: i for i, entry in enumerate(page.session.messages)}

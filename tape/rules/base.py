"""What a rule and a finding are. The rules themselves stand one family a file beside this one.

A rule says what an endpoint would refuse and why; it never changes a session (``tape.repairs`` makes
operations from findings) and never matches on a vendor's wording, which is shown as "last seen" only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from tape.model import EMPTY, Session

if TYPE_CHECKING:
    from tape.repairs import Repair
    from tape.rules.view import View

Severity: TypeAlias = Literal["refused", "risky", "hint"]
RANK: Mapping[Severity, int] = {"refused": 0, "risky": 1, "hint": 2}
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """A vendor's words for a refusal, with ``{names}`` where it puts places and ids.

    ``mark`` says how sure it is: ``V`` is in the vendor's current documentation, code or a dated probe, ``W``
    was quoted by several independent users, ``O`` belongs to an older API state. ``last_seen`` is the month
    of the source, or of the collection of these texts (2026-11) where the source has no date.
    """

    text: str
    last_seen: str
    mark: Literal["V", "W", "O"]
    source: str

    def fill(self, values: Mapping[str, object]) -> str:
        """The text with its names replaced; braces of a pattern that is quoted stay."""
        text = self.text
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", short(str(value)))
        return text


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing an endpoint refuses (``refused``), accepts at a cost (``risky``), or that is good to know.

    ``uids`` are the blocks or messages it is about, a call before its result. ``where`` is the place in the
    array as it stands. ``text`` says what is wrong, ``why`` what the model needs it for. ``vendor_text`` is
    what the API answers, ``last_seen`` the month somebody last read that; both ``None`` where nobody wrote
    it down. ``verified`` tells "is refused" (documented or probed) from "was seen refused".
    """

    code: str
    severity: Severity
    endpoint: str
    uids: tuple[str, ...]
    where: str
    text: str
    why: str
    vendor_text: str | None = None
    last_seen: str | None = None
    verified: bool = True
    order: tuple[int, int, int] = field(default=(0, 0, 0), repr=False, compare=False)
    session: Session | None = field(default=None, repr=False, compare=False)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Operations that remove this finding, safe ones first; none where only a person can decide."""
        from tape.repairs import repairs

        return repairs(self.session, self) if self.session is not None else ()


class Rule(ABC):
    """A rule: stateless, one a class, documented by its attributes (``tape.rules.docs`` prints them).

    ``on`` maps each endpoint it applies to to the usual severity there, ``seen`` to the vendor's words.
    ``stage`` orders findings as an endpoint meets them: it parses the whole request (0), looks at the array's
    form (1), its order (2), its pairs (3), its thinking (4) and then at its limits (5). ``example`` is a
    request body that the rule finds something in (for the first endpoint of ``on``).
    """

    code: ClassVar[str]
    title: ClassVar[str]
    why: ClassVar[str]
    repair: ClassVar[str] = ""
    stage: ClassVar[int]
    on: ClassVar[Mapping[str, Severity]]
    seen: ClassVar[Mapping[str, Seen]] = EMPTY
    example: ClassVar[str]

    @abstractmethod
    def check(self, view: View) -> Iterator[Finding]:
        """Every place of the array where the rule is broken."""

    def find(
        self,
        view: View,
        at: tuple[int, int] | int,
        text: str,
        *,
        uids: tuple[str, ...] | None = None,
        where: str | None = None,
        severity: Severity | None = None,
        seen: Seen | str | None = None,
        **values: object,
    ) -> Finding:
        """A finding at a message index, or at a message and block index.

        ``uids`` and ``where`` follow from the place unless they are given. ``seen`` names another entry of
        the rule's vendor texts than the endpoint's, or none; ``values`` fill it in.
        """
        i, j = at if isinstance(at, tuple) else (at, -1)
        words = seen if isinstance(seen, Seen) else self.seen.get(seen or view.endpoint)
        return Finding(
            code=self.code,
            severity=severity or self.on[view.endpoint],
            endpoint=view.endpoint,
            uids=uids if uids is not None else (view.uid(i, j),),
            where=where or place(i, j),
            text=text,
            why=self.why,
            vendor_text=words.fill({"i": i, "j": j, **values}) if words else None,
            last_seen=words.last_seen if words else None,
            verified=words is None or words.mark == "V",
            order=(self.stage, i, j),
            session=view.session,
        )


def at(*, refused: str = "", risky: str = "", hint: str = "") -> Mapping[str, Severity]:
    """What ``Rule.on`` says, from the endpoints' names with blanks between them."""
    found: dict[str, Severity] = dict.fromkeys(refused.split(), "refused")
    found |= dict.fromkeys(risky.split(), "risky")
    found |= dict.fromkeys(hint.split(), "hint")
    return MappingProxyType(found)


def quoting(**seen: Seen) -> Mapping[str, Seen]:
    """What ``Rule.seen`` says; an underscore stands for a dash, and ``strict`` speaks like ``anthropic``."""
    found = {name.replace("_", "-"): words for name, words in seen.items()}
    if "anthropic" in found:
        found.setdefault("strict", found["anthropic"])
    return MappingProxyType(found)


def place(i: int, j: int = -1) -> str:
    """A position as people read it: ``messages[3]`` or ``messages[3].content[1]``."""
    return f"messages[{i}]" if j < 0 else f"messages[{i}].content[{j}]"


def short(text: str) -> str:
    """An id or name of a transcript, cut so that a hostile one stays readable."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

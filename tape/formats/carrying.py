"""A session made ready for another provider's form: what all writers have to do before they write a word.

Ids and names become ones that the target takes, what it has no form for is left out and said, neighbors are
joined where it wants roles to alternate. How the target writes a block is in one file a format. Results are
never made up, and nothing but what ``Target`` asks for changes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from tape.foreign import unique_ids
from tape.losses import Losses
from tape.model import (
    Block,
    Document,
    Image,
    Json,
    Message,
    Other,
    Role,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolSpec,
    ToolUse,
)

NO_FORM: Final = "Content that has no form here was left out."
MARKS: Final = "Cache marks were left out."
SERVED: Final = "A tool that ran on the provider's side was left out."
START: Final = "(The conversation starts here.)"


@dataclass(frozen=True, slots=True)
class Target:
    """What a form asks of an array.

    ``own`` are the formats whose blocks it takes as they are. ``mid_system`` says whether a system message
    may stand in the array, ``alternates`` whether neighbors of one role are joined, ``opens`` whether the
    user must begin, ``blank`` whether blank text is taken, ``served`` whether tools of the provider are.
    """

    own: tuple[str, ...] = ()
    name: re.Pattern[str] = re.compile(r"[a-zA-Z0-9_-]{1,64}")
    longest_name: int = 64
    longest_id: int = 64
    mid_system: bool = True
    alternates: bool = False
    opens: bool = False
    blank: bool = True
    served: bool = False


@dataclass(slots=True)
class Turn:
    """A message to be written: its role, its blocks each with its place in the source, and what it was."""

    role: Role
    blocks: list[tuple[Block, str]]
    entry: Message
    where: str

    @property
    def texts(self) -> list[str]:
        """The words of the message, thinking and results left out."""
        return [block.text for block, _ in self.blocks if isinstance(block, Text)]


@dataclass(slots=True)
class Carried:
    """A session ready to be written, and the losses so far."""

    session: Session
    native: bool
    system: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    tools: list[ToolSpec] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    losses: Losses = field(default_factory=Losses)


def carried(session: Session, target: Target) -> Carried:
    """The session as a target's form wants it. Never raises on data."""
    native = session.format in target.own
    done = Carried(session, native)
    called = [h.name or "" for m in session.messages for h in m.heads if h.kind == "tool_use"]
    declared = [tool.name for tool in session.tools or ()]
    done.names = _legal(dict.fromkeys((*declared, *called)), target)
    if any(old != new for old, new in done.names.items()):
        done.losses.lose("Names of tools were changed to what is allowed here.")
    for tool in session.tools or ():
        if native or own_tool(tool):
            done.tools.append(replace(tool, name=done.names[tool.name]))
        else:
            done.losses.lose("A tool that the provider runs was left out.", "tools")
    ids = {} if native else unique_ids(session, target.longest_id)
    marked = [b for b in session.system if isinstance(b, dict)] if isinstance(session.system, list) else []
    if any(block.get("cache_control") is not None for block in marked):
        done.losses.lose(MARKS, "system")
    lead = _lead(session, target)
    done.system = [*system_texts(session.system), *(text for entry in lead for text in _words(entry))]
    for i, entry in enumerate(session.messages[len(lead) :], len(lead)):
        turn = _turn(done, target, ids, entry, f"messages[{i}]")
        if not turn.blocks:
            done.losses.lose("A message without content was left out.", turn.where)
        else:
            done.turns.append(turn)
    if target.alternates:
        done.turns = _joined(done.turns)
    if target.opens and done.turns and done.turns[0].role == "assistant":
        done.losses.lose("A user message was put in front: the conversation must begin with one.")
        done.turns.insert(0, Turn("user", [(Text(text=START), "")], done.turns[0].entry, ""))
    return done


def own_tool(tool: ToolSpec) -> bool:
    """Whether a tool is the user's own: each provider has built-in ones that no other knows."""
    raw = tool.raw
    return not isinstance(raw, dict) or (raw.get("type") in (None, "custom", "function") and bool(tool.name))


def system_texts(system: Json) -> list[str]:
    """The texts of a system prompt, whether it is a string or blocks."""
    if isinstance(system, str):
        return [system]
    blocks = system if isinstance(system, list) else []
    return [b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str)]


def data_url(block: Image | Document, default: str) -> str:
    """The bytes of a picture or file as a ``data:`` URL; ``default`` is its media type if unknown."""
    return f"data:{block.media_type or default};base64,{block.data or ''}"


def said(turns: Iterable[Turn], kind: type[Block]) -> Iterator[Block]:
    """Every block of a kind."""
    return (block for turn in turns for block, _ in turn.blocks if isinstance(block, kind))


def _lead(session: Session, target: Target) -> tuple[Message, ...]:
    if target.mid_system:
        return ()
    first = next((i for i, m in enumerate(session.messages) if m.role != "system"), len(session.messages))
    return session.messages[:first]


def _words(entry: Message) -> Iterator[str]:
    return (block.text for block in entry.blocks if isinstance(block, Text) and block.text.strip())


def _legal(names: Iterable[str], target: Target) -> dict[str, str]:
    """A name that the target takes for each name, none twice; those that it takes stay."""
    given = list(names)
    made = {name: name for name in given if target.name.fullmatch(name)}
    used = set(made)
    for name in given:
        if name not in made:
            plain = re.sub(r"[^a-zA-Z0-9_-]+", "_", name)[: target.longest_name - 4] or "tool"
            plain = plain if target.name.fullmatch(plain) else f"_{plain}"
            free, number = plain, 2
            while free in used:
                free, number = f"{plain}_{number}", number + 1
            made[name] = free
            used.add(free)
    return made


def _turn(done: Carried, target: Target, ids: dict[str, str], entry: Message, where: str) -> Turn:
    role = entry.role
    if role == "system" and not target.mid_system:
        done.losses.lose("A system message in the middle became a user message.", where)
        role = "user"
    if "unknown_role" in entry.meta:
        done.losses.lose(f"A role that does not exist here became {role}.", where)
    turn = Turn(role, [], entry, where)
    for j, block in enumerate(entry.blocks):
        place = f"{where}.content[{j}]"
        kept = _block(done, target, ids, block, place)
        if kept is not None:
            turn.blocks.append((kept, place))
    turn.blocks.sort(key=lambda one: not isinstance(one[0], ToolResult) or one[0].server)
    return turn


def _block(done: Carried, target: Target, ids: dict[str, str], block: Block, where: str) -> Block | None:
    if block.extra.get("cache_control") is not None:
        done.losses.lose(MARKS, where)
    match block:
        case Text(text=text) if not (target.blank or text.strip()):
            done.losses.lose("Blank text was left out: it is not taken here.", where)
            return None
        case Text():
            if block.extra.keys() & {"citations"}:
                done.losses.lose("Citations were left out.", where)
            return block
        case ToolUse() | ToolResult() if block.server:
            if target.served and done.native:
                return block
            done.losses.lose(SERVED, where)
            return None
        case ToolUse():
            name = done.names[block.name]
            return replace(block, id=ids.get(block.uid, block.id), name=name)
        case ToolResult():
            return replace(block, tool_use_id=ids.get(block.uid, block.tool_use_id))
        case Image(source="missing"):
            done.losses.lose("An image that is not in the file was left out.", where)
            return None
        case Other() if not done.native:
            done.losses.lose(NO_FORM, where)
            return None
        case Thinking(text="", data=None) if not done.native:
            done.losses.lose("Thinking without words was left out.", where)
            return None
    return block


def _joined(turns: list[Turn]) -> list[Turn]:
    """Neighbors of one role as one message, results first: their order stays otherwise."""
    found: list[Turn] = []
    for turn in turns:
        if found and found[-1].role == turn.role:
            found[-1].blocks += turn.blocks
            found[-1].blocks.sort(key=lambda one: not isinstance(one[0], ToolResult) or one[0].server)
        else:
            found.append(replace(turn, blocks=list(turn.blocks)))
    return found

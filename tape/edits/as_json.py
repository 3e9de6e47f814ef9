"""Operations to JSON and back, with a plain sentence for whatever a person or a page wrote wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, get_args

from tape.edits.operations import (
    Append,
    Compact,
    Delete,
    FewShot,
    Fit,
    FoldSubagent,
    Fork,
    Insert,
    InsertBlock,
    Merge,
    Move,
    Operation,
    PrependMemory,
    Repair,
    Replace,
    SetSystem,
    SetTools,
    Spawn,
    Strategy,
    Switch,
    Target,
)
from tape.errors import UserError
from tape.model import Json

T = TypeVar("T")
_ABSENT: Final = object()


class _Fields:
    """The keys of one operation, taken one by one; what is left at the end is a mistake."""

    def __init__(self, value: dict[str, Json]) -> None:
        self.op = value["op"]
        self.rest = {k: v for k, v in value.items() if k != "op"}

    def wrong(self, key: str, wanted: str) -> UserError:
        return UserError(f'The key "{key}" of the operation "{self.op}" must be {wanted}.', where=key)

    def any(self, key: str, default: Json = _ABSENT) -> Json:
        value = self.rest.pop(key, default)
        if value is _ABSENT:
            raise UserError(f'The operation "{self.op}" needs the key "{key}".', where=key)
        return value

    def whole(self, key: str, default: Json = _ABSENT) -> int:
        value = self.any(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(key, "a whole number")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self.any(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def word(self, key: str, default: Json = _ABSENT) -> str:
        value = self.any(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "a string")
        return value

    def maybe(self, read: Callable[[str], T], key: str) -> T | None:
        """What ``read`` gives for the key, or ``None`` where it is absent or null."""
        return read(key) if self.rest.get(key) is not None else self.any(key, None)

    def maybe_target(self, key: str) -> Target | None:
        return self.maybe(self.target, key)

    def one_of(self, key: str, words: tuple[str, ...], default: str) -> Any:
        value = self.word(key, default)
        if value not in words:
            raise self.wrong(key, f"one of {', '.join(words)}")
        return value

    def entry(self, key: str) -> Json:
        value = self.any(key)
        if not isinstance(value, dict):
            raise self.wrong(key, "an object")
        return value

    def entries(self, key: str) -> tuple[Json, ...]:
        value = self.any(key)
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.wrong(key, "a list of objects")
        return tuple(value)

    def target(self, key: str) -> Target:
        return self._target(self.any(key), key)

    def targets(self, key: str = "targets") -> tuple[Target, ...]:
        """A list of targets; a single one may stand without its list, also under ``target``."""
        if key == "targets" and "targets" not in self.rest and "target" in self.rest:
            key = "target"
        value = self.any(key)
        listed = value if isinstance(value, list) else [value]
        return tuple(self._target(v, f"{key}[{i}]") for i, v in enumerate(listed))

    def _target(self, value: Json, key: str) -> Target:
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise self.wrong(key, 'a uid ("m3"), a position ("messages[3].content[1]") or a message number')

    def done(self) -> None:
        if self.rest:
            key = next(iter(self.rest))
            raise UserError(f'The operation "{self.op}" has no key "{key}".', where=key)


def _insert(fields: _Fields) -> Operation:
    if "into" in fields.rest:
        return InsertBlock(fields.target("into"), fields.whole("index"), fields.entry("block"))
    return Insert(fields.target("at"), fields.entry("message"))


def _move(fields: _Fields) -> Operation:
    return Move(fields.target("target"), fields.whole("to"), fields.maybe_target("into"))


def _set_system(fields: _Fields) -> Operation:
    system = fields.any("system")
    blocks = isinstance(system, list) and all(isinstance(b, dict) for b in system)
    if not (system is None or isinstance(system, str) or blocks):
        raise fields.wrong("system", "a string, a list of text blocks or null")
    return SetSystem(system)


def _set_tools(fields: _Fields) -> Operation:
    if fields.rest.get("tools", _ABSENT) is None:
        return SetTools(fields.any("tools"))
    return SetTools(fields.entries("tools"))


def _repair(fields: _Fields) -> Operation:
    targets = fields.targets() if fields.rest.keys() & {"target", "targets"} else ()
    return Repair(fields.word("code"), targets, fields.word("way", ""))


def _compact(fields: _Fields) -> Operation:
    first, last = (fields.maybe_target(key) for key in ("from", "to"))
    keep = fields.maybe(fields.whole, "keep_last")
    if keep is not None and (first is not None or last is not None):
        raise UserError('Give either "keep_last" or "from" and "to".', where="keep_last")
    return Compact(first, last, keep, fields.maybe(fields.word, "summary"))


def _fit(fields: _Fields) -> Operation:
    budget, keep = fields.maybe(fields.whole, "budget"), fields.maybe(fields.whole, "keep")
    strategy = fields.one_of("strategy", get_args(Strategy), "drop_oldest")
    return Fit(budget, strategy, keep)


def _fold_subagent(fields: _Fields) -> Operation:
    call, lane = fields.maybe_target("call"), fields.maybe(fields.whole, "lane")
    if (call is None) == (lane is None):
        raise UserError('Give either the "call" to answer or the "lane" to bring back.', where="call")
    return FoldSubagent(call, fields.maybe(fields.word, "answer"), lane)


READERS: dict[str, Callable[[_Fields], Operation]] = {
    "append": lambda f: Append(f.entries("messages")),
    "insert": _insert,
    "delete": lambda f: Delete(f.targets(), f.flag("partners", True), f.flag("thinking", False)),
    "replace": lambda f: Replace(f.target("target"), f.any("value"), f.flag("force", False)),
    "move": _move,
    "set_system": _set_system,
    "set_tools": _set_tools,
    "merge": lambda f: Merge(f.targets()),
    "repair": _repair,
    "prepend_memory": lambda f: PrependMemory(f.word("text"), f.one_of("as", ("system", "user"), "system")),
    "compact": _compact,
    "fit": _fit,
    "fork": lambda f: Fork(f.target("at"), f.word("name")),
    "switch": lambda f: Switch(f.word("branch"), f.word("leave_as")),
    "spawn": lambda f: Spawn(
        f.maybe_target("call"), f.maybe(f.word, "task"), f.maybe(f.word, "system"), f.flag("tools", False)
    ),
    "fold_subagent": _fold_subagent,
    "few_shot": lambda f: FewShot(f.entries("examples")),
}


def from_json(value: Json) -> Operation:
    """The operation that a JSON object stands for: ``{"op": "delete", "targets": ["m3"]}``.

    Raises ``UserError`` naming the key that is wrong, missing or not known.
    """
    if not isinstance(value, dict) or not isinstance(value.get("op"), str):
        raise UserError(
            'An operation must be an object with the key "op".',
            do='For example {"op": "delete", "targets": [3]}.',
        )
    read = READERS.get(value["op"])
    if read is None:
        raise UserError(
            f'The operation "{value["op"]}" is not known.', where="op", do=f"Known are {', '.join(READERS)}."
        )
    fields = _Fields(value)
    operation = read(fields)
    fields.done()
    return operation


def to_json(operation: Operation) -> dict[str, Any]:
    """The JSON object of an operation; defaults are left out. ``from_json`` gives it back."""
    match operation:
        case Append(messages):
            return {"op": "append", "messages": list(messages)}
        case Insert(at, message):
            return {"op": "insert", "at": at, "message": message}
        case InsertBlock(into, index, block):
            return {"op": "insert", "into": into, "index": index, "block": block}
        case Delete(targets, partners, thinking):
            flags = ({} if partners else {"partners": False}) | ({"thinking": True} if thinking else {})
            return {"op": "delete", "targets": list(targets), **flags}
        case Replace(target, value, force):
            return {"op": "replace", "target": target, "value": value} | ({"force": True} if force else {})
        case Move(target, to, into):
            return {"op": "move", "target": target, "to": to} | ({} if into is None else {"into": into})
        case SetSystem(system):
            return {"op": "set_system", "system": system}
        case SetTools(tools):
            return {"op": "set_tools", "tools": None if tools is None else list(tools)}
        case Merge(targets):
            return {"op": "merge", "targets": list(targets)}
        case Repair(code, targets, way):
            where = {"target": targets[0]} if len(targets) == 1 else {"targets": list(targets)}
            return {"op": "repair", "code": code} | (where if targets else {}) | ({"way": way} if way else {})
        case PrependMemory(text, place):
            return {"op": "prepend_memory", "text": text, "as": place}
        case Compact(first, last, keep_last, summary):
            return _given("compact", {"from": first, "to": last, "keep_last": keep_last, "summary": summary})
        case Fit(budget, strategy, keep):
            return _given("fit", {"budget": budget, "strategy": strategy, "keep": keep})
        case Fork(at, name):
            return {"op": "fork", "at": at, "name": name}
        case Switch(branch, leave_as):
            return {"op": "switch", "branch": branch, "leave_as": leave_as}
        case Spawn(call, task, system, tools):
            return _given("spawn", {"call": call, "task": task, "system": system, "tools": tools or None})
        case FoldSubagent(call, answer, lane):
            return _given("fold_subagent", {"call": call, "answer": answer, "lane": lane})
        case FewShot(examples):
            return {"op": "few_shot", "examples": list(examples)}


def _given(op: str, fields: dict[str, Json]) -> dict[str, Any]:
    """The object of an operation, without the keys that have no value."""
    return {"op": op, **{key: value for key, value in fields.items() if value is not None}}

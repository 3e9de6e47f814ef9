"""YAML as values that know their line, so that a fault in a lesson file can say where it is.

Only what JSON has: no anchors, no tags. What the values mean is decided in ``tape.lessons.reading``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import yaml

from tape.model import Json

LARGEST: Final = 2_000_000
DEEPEST: Final = 60
_NULLS: Final = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a lesson file: the line (from 1) and one sentence."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


class Faulty(Exception):
    """Raised inside the reader where a part cannot be made sense of; carries its one fault."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.fault = Fault(line, text)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the file and the line that it stands on. ``value`` is a mapping or list of nodes, or the
    text of a scalar; ``plain`` says that a scalar was written without quotes."""

    line: int
    value: dict[str, Node] | list[Node] | str
    plain: bool = False
    keys: dict[str, int] = field(default_factory=dict)

    def json(self) -> Json:
        """The node as a JSON value: unquoted ``true``, ``null`` and numbers are those."""
        if isinstance(self.value, dict):
            return {key: node.json() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.json() for node in self.value]
        if not self.plain:
            return self.value
        return _scalar(self.value)


Tree: TypeAlias = "yaml.nodes.Node"


def parse(text: str) -> Node:
    """The one document of the text. Raises ``Faulty`` where it is no such YAML."""
    if len(text) > LARGEST:
        raise Faulty(1, f"The file is larger than {LARGEST:,} characters.")
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise Faulty(
                    line, "Anchors and references (& and *) are not used in lessons: quote the text."
                )
            if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None):
                raise Faulty(line, "Tags (!) are not used in lessons: quote the text.")
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise Faulty(mark.line + 1 if mark else 1, f"This is no YAML: {fault.problem}.") from None
    except (yaml.YAMLError, UnicodeError, RecursionError) as fault:
        raise Faulty(1, f"This is no YAML: {type(fault).__name__}.") from None
    if tree is None:
        raise Faulty(1, "The file is empty.")
    return _node(tree, 0)


def _node(tree: Tree, depth: int) -> Node:
    line = tree.start_mark.line + 1
    if depth > DEEPEST:
        raise Faulty(line, "The file is nested too deeply.")
    if isinstance(tree, yaml.MappingNode):
        found: dict[str, Node] = {}
        keys: dict[str, int] = {}
        for key, value in _pairs(tree):
            if key.value in found:
                raise Faulty(key.start_mark.line + 1, f'The key "{key.value}" stands here twice.')
            found[key.value] = _node(value, depth + 1)
            keys[key.value] = key.start_mark.line + 1
        return Node(line, found, keys=keys)
    if isinstance(tree, yaml.SequenceNode):
        return Node(line, [_node(one, depth + 1) for one in tree.value])
    return Node(line, str(tree.value), plain=getattr(tree, "style", None) is None)


def _pairs(tree: yaml.MappingNode) -> Iterator[tuple[yaml.ScalarNode, Tree]]:
    for key, value in tree.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Faulty(key.start_mark.line + 1, "A key must be a word.")
        yield key, value


def _scalar(text: str) -> Json:
    if text in _NULLS:
        return None
    if text in ("true", "True", "false", "False"):
        return text in ("true", "True")
    try:
        return int(text) if len(text) < 18 else text
    except ValueError:
        pass
    try:
        return float(text) if text[-1:].isdigit() and "_" not in text else text
    except ValueError:
        return text

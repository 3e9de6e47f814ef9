"""The parameters of a request in whatever dialect its session came, as one value that any writer can read.

Which of them a target has, and under which name, is for its writer to say; what no dialect shares is named in
``rest`` so that nothing goes unmentioned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tape.losses import Losses
from tape.model import Json, Session

LIMIT: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens")
STOP: Final = ("stop_sequences", "stop", "stopSequences")
CHOICE: Final = ("tool_choice", "toolChoice")
NESTED: Final = ("generationConfig", "generation_config", "inferenceConfig", "additionalModelRequestFields")
SAME: Final = {
    "temperature": ("temperature",),
    "top_p": ("top_p", "topP"),
    "top_k": ("top_k", "topK"),
    "seed": ("seed",),
}
CHOICES: Final = {"auto": "auto", "any": "any", "required": "any", "none": "none"}
SILENT: Final = frozenset(("model", "stream", "stream_options", "messages", "tools", "modelId"))


@dataclass(frozen=True, slots=True)
class Settings:
    """``max_tokens`` (tokens), ``choice`` (``auto``, ``any``, ``none``, or ``tool`` with ``tool`` its name),
    ``parallel`` calls, ``effort`` of reasoning, ``thinking`` as the Claude API writes it, and the names of
    the parameters that are none of these. ``None`` is not given."""

    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    sampling: Mapping[str, Json] | None = None
    choice: str | None = None
    tool: str | None = None
    parallel: bool | None = None
    effort: str | None = None
    thinking: Mapping[str, Json] | None = None
    rest: tuple[str, ...] = ()


def settings_of(session: Session) -> Settings:
    """The parameters of a session. Never raises on data."""
    flat: dict[str, Any] = {}
    for key, value in session.params.items():
        if key in NESTED and isinstance(value, Mapping):
            flat |= value
        elif value is not None:
            flat[key] = value
    sampling: dict[str, Json] = {}
    for name, keys in SAME.items():
        found = next((flat.pop(key) for key in keys if key in flat), None)
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            sampling[name] = found
    limit = [flat.pop(key) for key in LIMIT if key in flat]
    stop = [flat.pop(key) for key in STOP if key in flat]
    given = next((flat.pop(key) for key in CHOICE if key in flat), None)
    choice, tool = _choice(given)
    parallel = flat.pop("parallel_tool_calls", None)
    if isinstance(given, Mapping) and given.get("disable_parallel_tool_use"):
        parallel = False
    effort = flat.pop("reasoning_effort", None)
    reasoning = flat.get("reasoning")
    if effort is None and isinstance(reasoning, Mapping) and reasoning.keys() == {"effort"}:
        effort = flat.pop("reasoning")["effort"]
    thinking = flat.pop("thinking", None)
    return Settings(
        max_tokens=next((n for n in limit if isinstance(n, int) and not isinstance(n, bool)), None),
        stop=tuple(_strings(stop[0])) if stop else (),
        sampling=sampling,
        choice=choice,
        tool=tool,
        parallel=parallel if isinstance(parallel, bool) else None,
        effort=effort if isinstance(effort, str) else None,
        thinking=thinking if isinstance(thinking, Mapping) else None,
        rest=tuple(sorted(key for key in flat if key not in SILENT)),
    )


def leave_out(losses: Losses, *names: str) -> None:
    """Remarks on the parameters that a target has no like of."""
    if names:
        losses.lose(f"Parameters that have no like here were left out: {', '.join(sorted(names))}.")


def _strings(value: Json) -> list[str]:
    return [value] if isinstance(value, str) else [one for one in value or () if isinstance(one, str)]


def _choice(value: Json) -> tuple[str | None, str | None]:
    if isinstance(value, str):
        return CHOICES.get(value), None
    if not isinstance(value, Mapping):
        return None, None
    inner = value.get("function")
    name = (inner if isinstance(inner, Mapping) else value).get("name")
    kind = value.get("type")
    if isinstance(name, str) and kind in ("tool", "function", None):
        return "tool", name
    return (CHOICES.get(kind), None) if isinstance(kind, str) else (None, None)

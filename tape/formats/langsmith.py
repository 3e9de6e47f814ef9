"""LangSmith: runs of models, chains and tools; the transcript of a trace is its fullest call of a model.

What the last calls were answered is taken from the runs of tools where no later prompt has it. Facts:
formats.md 9.1 of the project's notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar, Final, Literal

from tape import usage_forms
from tape.formats.arrays import at, documents
from tape.formats.base import Conversation, Guess, Sample
from tape.formats.conversations import no_messages
from tape.formats.gathering import Gathering
from tape.formats.langchain_parts import said_of
from tape.formats.langchain_take import make, take
from tape.formats.langsmith_runs import Run, is_batch, is_run, root_of, runs
from tape.formats.log_format import LogFormat
from tape.formats.openai_load import tools_of
from tape.formats.parts import below, word
from tape.formats.parts_dump import Form
from tape.model import Json, Place, Session, Usage
from tape.records import Source

NAME: Final = "langsmith"
COPIES: Final = "LangSmith repeats messages in other runs and as text; the copies were left as they are."


class LangSmith(LogFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "LangSmith runs"
    written_by = "LangSmith, its SDKs and exports"
    evidence: Literal["files", "documentation"] = "documentation"
    form: ClassVar[Form]

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by runs with ``run_type`` and ``inputs``, or a batch of them."""
        for record in sample.records[:50]:
            held = record.get("runs") if isinstance(record, dict) and "runs" in record else record
            several = held[:50] if isinstance(held, list) else [held]
            if is_batch(record) or any(map(is_run, several)):
                return Guess(3, "runs with run_type and inputs")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a trace."""
        for source in sources:
            for trace, several in traces(source).items():
                title = next((name for run in several if (name := word(run.facts, "name"))), source.name)
                yield Conversation(trace, title, partial(load, source, trace))


def traces(source: Source) -> dict[str, list[Run]]:
    """The runs of each trace, in order."""
    known = runs(documents(source))
    found: dict[str, list[Run]] = {}
    for run in known.values():
        found.setdefault(root_of(run, known), []).append(run)
    return found


def load(source: Source, trace: str) -> Session:
    """The session of a trace. Never raises on data."""
    several = traces(source).get(trace, [])
    chosen, array, whole = _chosen(source, several)
    g = Gathering(source, NAME, array=array or Place(0))
    g.extra["trace"] = trace
    for run in several:
        if run is not chosen:
            g.aside(run.place, f"{run.kind} run", word(run.facts, "name") or "")
    if chosen is None or array is None:
        g.notes.append(no_messages(source.where(several[0].place.record) if several else ""))
        return g.session(id=trace)
    _take(g, chosen, array, several, whole)
    system = at(chosen.facts, ("inputs", "system"))
    if isinstance(system, str) and chosen.inputs is not None:
        g.extra["system_place"] = below(chosen.inputs, "system")
    elif not isinstance(system, list):
        system = None
    given = at(chosen.facts, ("extra", "invocation_params", "tools"))
    tools = tools_of(given if given is not None else at(chosen.facts, ("inputs", "tools")))
    return g.session(id=trace, title=word(several[0].facts, "name"), system=system, tools=tools)


def _chosen(source: Source, several: Sequence[Run]) -> tuple[Run | None, Place | None, bool]:
    """The run whose messages are the transcript, where they stand, and whether its answer is among them: the
    last of the fullest calls of a model, else the fullest list that another run left or was given."""
    best: tuple[int, Run, Place, bool] | None = None
    for run in several:
        place = run.messages() if run.kind == "llm" else None
        count = _count(source, place)
        if place is not None and (best is None or count >= best[0]):
            best = count, run, place, False
    for run in several if best is None else ():
        for place, whole in ((run.messages(), False), (run.transcript(), True)):
            count = _count(source, place)
            if place is not None and (best is None or count > best[0]):
                best = count, run, place, whole
    return (None, None, False) if best is None else best[1:]


def _count(source: Source, place: Place | None) -> int:
    held = None if place is None else at(source.held(place.record), place.path)
    return len(held) if isinstance(held, list) else 0


def _take(g: Gathering, run: Run, array: Place, several: Sequence[Run], whole: bool) -> None:
    entries = at(g.source.held(array.record), array.path)
    for i, message in enumerate(entries if isinstance(entries, list) else ()):
        take(g, below(array, i), message)
    reply = None if whole else run.reply()
    if reply is None:
        return
    model = word(at(run.facts, ("extra", "metadata")), "ls_model_name")
    before = len(g.drafts)
    said = take(
        g,
        reply,
        at(g.source.held(reply.record), reply.path),
        model=model or word(run.facts.get("outputs"), "model"),
        timestamp=word(run.facts, "end_time"),
    )
    if not said and len(g.drafts) > before and g.drafts[-1].role == "assistant":
        g.spend(usage_of(run))
    _answers(g, several)


def _answers(g: Gathering, several: Sequence[Run]) -> None:
    """The results of the last calls, from the runs of tools."""
    last = g.last
    open_ids = {head.id for head in last.heads if head.kind == "tool_use"} if last else set()
    for run in several:
        reply = run.reply() if run.kind == "tool" else None
        value = at(g.source.held(reply.record), reply.path) if reply is not None else None
        said = said_of(value)
        if reply is not None and said is not None and said.kind == "tool":
            id = word(said.body, "tool_call_id")
            if id in open_ids:
                open_ids.discard(id)
                take(g, reply, value)


def usage_of(run: Run) -> Usage | None:
    """The counts of a run (tokens) where its message has none."""
    outputs = run.facts.get("outputs")
    told: Json = at(outputs, ("llm_output", "token_usage"))
    if isinstance(told, dict) and told:
        return usage_forms.openai(told)
    told = at(outputs, ("usage",))
    if isinstance(told, dict) and "prompt_tokens" in told:
        return usage_forms.openai(told)
    if isinstance(told, dict) and "input_tokens" in told:
        return usage_forms.anthropic(told)
    told = {k: run.facts[k] for k in ("prompt_tokens", "completion_tokens") if run.facts.get(k)}
    return usage_forms.openai(told) if told else None


def _again(source: Source, session: Session) -> Session | None:
    return None if session.base is None else load(source, session.base.extra["trace"])


LangSmith.form = Form("A file of LangSmith runs", _again, make, doubles=COPIES)

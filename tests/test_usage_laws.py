"""Laws of accounting: sums are those of their parts, lines do not matter, what was left behind is spent."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal

from hypothesis import given
from hypothesis import strategies as st

import tape
from tape.model import Branch, Call, Lane, Session, Text, Usage, message
from tape.pricing import bill, cost, price
from tape.usage import SessionUsage, usage
from tests.formats.claude_code_lines import Chain, text

CENT = Decimal("0.01")
MODELS = ("claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-4-5", "gpt-4.1", "house-model-7b", None)
counts = st.integers(0, 300_000)
usages = st.builds(
    Usage,
    input=counts,
    cache_write=counts,
    cache_read=counts,
    output=counts,
    service_tier=st.sampled_from([None, "standard", "batch", "priority"]),
    speed=st.sampled_from([None, "fast"]),
)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """Chats whose answers have recorded usage; some responses are missing theirs."""
    many = draw(st.integers(1, 6))
    entries = []
    calls = []
    for n in range(many):
        for role in ("user", "assistant"):
            uid = f"m{len(entries)}"
            entries.append(message(uid, role, (Text(uid=f"{uid}.0", text=draw(st.text(max_size=40))),)))
        known = draw(st.none() | usages) if n else draw(usages)
        calls.append(Call(entries[-1].uid, id=f"r{n}", model=draw(st.sampled_from(MODELS)), usage=known))
    return Session(tuple(entries), calls=tuple(calls))


@given(sessions())
def test_what_was_used_so_far_is_the_sum_of_every_call(session: Session) -> None:
    so_far = 0
    for turn in usage(session).turns:
        so_far += (turn.usage.prompt or 0) + (turn.usage.output or 0)
        assert turn.cumulative == so_far


@given(sessions())
def test_totals_are_the_sums_of_the_recorded_calls(session: Session) -> None:
    found = usage(session)
    known = [call.usage for call in session.calls if call.usage is not None]
    assert found.total.spent == sum((u.prompt or 0) + (u.output or 0) for u in known)
    assert found.total.unknown == len(session.calls) - len(known)


@given(st.lists(st.tuples(counts, counts, st.integers(1, 4)), min_size=1, max_size=4), st.data())
def test_a_response_on_many_lines_is_the_response_on_one(
    replies: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    """The lines of a response repeat its prompt, and their output figure grows up to the last."""

    def written(split: bool) -> SessionUsage:
        chain = Chain()
        for n, (fresh, output, lines) in enumerate(replies):
            chain.user(f"ask {n}")
            spent = {"input_tokens": fresh, "cache_read_input_tokens": 2 * fresh, "output_tokens": output}
            parts = range(lines) if split else range(1)
            for i in parts:
                grown = output if i == parts[-1] else output * i // lines
                words = [text(f"part {k}") for k in ([i] if split else range(lines))]
                chain.reply(f"r{n}", *words, usage={**spent, "output_tokens": grown})
        return usage(chain.load())

    one, many = written(False), written(True)
    assert many.total == one.total
    assert [t.usage for t in many.turns] == [t.usage for t in one.turns]
    assert [t.cumulative for t in many.turns] == [t.cumulative for t in one.turns]
    assert (many.context_now, many.prompt_last) == (one.context_now, one.prompt_last)


@given(sessions(), usages, st.sampled_from(MODELS))
def test_what_was_left_behind_adds_to_spend_and_not_to_the_context(
    session: Session, spent: Usage, model: str | None
) -> None:
    left = message("b1", "assistant", (Text(uid="b1.0", text="another way"),))
    extra = Call("b1", id="left", model=model, usage=spent)
    before = usage(session)
    agent = Session((left,), calls=(extra,))
    for changed in (
        replace(session, calls=(*session.calls, extra), branches=(Branch("left", "m0", (left,)),)),
        replace(session, lanes=(Lane(agent, None, "agent"),)),
    ):
        after = usage(changed)
        assert after.context_now == before.context_now
        assert after.prompt_last == before.prompt_last
        assert [t.usage for t in after.turns] == [t.usage for t in before.turns]
        assert after.total.spent == (before.total.spent or 0) + (spent.prompt or 0) + (spent.output or 0)
        assert after.total.cost == before.total.cost + cost([extra])


@given(sessions())
def test_money_adds_up_to_the_cent(session: Session) -> None:
    """The total is the sum of the bills, each bill that of its four parts, with nothing lost in rounding."""
    priced = [
        found for c in session.calls if c.usage is not None and (found := bill(c.usage, c.model)) is not None
    ]
    parts = sum((b.fresh + b.cache_write + b.cache_read + b.output for b in priced), Decimal(0))
    found = usage(session).total.cost
    assert (found.usd or Decimal(0)) == parts
    rounded = (found.usd or Decimal(0)).quantize(CENT, ROUND_HALF_EVEN)
    assert abs(rounded - parts) <= CENT / 2


@given(usages, st.sampled_from(MODELS))
def test_a_bill_is_its_price(spent: Usage, model: str | None) -> None:
    found = bill(spent, model)
    assert price(spent, model) == (None if found is None else found.usd)


@given(sessions())
def test_turns_of_the_array_are_what_the_report_says(session: Session) -> None:
    cut = tape.turns(session)
    assert [t.message_uid for t in usage(session).turns] == [t.message_uid for t in cut]

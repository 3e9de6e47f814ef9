"""Rules about signed thinking after edits: it is bound to what stood before it, and to its own words.

The facts and their sources are in ``tape.prefix``. Without the file a session was read from, or an answer's
own memory of what it was given, no edit can be seen, and none of these rules speaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tape.model import Message, Thinking
from tape.prefix import fingerprints, first_change
from tape.rules.base import Finding, Rule, Seen, Severity, at, place, quoting
from tape.rules.view import Spot, View

SINCE = "Refused for accounts created since 2026-08-31, for older ones only where the request asks for it."
BOUND = Seen(
    "messages.{i}.content.{j}: Invalid `signature` in `thinking` block. The block is bound to a different "
    "conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "
    '"drop_block".',
    "2026-11",
    "V",
    "platform.claude.com, preserved thinking; probed 2026-09-26 (tdavison784/context-runtime)",
)
T4 = replace(
    BOUND,
    text=f"{BOUND.text} Content before this block differs from when it was created, first at `{{path}}`.",
)
MODIFIED = Seen(
    "messages.{i}.content.{j}: `thinking` or `redacted_thinking` blocks in the latest assistant message "
    "cannot be modified. These blocks must remain as they were in the original response.",
    "2026-08",
    "V",
    "platform.claude.com, errors; anthropics/claude-code#63284",
)


def bound(view: View) -> list[Spot]:
    """Every thinking block that a signature binds: signed ones and redacted ones."""
    return [s for s in view.of_kind("thinking") if "signed" in s.head.flags or "redacted" in s.head.flags]


def drops(view: View) -> bool:
    """Whether the request asks the API to drop thinking that does not fit, instead of refusing it."""
    thinking = view.session.params.get("thinking")
    binding = thinking.get("block_binding") if isinstance(thinking, dict) else None
    return isinstance(binding, dict) and binding.get("prefix_mismatch_behavior") == "drop_block"


def enforced(view: View) -> Severity | None:
    """How grave a broken prefix is for the model: ``None`` for models that do not check it."""
    checks = view.model.prefix_check if view.model else None
    return "refused" if checks else "risky" if checks is None else None


def recorded(view: View) -> dict[str, Message]:
    """The messages of the file by uid; none where the session was no file or was not edited."""
    base = view.session.base
    if base is None or base.messages is view.messages:
        return {}
    return {entry.uid: entry for entry in base.messages}


def thoughts(entry: Message) -> list[Thinking]:
    """The thinking blocks of a message."""
    return [block for block in entry.blocks if isinstance(block, Thinking)]


class ThinkingPrefixChanged(Rule):
    """Signed thinking behind an edit, for models that check what it was bound to.

    Any change before the block counts: a word, a deleted message, the system prompt, the tools. Cache marks
    and messages added behind it do not.
    """

    code = "thinking-prefix-changed"
    title = "Signed thinking stands behind an edit"
    why = "The signature says that the model thought this in this very conversation; now it is another one."
    repair = "Let the API drop what does not fit (a beta); or drop all thinking from the edit on."
    stage = 4
    on = at(refused="anthropic")
    seen = quoting(anthropic=T4, unplaced=BOUND)
    example = """a session that was edited before a signed thinking block"""

    def check(self, view: View) -> Iterator[Finding]:
        severity = enforced(view)
        if severity is None or drops(view):
            return
        depends = " Whether it is checked depends on the model." if severity == "risky" else f" {SINCE}"
        for spot, path in self.stale(view):
            changed = people(path) if path else "what it was given"
            text = f"This thinking was signed before {changed} was changed.{depends}"
            seen = None if path else "unplaced"
            yield self.find(view, spot[:2], text, severity=severity, seen=seen, path=path)

    def stale(self, view: View) -> Iterator[tuple[Spot, str | None]]:
        """The signed thinking whose prefix changed, with the path of the first change where it is known."""
        change, base = first_change(view.session), view.session.base
        known = {entry.uid for entry in base.messages} if change and base else set()
        memory = any("prefix" in entry.meta for entry in view.messages)
        now = list(fingerprints(view.session)) if memory else []
        for spot in bound(view):
            entry = view.messages[spot.i]
            if change and entry.uid in known and (spot.i, spot.j) > change[:2]:
                yield spot, change.path
            elif "prefix" in entry.meta and entry.meta["prefix"] != now[spot.i]:
                yield spot, None


def people(path: str) -> str:
    """A path of the API as people read it."""
    parts = path.split(".")
    return place(int(parts[1]), int(parts[3])) if parts[0] == "messages" else f"the {path}"


class ThinkingGap(Rule):
    """Thinking that was taken out of the middle. From the start, from the end or all of it may go."""

    code = "thinking-gap"
    title = "Thinking is missing in the middle"
    why = "Each block is bound to those before it; a gap makes every later one strange to the conversation."
    repair = "Drop all thinking behind the gap as well."
    stage = 4
    on = at(refused="anthropic")
    seen = quoting(anthropic=T4)
    example = """a session from which one of several thinking blocks was deleted"""

    def check(self, view: View) -> Iterator[Finding]:
        severity = enforced(view)
        if severity is None or drops(view):
            return
        had = recorded(view)
        kept_before, gap = False, ""
        later: list[Spot] = []
        here: dict[int, list[Spot]] = {}
        for spot in bound(view):
            here.setdefault(spot.i, []).append(spot)
        for i, entry in enumerate(view.messages):
            spots, old = here.get(i, []), had.get(entry.uid)
            kept = {spot.head.uid: spot for spot in spots}
            before = [b.uid for b in thoughts(old)] if old is not None and old is not entry else list(kept)
            for uid in before:
                if uid in kept:
                    kept_before = True
                    if gap:
                        later.append(kept[uid])
                elif kept_before and not gap:
                    gap = f"messages.{i}"
        if later:
            text = "Thinking before this block was deleted, and thinking before that was kept."
            uids = tuple(spot.head.uid for spot in later)
            yield self.find(view, later[0][:2], text, uids=uids, severity=severity, path=gap)


class ThinkingModified(Rule):
    """Thinking whose words, signature or order were changed.

    In the latest assistant turn nothing of it may change, though all of it may go. That a changed text with
    an untouched signature is refused is what the documentation says; a probe saw it ignored.
    """

    code = "thinking-modified"
    title = "Thinking was changed"
    why = "The signature seals these words; the model trusts them only as it wrote them."
    repair = "Restore the original blocks; or remove all thinking of that turn."
    stage = 4
    on = at(refused="anthropic")
    seen = quoting(
        anthropic=MODIFIED,
        earlier=Seen(
            "messages.{i}.content.{j}: Invalid `signature` in `thinking` block",
            "2026-09",
            "V",
            "platform.claude.com, preserved thinking; probed 2026-09-26",
        ),
    )
    example = """a session in which the text of a thinking block was edited"""

    def check(self, view: View) -> Iterator[Finding]:
        had = recorded(view)
        latest = max((i for i, m in enumerate(view.messages) if m.role == "assistant"), default=-1)
        for i, entry in enumerate(view.messages):
            old = had.get(entry.uid)
            if old is None or old is entry or not any(head.kind == "thinking" for head in entry.heads):
                continue
            now, was = thoughts(entry), thoughts(old)
            originals = {block.uid: block for block in was}
            changed = [b for b in now if b.uid not in originals or said(originals[b.uid]) != said(b)]
            if not changed and (i != latest or [b.uid for b in now] == [b.uid for b in was]):
                continue
            where = (i, [head.uid for head in entry.heads].index((changed or now)[0].uid))
            uids = tuple(block.uid for block in changed or now)
            if i == latest:
                text = "Thinking of the latest assistant message differs from what the model wrote."
                yield self.find(view, where, text, uids=uids)
            else:
                resealed = any(
                    b.uid not in originals or said(b)[1:] != said(originals[b.uid])[1:] for b in changed
                )
                text = "This thinking differs from what the model wrote."
                severity: Severity | None = None if resealed else "risky"
                yield self.find(view, where, text, uids=uids, severity=severity, seen="earlier")


def said(block: Thinking) -> tuple[str, str | None, str | None]:
    """The words and the seal of a thinking block."""
    return block.text, block.signature, block.data

"""When nothing else fits: say what can be seen, which is the messages array and nothing more."""

from __future__ import annotations

from tape.endpoint.reply import Line, Reply, line, polite
from tape.endpoint.seen import Seen


def what_i_see(seen: Seen) -> Reply:
    """Say how many messages there are, whose the last one is, and that they do not hold an answer."""
    lines = [polite(count_line(seen))]
    question = " ".join(seen.asked.split())
    if question:
        shown = question if len(question) <= 120 else question[:119] + "…"
        lines.append(line("Nothing in this array tells me how to answer “{question}”.", question=shown))
    lines.append(
        line("I am a script: I do sums, recall what messages say, follow formats and use tools on files.")
    )
    return Reply(tuple(lines), bare="?", thought="None of my skills fits, so I say what I can see.")


def count_line(seen: Seen) -> Line:
    """One line on how many messages can be seen and whose the last one is."""
    if seen.last_role == "assistant" and seen.count > 1:
        return line(
            "I can see {count} messages; the last one is mine, and I go on from it.", count=seen.count
        )
    if seen.count == 1:
        return line("I can see 1 message; it is yours.")
    return line("I can see {count} messages; the last one is yours.", count=seen.count)

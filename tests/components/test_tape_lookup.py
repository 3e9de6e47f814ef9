"""Messages and blocks as people take them along: Markdown that survives whatever a tool said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from components.tape_view.lookup import markdown
from tests.strategies import answer, assistant, call, session, text, user


def tokens(source: str) -> list[tuple[str, str]]:
    """The kinds and contents of the code that a reader of Markdown finds in it."""
    return [(one.info, one.content) for one in MarkdownIt().parse(source) if one.type == "fence"]


def test_a_message_as_markdown() -> None:
    chat = session(
        user("Look, *please*."),
        assistant(text("I look."), call("a", "look", {"at": "sky"})),
        user(answer("a", "blue")),
    )
    said = [markdown(entry) for entry in chat.messages]
    assert said[0] == "## user\n\nLook, *please*.\n"
    assert said[1] == (
        '## assistant\n\nI look.\n\n**call** `look` `a`\n\n```json\n{\n  "at": "sky"\n}\n```\n'
    )
    assert said[2] == "## user\n\n**result for** `a`\n\n```\nblue\n```\n"


@given(st.text(alphabet="`~ab\n\\", min_size=1, max_size=60))
def test_a_result_stays_in_its_fence_whatever_it_holds(words: str) -> None:
    chat = session(assistant(call("a", "look", {})), user(answer("a", words)))
    ((_, content),) = tokens(markdown(chat.messages[1]))
    assert content == f"{words}\n"

"""What the result of a command says of how the command ended: its exit code, and how long it took.

Known are the words of Claude Code ("Exit code 1" on the first line) and of Codex ("Exit code: 0", "Wall time:
0.1 seconds", "Process exited with code 0" above the output, or ``metadata`` in a JSON text), as they stand in
transcripts of both (seen on 2026-12-01). The output itself is not looked at.
"""

from __future__ import annotations

import re

HEAD = 400
_CODE = re.compile(r"^(?:Exit code:? |Process exited with code )(-?\d{1,10})\b", re.MULTILINE)
_TIME = re.compile(r"^Wall time:? (\d{1,7}(?:\.\d{1,6})?) seconds?\b", re.MULTILINE)
_OUTPUT = re.compile(r"^Output:", re.MULTILINE)
_JSON_CODE = re.compile(r'"exit_code":\s*(-?\d{1,10})\b')
_JSON_TIME = re.compile(r'"duration_seconds":\s*(\d{1,7}(?:\.\d{1,6})?)')


def command_end(text: str) -> tuple[int | None, float | None]:
    """Exit code and seconds, each ``None`` where the text does not say."""
    if text.startswith("{"):
        code, took = _JSON_CODE.search(text[-HEAD:]), _JSON_TIME.search(text[-HEAD:])
    else:
        head = text[:HEAD]
        output = _OUTPUT.search(head)
        head = head[: output.start()] if output else head
        first = _CODE.match(head)
        code, took = (_CODE.search(head) if output else first), _TIME.search(head) if output else None
    return (int(code[1]) if code else None), (float(took[1]) if took else None)

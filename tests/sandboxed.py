"""Whether commands can be walled off here. Where they cannot, the end of a test run says so in capitals."""

from __future__ import annotations

from tape.tools.sandbox import Sandbox, available

HERE: Sandbox = available()
WALLED = HERE.kind == "bwrap"

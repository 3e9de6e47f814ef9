"""Lessons: a session, and steps that a class goes through on it. Files, checking, and playing; no page.

The form of a lesson file is in ``docs/lessons.md``.
"""

from __future__ import annotations

from tape.lessons.library import lesson, lessons
from tape.lessons.model import Lesson, Step
from tape.lessons.nodes import Fault
from tape.lessons.player import Player
from tape.lessons.reading import check, read

__all__ = ["Fault", "Lesson", "Player", "Step", "check", "lesson", "lessons", "read"]

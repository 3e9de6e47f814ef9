"""What several people have open is held once, and for no longer than one of them has it open.

A value is made by who asks first, while others who ask for the same wait; it is let go with its last holder.
Nothing is kept for later: a file that nobody has open costs no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

V = TypeVar("V")


class Shared(Generic[V]):
    """Values by key, for as long as somebody holds them. Safe to ask from any thread."""

    def __init__(self) -> None:
        self._values: WeakValueDictionary[Hashable, V] = WeakValueDictionary()
        self._making: WeakValueDictionary[Hashable, _Turn] = WeakValueDictionary()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of the key, made now where nobody holds one. Raises what ``make`` raises."""
        with self._lock:
            turn = self._making.get(key)
            if turn is None:
                turn = self._making[key] = _Turn()
        with turn.lock:
            value = self._values.get(key)
            if value is None:
                value = self._values[key] = make()
            return value


class _Turn:
    """Whose turn it is to make the value of one key."""

    def __init__(self) -> None:
        self.lock = RLock()

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

_UNAVAILABLE = 503
# Only these are worth another try: nothing was done, unless it is a 503 that names no time.
_WORTH_IT = frozenset({429, _UNAVAILABLE})
# By HTTP, doing these twice is doing them once.
_IDEMPOTENT = frozenset({"GET", "PUT", "DELETE"})
# A server that wants us to wait for longer is better told to the caller.
_LONGEST_WAIT = 60.0
_FIRST_WAIT = 0.5
_LONGEST_GUESS = 8.0
# Clients that were refused together do not come back together.
_SPREAD = 0.5
# Beyond it a doubled wait is longer than the longest one anyway.
_DOUBLINGS = 5


@dataclass(frozen=True, slots=True)
class Failed:
    method: str
    status: int
    retry_after: float | None
    """Seconds, as the server wants it."""
    retries: int
    """How often this call was repeated already."""


def wait_before_retry(failed: Failed, random: Callable[[], float]) -> float | None:
    """How long to wait before a call is repeated, in seconds; None: it is not repeated."""
    if failed.method not in _IDEMPOTENT or failed.status not in _WORTH_IT:
        return None
    if failed.retry_after is None:
        # Then nobody knows whether it was done: again, it could be refused as done, or undo what
        # others did since.
        if failed.status == _UNAVAILABLE and failed.method != "GET":
            return None
        doubled = _FIRST_WAIT * 2.0 ** min(failed.retries, _DOUBLINGS)
        return min(doubled, _LONGEST_GUESS) * (1 + random()) * 0.5
    if failed.retry_after > _LONGEST_WAIT:
        return None
    return failed.retry_after + random() * _SPREAD


def read_retry_after(header: str | None, now: float) -> float | None:
    """`Retry-After` in seconds, whether the server sent a number or a date."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return None
